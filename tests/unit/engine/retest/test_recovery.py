"""A clean stop and start in every state goes on where it was; failures of the sandbox park."""

from __future__ import annotations

from engine.agent.port import NotRun, Ran
from engine.agent.scripted import ScriptedAgent
from engine.errors import CommandNotStarted, EngineUnavailable, LockNotProven
from engine.lifecycle import Input, State
from engine.sandbox.scripted import Answer as Does
from engine.views import CommandState
from tests.unit.engine.retest.desk import desk, propose, say


async def test_a_turn_in_flight_is_taken_again_with_its_messages() -> None:
    async with desk([say("never")]) as d:
        d.agent.hang()
        await d.message("go")
        await d.agent.entered.wait()
        await d.reborn(ScriptedAgent([say("Hello.")]))
        await d.until_state(State.awaiting_operator)

        assert d.agent.requests[0].messages == ("go",)
        assert [e.text for e in await d.events("agent_said")] == ["Hello."]


async def test_a_waiting_proposal_can_be_approved_after_a_restart() -> None:
    async with desk([propose("id", "call-9")]) as d:
        await d.message("go")
        waiting = await d.waiting()
        await d.reborn(ScriptedAgent([say("Done.")]))
        await d.ask(Input.approve, command_id=waiting.id)
        await d.until_state(State.awaiting_operator)

        assert d.executed == ["id"]
        told = d.agent.requests[0].answered
        assert isinstance(told, Ran)
        assert told.tool_call_id == "call-9"


async def test_a_running_command_is_found_again_and_not_run_twice() -> None:
    async with desk([propose("sleep")]) as d:
        d.answers["sleep"] = Does(stdout=b"zzz", hang=True)
        await d.message("go")
        waiting = await d.waiting()
        await d.approve()
        await d.sandboxes.until_running(waiting.id)
        await d.reborn(ScriptedAgent([say("Done.")]))
        d.sandboxes.release(waiting.id)
        await d.until_state(State.awaiting_operator)

        assert d.executed == ["sleep"]
        ended = await d.command()
        assert ended.state is CommandState.finished
        assert await d.retests.output(ended.stdout_sha256 or "") == b"zzz"


async def test_stopped_and_handed_back_sessions_stay_as_they_were() -> None:
    async with desk([propose("id")]) as d:
        await d.message("go")
        await d.waiting()
        await d.ask(Input.stop)
        before = await d.session()
        await d.reborn()

        assert await d.session() == before


async def test_a_sandbox_of_a_session_that_is_over_is_reaped_at_start() -> None:
    async with desk([say("Hi.")]) as d:
        await d.message("go")
        await d.until_state(State.awaiting_operator)
        await d.ask(Input.end)
        await d.reborn()
        await d.until_event("sandbox_removed")

        assert await d.sandboxes.list() == ()


async def test_a_sandbox_that_cannot_be_built_parks_and_the_next_message_tries_again() -> None:
    async with desk([say("Hi.")]) as d:
        d.sandboxes.fail_create = EngineUnavailable()
        await d.message("go")
        view = await d.until_state(State.awaiting_operator)
        assert not view.situation.sandbox
        assert (await d.events("sandbox_failed"))[0].error == "EngineUnavailable"

        d.sandboxes.fail_create = None
        await d.message("try again")
        await d.until(lambda v: v.state is State.awaiting_operator and len(d.agent.requests) == 1)
        assert d.agent.requests[0].messages == ("go", "try again")


async def test_an_unresolvable_scope_fails_closed_with_a_sentence() -> None:
    async with desk([]) as d:
        d.sandboxes.names.clear()
        await d.message("go")
        await d.until_state(State.awaiting_operator)

        assert "shop.example.com" in (await d.events("sandbox_failed"))[0].sentence
        assert d.sandboxes.created == 0


async def test_a_sandbox_lost_under_a_command_leaves_its_outcome_unknown_and_is_built_anew() -> None:
    async with desk([propose("sleep"), say("I see.")]) as d:
        d.answers["sleep"] = Does(hang=True)
        await d.message("go")
        waiting = await d.waiting()
        await d.approve()
        await d.sandboxes.until_running(waiting.id)
        d.sandboxes.lose(d.session_id)
        view = await d.until_state(State.awaiting_operator)
        assert not view.situation.sandbox
        assert (await d.command()).state is CommandState.unknown
        assert (await d.events("command_failed"))[0].outcome == "unknown"

        await d.message("go on")
        await d.until(lambda v: v.state is State.awaiting_operator and len(d.agent.requests) == 2)
        assert d.sandboxes.created == 2
        assert d.agent.requests[1].fresh_sandbox
        assert isinstance(d.agent.requests[1].answered, NotRun)
        assert d.executed == ["sleep"]


async def test_a_lock_that_is_not_proven_runs_nothing() -> None:
    async with desk([propose("id"), say("I see.")]) as d:
        d.sandboxes.fail_run = LockNotProven()
        await d.message("go")
        await d.approve()
        await d.until_state(State.awaiting_operator)

        assert d.executed == []
        assert (await d.command()).state is CommandState.failed
        assert (await d.events("command_failed"))[0].outcome == "not_started"


async def test_an_operators_command_that_fails_leaves_an_event() -> None:
    async with desk([say("Hi.")]) as d:
        await d.message("go")
        await d.until_state(State.awaiting_operator)
        d.sandboxes.fail_run = CommandNotStarted()
        await d.ask(Input.operator_command, text="id")
        failed = await d.until_event("command_failed")

        assert failed.outcome == "not_started"
        assert (await d.session()).state is State.awaiting_operator
