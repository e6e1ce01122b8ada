"""A command whose outcome nobody knows: a person has it run again or says that it did not run."""

from __future__ import annotations

import asyncio

import pytest

from engine.agent.port import NotRun, Ran
from engine.errors import EngineUnavailable
from engine.lifecycle import Input, State
from engine.sandbox.scripted import Answer as Does
from engine.verify import verify_session
from engine.views import CommandState, CommandView
from tests.unit.engine.retest.desk import ALICE, Desk, desk, propose, say


async def lost(d: Desk) -> CommandView:
    """The session, parked after its sandbox died under a command."""
    d.answers["dig"] = Does(hang=True)
    await d.message("go")
    waiting = await d.waiting()
    await d.approve()
    await d.sandboxes.until_running(waiting.id)
    d.sandboxes.lose(d.session_id)
    await d.until_state(State.awaiting_operator)
    d.answers["dig"] = Does(stdout=b"dug")
    return await d.command()


async def test_run_again_is_a_command_of_its_own_in_a_new_sandbox_and_answers_the_agent() -> None:
    async with desk([propose("dig", "call-1"), say("I see.")]) as d:
        old = await lost(d)
        answer = await d.ask(Input.run_again, command_id=old.id)
        assert answer.sentence == "A new sandbox is being built; the command runs in it then."
        await d.until(lambda v: v.state is State.awaiting_operator and len(d.agent.requests) == 2)

        before, fresh = await d.retests.commands(d.session_id)
        assert (before.state, before.resolved_by, before.reason) == (
            CommandState.repeated,
            ALICE,
            f"It was run again as C-{fresh.id}.",
        )
        assert (fresh.text, fresh.timeout_seconds, fresh.digest) == (
            old.text,
            old.timeout_seconds,
            old.digest,
        )
        assert (fresh.repeats, fresh.decided_by, fresh.state) == (old.id, ALICE, CommandState.finished)
        assert d.executed == ["dig", "dig"]
        told = d.agent.requests[1]
        assert isinstance(told.answered, Ran)
        assert (told.answered.tool_call_id, told.answered.command_id) == ("call-1", fresh.id)
        assert any(f"run again as C-{fresh.id}" in notice for notice in told.notices)
        assert (await verify_session(d.db, d.outputs, d.session_id)).problems == ()


async def test_run_again_after_the_agent_went_on_is_told_beside_what_is_pending() -> None:
    async with desk([propose("dig", "call-1"), say("Hm."), say("I see.")]) as d:
        old = await lost(d)
        await d.message("go on without")
        await d.until(lambda v: v.state is State.awaiting_operator and len(d.agent.requests) == 2)
        assert isinstance(d.agent.requests[1].answered, NotRun)
        await d.ask(Input.run_again, command_id=old.id)
        await d.until(lambda v: v.state is State.awaiting_operator and len(d.agent.requests) == 3)

        told = d.agent.requests[2]
        assert told.answered is None
        assert [(one.command, one.stdout) for one in told.operator_commands] == [("dig", "dug")]


async def test_marked_as_not_run_is_final_and_told_to_the_agent() -> None:
    async with desk([propose("dig"), say("I see.")]) as d:
        old = await lost(d)
        await d.ask(Input.mark_not_run, command_id=old.id)
        marked = await d.command()
        assert (marked.state, marked.resolved_by) == (CommandState.not_run, ALICE)
        assert (await d.session()).state is State.awaiting_operator
        assert [one.command_id for one in await d.events("command_marked_not_run")] == [old.id]

        late = await d.ask(Input.run_again, command_id=old.id)
        assert (late.done, late.sentence) == (False, f"C-{old.id} was marked as not run.")
        await d.message("go on")
        await d.until(lambda v: v.state is State.awaiting_operator and len(d.agent.requests) == 2)
        told = d.agent.requests[1].answered
        assert isinstance(told, NotRun)
        assert "the operator says that it did not run" in told.reason
        assert d.executed == ["dig"]


async def test_it_stays_unknown_over_restarts_and_auto_run_until_a_person_decides() -> None:
    async with desk([propose("dig"), say("I see.")]) as d:
        old = await lost(d)
        await d.ask(Input.auto_on)
        await d.reborn()
        assert (await d.command()).state is CommandState.unknown
        assert (await d.ask(Input.run_again, command_id=old.id)).done
        await d.until(lambda v: len(d.agent.requests) == 2 and v.state is State.awaiting_operator)

        again = await d.ask(Input.run_again, command_id=old.id)
        assert (again.done, again.sentence) == (False, f"C-{old.id} was run again as a command of its own.")
        assert d.executed == ["dig", "dig"]


async def test_one_whose_new_sandbox_cannot_be_built_did_not_start() -> None:
    async with desk([propose("dig"), say("I see.")]) as d:
        old = await lost(d)
        d.sandboxes.fail_create = EngineUnavailable()
        await d.ask(Input.run_again, command_id=old.id)
        await d.until_state(State.awaiting_operator)
        assert (await d.command()).state is CommandState.failed
        assert not (await d.ask(Input.run_again, command_id=old.id)).done
        assert d.executed == ["dig"]


async def test_only_an_unknown_command_of_the_session_at_rest_can_be_run_again() -> None:
    async with desk([propose("dig")]) as d:
        await d.message("go")
        waiting = await d.waiting()
        for given in (Input.run_again, Input.mark_not_run):
            assert not (await d.ask(given, command_id=waiting.id)).done
            assert (await d.ask(given)).sentence == "Say which command."


async def test_an_operators_own_command_is_run_again_as_their_own() -> None:
    async with desk([say("Hi."), say("Back.")]) as d:
        await d.message("go")
        await d.until_state(State.awaiting_operator)
        d.answers["dig"] = Does(hang=True)
        await d.ask(Input.operator_command, text="dig")
        await d.sandboxes.until_running((await d.command()).id)
        d.sandboxes.lose(d.session_id)
        await d.until_event("command_failed")
        old = await d.command()
        assert not (await d.ask(Input.run_again, command_id=old.id)).done

        d.answers["dig"] = Does(stdout=b"dug")
        await d.message("again, please")
        await d.until(lambda v: v.state is State.awaiting_operator and len(d.agent.requests) == 2)
        await d.ask(Input.run_again, command_id=old.id)
        await d.until_event("command_ended")
        before, fresh = await d.retests.commands(d.session_id)
        assert (before.state, fresh.origin, fresh.repeats) == (CommandState.repeated, "operator", old.id)
        assert len(d.agent.requests) == 2


async def test_one_that_waits_for_its_new_sandbox_runs_once_after_a_restart(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with desk([propose("dig"), say("I see.")]) as d:
        old = await lost(d)
        building = asyncio.Event()

        async def build(*_: object) -> None:
            building.set()
            await asyncio.Event().wait()

        with monkeypatch.context() as slow:
            slow.setattr(d.sandboxes, "create", build)
            await d.ask(Input.run_again, command_id=old.id)
            await building.wait()
            await d.retests.close()
        await d.reborn()
        await d.until(lambda v: v.state is State.awaiting_operator and len(d.agent.requests) == 2)
        assert d.executed == ["dig", "dig"]
