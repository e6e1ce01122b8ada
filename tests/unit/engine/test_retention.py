"""Outputs past their date go; evidence, live sessions and transcripts stay, and everybody is told why."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from freezegun import freeze_time

from engine.errors import StoreError
from engine.lifecycle import Input, State
from engine.retention import drop_outputs
from engine.retest import StoredOutputs
from engine.sandbox.scripted import Answer as Does
from engine.store import dropped
from engine.store.errors import OutputDropped, OutputMissing
from engine.verify import verify_all
from tests.unit.engine.retest.desk import Desk, desk, propose, say

KEEP = timedelta(days=30)
LATER = datetime.now(UTC) + timedelta(days=31)
SENTENCE = (
    f"This output was dropped by retention on {LATER:%Y-%m-%d}; the transcript and its digest are kept."
)


async def two_commands(d: Desk, *, proof: str = "proof", other: str = "other") -> tuple[int, int]:
    """The agent's command and one of the operator's own; the session waits."""
    d.answers |= {"first": Does(stdout=proof.encode()), "second": Does(stdout=other.encode())}
    await d.message("go")
    await d.approve()
    await d.until_state(State.awaiting_operator)
    await d.ask(Input.operator_command, text="second")
    await d.until_event("command_ended", 2)
    return (await d.command(0)).id, (await d.command(1)).id


async def drop(d: Desk) -> int:
    with freeze_time(LATER, real_asyncio=True):
        return await drop_outputs(d.db, d.outputs, KEEP)


async def read(d: Desk, number: int) -> bytes:
    return await d.retests.output((await d.command(number)).stdout_sha256 or "")


async def test_what_no_verdict_rests_on_goes_and_says_so_wherever_it_is_read() -> None:
    async with desk([propose("first"), say("Done.")]) as d:
        proof, other = await two_commands(d)
        await d.ask(Input.conclude, status="fixed", text="gone", exhibits=(proof,))

        assert await drop(d) == 1
        assert await read(d, 0) == b"proof"
        with pytest.raises(OutputDropped) as told:
            await read(d, 1)
        assert told.value.sentence == SENTENCE
        with pytest.raises(OutputDropped):
            await StoredOutputs(d.db, d.outputs)(d.session_id, other, 0)
        report = await verify_all(d.db, d.outputs)
        assert report.intact
        assert report.dropped == (
            f"R-{d.session_id}: the output of C-{other} was dropped by retention on {LATER:%Y-%m-%d}.",
        )
        assert len(await d.events("command_ended")) == 2


async def test_a_verdict_that_was_withdrawn_keeps_its_proof() -> None:
    async with desk([propose("first"), say("Done.")]) as d:
        proof, _ = await two_commands(d)
        await d.ask(Input.conclude, status="fixed", text="gone", exhibits=(proof,))
        await d.ask(Input.reopen)
        await d.until_event("sandbox_removed")
        await d.ask(Input.end)

        await drop(d)
        assert await read(d, 0) == b"proof"


async def test_nothing_goes_before_its_date_and_nothing_of_a_session_that_lives() -> None:
    async with desk([propose("first"), say("Done.")]) as d:
        await two_commands(d)
        assert await drop(d) == 0
        await d.ask(Input.end)
        assert await drop_outputs(d.db, d.outputs, KEEP) == 0
        assert await read(d, 1) == b"other"
        assert await drop(d) == 3
        assert await drop(d) == 0


async def test_the_same_bytes_stay_while_anything_needs_them() -> None:
    async with desk([propose("first"), say("Done.")]) as d:
        proof, _ = await two_commands(d, proof="same", other="same")
        await d.ask(Input.conclude, status="fixed", text="gone", exhibits=(proof,))

        assert await drop(d) == 0
        assert await read(d, 1) == b"same"


async def test_bytes_that_were_just_kept_again_are_not_dropped() -> None:
    async with desk([propose("first"), say("Done.")]) as d:
        await two_commands(d)
        await d.ask(Input.end)
        with freeze_time(LATER, real_asyncio=True):
            await d.outputs.put(b"other")
            await drop_outputs(d.db, d.outputs, KEEP)
        assert await read(d, 1) == b"other"


async def test_a_run_that_died_before_the_bytes_went_is_finished_by_the_next() -> None:
    async with desk([propose("first"), say("Done.")]) as d:
        await two_commands(d)
        await d.ask(Input.end)
        async with d.db.begin() as tx:
            await dropped.mark(tx, await dropped.droppable(tx, LATER), LATER)

        assert await read(d, 1) == b"other"
        assert await drop(d) == 3
        with pytest.raises(OutputDropped):
            await read(d, 1)


async def test_a_mark_does_not_excuse_what_is_evidence_or_came_after_it() -> None:
    async with desk([propose("first"), say("Done.")]) as d:
        proof, other = await two_commands(d)
        await d.ask(Input.conclude, status="fixed", text="gone", exhibits=(proof,))
        digests = [(await d.command(number)).stdout_sha256 or "" for number in (0, 1)]
        async with d.db.begin() as tx:
            await dropped.mark(tx, digests[:1], LATER)
            await dropped.mark(tx, digests[1:], datetime(2001, 1, 1, tzinfo=UTC))
        for digest in digests:
            assert await d.outputs.drop(digest, LATER)

        found = [problem.what for problem in (await verify_all(d.db, d.outputs)).problems]
        assert found == [f"The output of C-{proof} is gone.", f"The output of C-{other} is gone."]


async def test_an_output_that_nobody_dropped_is_missing() -> None:
    async with desk([]) as d:
        with pytest.raises(OutputMissing) as told:
            await d.retests.output("0" * 64)
        assert not isinstance(told.value, OutputDropped)
        assert isinstance(told.value, StoreError)
