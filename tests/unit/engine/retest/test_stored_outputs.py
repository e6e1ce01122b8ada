"""What `read_output` gives the agent of a kept output."""

from __future__ import annotations

import pytest

from engine.errors import NotFound
from engine.lifecycle import State
from engine.retest import PIECE_BYTES, StoredOutputs
from engine.sandbox.scripted import Answer as Does
from tests.unit.engine.retest.desk import desk, propose, say


async def test_a_long_output_is_read_in_pieces_that_cut_no_character() -> None:
    text = "x" * (PIECE_BYTES - 1) + "ß" * 10
    async with desk([propose("long"), say("Read.")]) as d:
        d.answers["long"] = Does(stdout=text.encode())
        await d.message("go")
        await d.approve()
        await d.until_state(State.awaiting_operator)
        read = StoredOutputs(d.db, d.outputs)
        command = await d.command()
        first = await read(d.session_id, command.id, 0)
        assert first.next_offset is not None
        second = await read(d.session_id, command.id, first.next_offset)

        assert first.text + second.text == text
        assert second.next_offset is None


async def test_an_output_of_another_session_is_not_found() -> None:
    async with desk([propose("id"), say("Read.")]) as d:
        await d.message("go")
        await d.approve()
        await d.until_state(State.awaiting_operator)
        command = await d.command()

        with pytest.raises(NotFound):
            await StoredOutputs(d.db, d.outputs)(d.session_id + 1, command.id, 0)
