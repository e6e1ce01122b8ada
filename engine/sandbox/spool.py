"""What the `follow` script in the sandbox says, as values. Pure bytes in, frames out."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum

from engine.sandbox.port import Outcome

# Our own framing inside Docker's: the output of a command must not be able to forge its end.
_HEADER = struct.Struct(">cI")


class Kind(StrEnum):
    """The kinds of frames, by the letter they start with."""

    started = "S"
    stdout = "O"
    stderr = "E"
    ended = "X"
    gone = "G"
    never = "N"


@dataclass(frozen=True)
class Frame:
    """One thing the follower said."""

    kind: Kind
    data: bytes = b""


@dataclass
class Decoder:
    """Cuts a stream into frames, whatever the pieces it arrives in."""

    _buffer: bytearray = field(default_factory=bytearray)

    def feed(self, data: bytes) -> Iterator[Frame]:
        """The frames that are complete now."""
        self._buffer += data
        while len(self._buffer) >= _HEADER.size:
            letter, size = _HEADER.unpack_from(self._buffer)
            end = _HEADER.size + size
            if len(self._buffer) < end:
                return
            yield Frame(Kind(letter.decode()), bytes(self._buffer[_HEADER.size : end]))
            del self._buffer[:end]


@dataclass(frozen=True, kw_only=True)
class Ended:
    """The last line of a command's spool."""

    outcome: Outcome
    exit_code: int | None
    out_of_memory: bool
    elapsed_seconds: float

    @classmethod
    def parse(cls, line: bytes) -> Ended:
        """From `OUTCOME EXIT_CODE|- OUT_OF_MEMORY SECONDS`, padded with spaces."""
        # The padding holds the line's room from the start, so that a full volume cannot prevent it.
        outcome, code, memory, seconds = line.decode().split()
        return cls(
            outcome=Outcome(outcome),
            exit_code=None if code == "-" else int(code),
            out_of_memory=memory == "1",
            elapsed_seconds=float(seconds),
        )
