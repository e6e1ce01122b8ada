"""What a turn's output does (design: the second table)."""

from __future__ import annotations

from engine.agent.port import NotRun
from engine.errors import ModelError
from engine.lifecycle import Input, State
from engine.sandbox.scripted import Answer as Does
from engine.views import CommandState
from tests.unit.engine.retest.desk import CONTROL, REPLAY, desk, determine, propose, say


async def test_guided_runs_one_command_and_turns_the_next_into_advice() -> None:
    async with desk([propose("id"), propose("whoami", "call-2"), say("As you say.")]) as d:
        await d.message("go")
        await d.approve()
        view = await d.until_state(State.awaiting_operator)

        assert view.waiting is None
        advice = (await d.events("command_advised"))[0]
        assert (advice.ran, advice.command) == ("id", "whoami")
        await d.message("go ahead")
        await d.until(lambda v: v.state is State.awaiting_operator and len(d.agent.requests) == 3)
        told = d.agent.requests[2].answered
        assert isinstance(told, NotRun)
        assert (told.tool_call_id, told.kind) == ("call-2", "advice")
        assert d.executed == ["id"]


async def test_the_gate_opens_again_in_the_next_operator_turn() -> None:
    async with desk([propose("id"), propose("whoami"), propose("whoami")]) as d:
        await d.message("go")
        await d.approve()
        await d.until_state(State.awaiting_operator)
        await d.message("go ahead")
        view = await d.until_state(State.awaiting_command)

        assert view.waiting is not None
        assert view.waiting.text == "whoami"


async def test_guided_a_determination_is_only_a_recommendation() -> None:
    async with desk([propose(REPLAY), determine("still_open", evidence=(1,))]) as d:
        d.answers[REPLAY] = Does(stdout=b"HTTP/1.1 500\r\n\r\nSQL syntax error")
        await d.message("go")
        await d.approve()
        view = await d.until_state(State.awaiting_operator)

        assert view.verdict is None
        recommended = (await d.events("determination_recommended"))[0]
        assert (recommended.status, recommended.evidence, recommended.missing) == ("still_open", (1,), ())


async def test_inconclusive_is_never_a_verdict_of_the_agent() -> None:
    async with desk([determine("inconclusive")]) as d:
        await d.ask(Input.auto_on)
        await d.message("go")
        view = await d.until_state(State.awaiting_operator)

        assert view.verdict is None
        assert (await d.events("agent_said"))[0].text == "as seen"


async def test_auto_run_chains_and_concludes_with_exhibits() -> None:
    script = [propose(CONTROL), propose(REPLAY), determine("fixed", evidence=(2,), control=(1,))]
    async with desk(script) as d:
        d.answers[CONTROL] = Does(stdout=b"HTTP/1.1 200 OK\r\n\r\nwelcome")
        d.answers[REPLAY] = Does(stdout=b"HTTP/1.1 200 OK\r\n\r\nno results")
        await d.ask(Input.auto_on)
        await d.message("go")
        view = await d.until_state(State.concluded)

        assert d.executed == [CONTROL, REPLAY]
        assert view.verdict is not None
        assert (view.verdict.status, view.verdict.by, view.verdict.reason) == (
            "fixed",
            "agent",
            "agent_conclusion",
        )
        assert {exhibit.command_id for exhibit in view.verdict.exhibits} == {1, 2}
        assert all(event.auto for event in await d.events("command_approved"))
        await d.until_event("sandbox_removed")
        assert await d.sandboxes.list() == ()


async def test_auto_run_fixed_without_a_control_is_a_hand_back_that_says_what_is_missing() -> None:
    async with desk([propose(REPLAY), determine("fixed", evidence=(1,)), say("I see.")]) as d:
        await d.ask(Input.auto_on)
        await d.message("go")
        view = await d.until_state(State.awaiting_operator)

        assert view.verdict is None
        assert (await d.events("determination_recommended"))[0].missing
        await d.message("go on")
        await d.until(lambda v: v.state is State.awaiting_operator and len(d.agent.requests) == 3)
        assert any("not recorded" in notice for notice in d.agent.requests[2].notices)


async def test_auto_run_sets_a_determination_aside_when_messages_came_in() -> None:
    async with desk([determine("still_open"), say("Reading.")]) as d:
        await d.ask(Input.auto_on)
        d.agent.hang()
        await d.message("go")
        await d.agent.entered.wait()
        await d.message("hold on")
        d.agent.release()
        view = await d.until_state(State.awaiting_operator)

        assert view.verdict is None
        assert len(await d.events("determination_set_aside")) == 1
        assert d.agent.requests[1].messages == ("hold on",)


async def test_a_failed_model_call_parks_and_loses_no_message() -> None:
    async with desk([ModelError("The model is away."), say("Back.")]) as d:
        await d.message("go")
        view = await d.until_state(State.awaiting_operator)
        assert view.situation.sandbox
        assert (await d.events("turn_failed"))[0].sentence == "The model is away."

        await d.message("again")
        await d.until(lambda v: v.state is State.awaiting_operator and len(d.agent.requests) == 2)
        assert d.agent.requests[1].messages == ("go", "again")


async def test_retry_turn_runs_the_same_turn_again_and_no_command() -> None:
    async with desk([say("One."), say("Two.")]) as d:
        d.agent.hang()
        await d.message("go")
        await d.agent.entered.wait()
        d.agent.entered.clear()
        answer = await d.ask(Input.retry_turn)
        await d.agent.entered.wait()
        d.agent.release()
        await d.until_state(State.awaiting_operator)

        assert answer.done
        assert [request.messages for request in d.agent.requests] == [("go",), ("go",)]
        assert len(await d.events("agent_said")) == 1


async def test_prose_on_the_way_is_shown_before_the_hand_back() -> None:
    async with desk([propose("id")]) as d:
        await d.message("go")
        waiting = await d.waiting()
        assert waiting.state is CommandState.proposed
        assert (await d.kinds())[-2:] == ["command_proposed", "state_changed"]
