"""Database and sandboxes are brought together: at the start, later, and after an outage of the engine."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from engine.agent.scripted import ScriptedAgent
from engine.errors import EngineUnavailable
from engine.lifecycle import Input, State
from engine.means import Patience
from engine.retest import Retests
from engine.sandbox.scripted import Answer as Does
from engine.scope import Pinned
from engine.views import CommandState
from tests.unit.engine.retest.desk import Desk, desk, propose, say


async def rested(d: Desk) -> None:
    """A session that waits for its operator, with a sandbox."""
    await d.message("go")
    await d.until_state(State.awaiting_operator)


class Clock:
    """Sleeps until a test lets it go on."""

    def __init__(self) -> None:
        self.asleep = asyncio.Event()
        self._wake = asyncio.Event()

    async def sleep(self, _seconds: float) -> None:
        self.asleep.set()
        await self._wake.wait()
        self._wake.clear()

    def wake(self) -> None:
        self.asleep.clear()
        self._wake.set()


@pytest.fixture
async def rested_desk() -> AsyncIterator[Desk]:
    async with desk([say("Hi."), say("Again.")]) as d:
        await rested(d)
        yield d


async def test_a_session_whose_sandbox_is_gone_is_told_and_gets_another_with_the_next_message(
    rested_desk: Desk,
) -> None:
    d = rested_desk
    d.sandboxes.lose(d.session_id)
    await d.reborn(ScriptedAgent([say("Again.")]))
    failed = await d.until_event("sandbox_failed")
    assert failed.error == "SandboxLost"
    view = await d.session()
    assert (view.state, view.situation.sandbox) == (State.awaiting_operator, False)

    await d.message("go on")
    await d.until(lambda v: v.state is State.awaiting_operator and len(d.agent.requests) == 1)
    assert d.sandboxes.created == 2
    assert d.agent.requests[0].fresh_sandbox


async def test_the_same_is_found_while_it_serves(rested_desk: Desk) -> None:
    d = rested_desk
    await d.retests.reconcile()
    assert await d.events("sandbox_failed") == []
    d.sandboxes.lose(d.session_id)
    await d.retests.reconcile()
    await d.until_event("sandbox_failed")
    await d.retests.reconcile()
    await d.until_event("sandbox_removed")
    assert await d.sandboxes.list() == ()
    assert len(await d.events("sandbox_failed")) == 1


async def test_a_command_that_was_claimed_in_a_sandbox_that_is_gone_is_unknown() -> None:
    async with desk([propose("sleep")]) as d:
        d.answers["sleep"] = Does(hang=True)
        await d.message("go")
        waiting = await d.waiting()
        await d.approve()
        await d.sandboxes.until_running(waiting.id)
        await d.retests.close()
        d.sandboxes.lose(d.session_id)
        await d.reborn(ScriptedAgent([say("I see.")]))
        await d.until_state(State.awaiting_operator)

        assert (await d.command()).state is CommandState.unknown
        assert not (await d.session()).situation.sandbox
        assert d.executed == ["sleep"]


async def test_what_is_left_of_a_session_that_is_over_is_removed_and_told(rested_desk: Desk) -> None:
    d = rested_desk
    await d.ask(Input.end)
    await d.until_event("sandbox_removed")
    await d.sandboxes.create(d.session_id, Pinned(pins=()))
    await d.reborn()

    assert (await d.until_event("sandbox_removed", 2)).left_over
    assert await d.sandboxes.list() == ()


async def test_a_sandbox_of_a_session_that_nobody_knows_is_removed(rested_desk: Desk) -> None:
    d = rested_desk
    await d.sandboxes.create(77, Pinned(pins=()))
    removed, remove = asyncio.Event(), d.sandboxes.remove

    async def watched(session_id: int) -> None:
        await remove(session_id)
        removed.set()

    d.sandboxes.remove = watched  # type: ignore[method-assign]
    await d.retests.reconcile()
    await asyncio.wait_for(removed.wait(), 5)
    assert [one.session_id for one in await d.sandboxes.list()] == [d.session_id]


async def test_a_sandbox_that_is_just_being_built_is_left_alone() -> None:
    async with desk([say("Hi.")]) as d:
        building, go_on = asyncio.Event(), asyncio.Event()
        create = d.sandboxes.create

        async def slow(session_id: int, pinned: Pinned) -> object:
            handle = await create(session_id, pinned)
            building.set()
            await go_on.wait()
            return handle

        d.sandboxes.create = slow  # type: ignore[method-assign, assignment]
        await d.message("go")
        await building.wait()
        await d.retests.reconcile()
        go_on.set()
        await d.until_state(State.awaiting_operator)
        assert len(await d.sandboxes.list()) == 1
        assert (await d.session()).situation.sandbox


async def test_without_an_engine_it_starts_and_goes_on_when_it_is_back() -> None:
    async with desk([propose("sleep"), say("Done.")]) as d:
        d.answers["sleep"] = Does(stdout=b"zzz", hang=True)
        await d.message("go")
        waiting = await d.waiting()
        await d.approve()
        await d.sandboxes.until_running(waiting.id)
        await d.retests.close()
        d.sandboxes.go_away()
        clock = Clock()
        d.retests = Retests(
            db=d.db,
            outputs=d.outputs,
            sandboxes=d.sandboxes,
            agent=d.agent,
            patience=Patience(sleep=clock.sleep),
        )
        await d.retests.start()
        with pytest.raises(EngineUnavailable):
            await d.retests.reconcile()
        assert (await d.message("what now?")).done
        for _ in range(3):
            await clock.asleep.wait()
            clock.wake()
        assert (await d.session()).state is State.working
        d.sandboxes.come_back()
        await clock.asleep.wait()
        clock.wake()
        d.sandboxes.release(waiting.id)
        await d.until_state(State.awaiting_operator)

        assert d.executed == ["sleep"]
        assert (await d.command()).state is CommandState.finished


async def test_at_rest_what_is_asked_is_kept_for_the_next_start() -> None:
    async with desk([say("Hi.")]) as d:
        d.retests.rest()
        assert (await d.message("go")).done
        assert (await d.session()).state is State.working
        assert d.sandboxes.created == 0
        await d.reborn()
        await d.until_state(State.awaiting_operator)
        assert d.agent.requests[0].messages == ("go",)


async def test_at_rest_no_turn_and_no_command_begins() -> None:
    async with desk([propose("id"), say("Done.")]) as d:
        await d.message("go")
        waiting = await d.waiting()
        d.retests.rest()
        await d.ask(Input.approve, command_id=waiting.id)
        assert d.executed == []
        await d.reborn()
        await d.until_state(State.awaiting_operator)
        assert d.executed == ["id"]
