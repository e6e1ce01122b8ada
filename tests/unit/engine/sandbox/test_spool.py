"""What the follower in the sandbox says, in whatever pieces it arrives."""

from __future__ import annotations

import struct

from hypothesis import given
from hypothesis import strategies as st

from engine.sandbox.port import Outcome
from engine.sandbox.spool import Decoder, Ended, Frame, Kind

frames = st.lists(st.builds(Frame, st.sampled_from(Kind), st.binary(max_size=300)), max_size=10)


@given(frames, st.integers(1, 50))
def test_frames_are_the_same_whatever_the_pieces(sent: list[Frame], size: int) -> None:
    wire = b"".join(struct.pack(">cI", frame.kind.encode(), len(frame.data)) + frame.data for frame in sent)
    decoder = Decoder()
    pieces = [wire[at : at + size] for at in range(0, len(wire), size)]
    assert [frame for piece in pieces for frame in decoder.feed(piece)] == sent


def test_the_last_line_of_a_spool_is_read() -> None:
    assert Ended.parse(b"exited 3 0 1.250\n      ") == Ended(
        outcome=Outcome.exited, exit_code=3, out_of_memory=False, elapsed_seconds=1.25
    )
    ended = Ended.parse(b"timed_out - 1 30.001\n")
    assert (ended.outcome, ended.exit_code, ended.out_of_memory) == (Outcome.timed_out, None, True)
