"""Stop, Resume, Kill and the operator's own commands."""

from __future__ import annotations

import pytest

from engine.agent.port import Ran
from engine.lifecycle import Input, State
from engine.sandbox.scripted import Answer as Does
from engine.views import CommandState
from tests.unit.engine.retest.desk import ALICE, desk, determine, propose, say


async def test_stop_during_a_command_lets_it_finish_and_parks_in_stopped() -> None:
    async with desk([propose("sleep"), say("Slept.")]) as d:
        d.answers["sleep"] = Does(stdout=b"zzz", hang=True)
        await d.message("go")
        waiting = await d.waiting()
        await d.approve()
        await d.sandboxes.until_running(waiting.id)
        answer = await d.ask(Input.stop)
        assert (await d.session()).state is State.working
        d.sandboxes.release(waiting.id)
        view = await d.until_state(State.stopped)

        assert "finishes" in answer.sentence
        assert view.situation.sandbox
        assert len(d.agent.requests) == 1
        assert (await d.command()).state is CommandState.finished
        await d.message("go on")
        await d.until_state(State.awaiting_operator)
        assert isinstance(d.agent.requests[1].answered, Ran)


async def test_stop_during_a_turn_holds_its_proposal_and_a_message_reopens_the_gate() -> None:
    async with desk([propose("id"), say("Done.")]) as d:
        d.agent.hang()
        await d.message("go")
        await d.agent.entered.wait()
        await d.ask(Input.stop)
        d.agent.release()
        view = await d.until_state(State.stopped)
        assert view.waiting is not None
        assert view.waiting.state is CommandState.held

        answer = await d.message("what was that?")
        assert answer.session.state is State.awaiting_command
        await d.approve()
        await d.until_state(State.awaiting_operator)
        assert d.executed == ["id"]
        assert d.agent.requests[1].messages == ("what was that?",)


async def test_stop_during_a_turn_makes_a_determination_a_recommendation() -> None:
    async with desk([determine("still_open")]) as d:
        await d.ask(Input.auto_on)
        d.agent.hang()
        await d.message("go")
        await d.agent.entered.wait()
        await d.ask(Input.stop)
        d.agent.release()
        view = await d.until_state(State.stopped)

        assert view.verdict is None
        assert not view.situation.auto_run
        assert len(await d.events("determination_recommended")) == 1


async def test_stop_at_the_gate_holds_and_resume_opens_it_again() -> None:
    async with desk([propose("id")]) as d:
        await d.message("go")
        waiting = await d.waiting()
        await d.ask(Input.stop)
        assert (await d.session()).state is State.stopped
        answer = await d.ask(Input.resume)

        assert answer.session.state is State.awaiting_command
        assert answer.session.waiting is not None
        assert answer.session.waiting.id == waiting.id


async def test_a_stopped_session_without_a_proposal_resumes_with_the_message() -> None:
    async with desk([say("One."), say("Two.")]) as d:
        await d.message("go")
        await d.until_state(State.awaiting_operator)
        await d.ask(Input.stop)
        await d.message("and now")
        await d.until_state(State.awaiting_operator)

        assert d.agent.requests[1].messages == ("and now",)


async def test_kill_ends_the_running_command_and_the_turn_goes_on() -> None:
    async with desk([propose("sleep"), say("Killed, I see.")]) as d:
        d.answers["sleep"] = Does(hang=True)
        await d.message("go")
        waiting = await d.waiting()
        await d.approve()
        await d.sandboxes.until_running(waiting.id)
        await d.ask(Input.kill)
        await d.until_state(State.awaiting_operator)

        assert (await d.command()).state is CommandState.killed
        told = d.agent.requests[1].answered
        assert isinstance(told, Ran)
        assert (told.outcome, told.exit_code) == ("killed", None)


async def test_a_command_at_its_time_limit_is_told_as_such() -> None:
    async with desk([propose("sleep"), say("Slow.")]) as d:
        d.answers["sleep"] = Does(hang=True)
        await d.message("go")
        waiting = await d.waiting()
        await d.approve()
        await d.sandboxes.until_running(waiting.id)
        d.sandboxes.time_out(waiting.id)
        await d.until_state(State.awaiting_operator)

        assert (await d.command()).state is CommandState.timed_out
        assert (await d.events("command_ended"))[0].outcome == "timed_out"


async def test_an_operators_command_runs_ungated_and_reaches_the_agent_with_its_next_turn() -> None:
    async with desk([say("Ready."), say("I see it.")]) as d:
        d.answers["uname"] = Does(stdout=b"Linux")
        await d.message("go")
        await d.until_state(State.awaiting_operator)
        answer = await d.ask(Input.operator_command, text="uname")
        await d.until_event("command_ended")

        assert answer.done
        assert (await d.command()).decided_by == ALICE
        assert (await d.session()).state is State.awaiting_operator
        assert len(d.agent.requests) == 1
        await d.message("what do you make of it?")
        await d.until(lambda v: v.state is State.awaiting_operator and len(d.agent.requests) == 2)
        seen = d.agent.requests[1].operator_commands
        assert [(one.command, one.stdout) for one in seen] == [("uname", "Linux")]


async def test_an_operators_command_waits_for_the_agents() -> None:
    async with desk([propose("sleep"), say("Done.")]) as d:
        d.answers["sleep"] = Does(hang=True)
        await d.message("go")
        waiting = await d.waiting()
        await d.approve()
        await d.sandboxes.until_running(waiting.id)
        await d.ask(Input.operator_command, text="uname")
        assert d.executed == ["sleep"]
        d.sandboxes.release(waiting.id)
        await d.until_event("command_ended", 2)

        assert d.executed == ["sleep", "uname"]


async def test_an_operators_command_needs_a_sandbox() -> None:
    async with desk([]) as d:
        answer = await d.ask(Input.operator_command, text="id")

        assert not answer.done
        assert "no sandbox" in answer.sentence


@pytest.mark.parametrize(
    ("given", "part"),
    [
        (Input.approve, "No command is waiting"),
        (Input.kill, "No command is running"),
        (Input.retry_turn, "No model call"),
        (Input.resume, "only possible while stopped"),
        (Input.carry_on, "only possible after the agent has handed back"),
        (Input.auto_off, "already off"),
        (Input.reopen, "only possible once concluded"),
        (Input.conclude, "Say which verdict"),
        (Input.conclude_again, "only possible once concluded"),
    ],
)
async def test_what_is_not_possible_is_refused_with_the_reason(given: Input, part: str) -> None:
    async with desk([]) as d:
        answer = await d.ask(given)

        assert not answer.done
        assert part in answer.sentence
        assert (await d.session()).state is State.idle
