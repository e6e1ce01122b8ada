"""The conductor with the real agent on a scripted model: each call in the history gets its answer."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import pytest
from pydantic_ai.messages import (
    ModelMessage,
    ModelResponse,
    RetryPromptPart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
)

from engine.agent.port import OutputPiece
from engine.agent.pydantic_agent import PydanticAgent
from engine.agent.scripted_model import Reply, ScriptedModel
from engine.errors import NotFound
from engine.lifecycle import Input, State
from engine.sandbox.scripted import Answer as Does
from tests.unit.engine.retest.desk import Desk, desk


async def no_output(session_id: int, command_id: int, offset: int) -> OutputPiece:
    raise NotFound


def call(command: str, call_id: str) -> ToolCallPart:
    args = {"command": command, "rationale": "to see"}
    return ToolCallPart(tool_name="run_command", args=args, tool_call_id=call_id)


def thinking(*replies: Reply) -> tuple[PydanticAgent, ScriptedModel]:
    model = ScriptedModel(replies=replies)
    return PydanticAgent(source=model, read_output=no_output), model


def answered(messages: Sequence[ModelMessage]) -> dict[str, str]:
    """What each call was answered; every call but those of the last response must be."""
    said: dict[str, str] = {}
    for message, after in pairwise(messages):
        if not isinstance(message, ModelResponse):
            continue
        calls = {part.tool_call_id for part in message.parts if isinstance(part, ToolCallPart)}
        replies = [part for part in after.parts if isinstance(part, ToolReturnPart | RetryPromptPart)]
        assert calls <= {part.tool_call_id for part in replies}
        said |= {part.tool_call_id: str(part.content) for part in replies}
    return said


async def rests(d: Desk, model: ScriptedModel, calls: int, state: State) -> None:
    await d.until(lambda view: view.state is state and len(model.sent) == calls)


async def test_a_guided_retest_answers_results_rejections_and_advice() -> None:
    agent, model = thinking(
        call("ls", "c1"),
        call("id", "c2"),
        call("whoami", "c3"),
        [TextPart("Again:"), call("whoami", "c4")],
        "Done.",
    )
    async with desk([], real=agent) as d:
        d.answers["id"] = Does(stdout=b"uid=0")
        await d.message("go")
        await d.ask(Input.reject, command_id=(await d.waiting()).id, text="too broad")
        await d.until(lambda view: view.waiting is not None and view.waiting.text == "id")
        await d.approve()
        await rests(d, model, 3, State.awaiting_operator)
        await d.message("go ahead")
        await rests(d, model, 4, State.awaiting_command)
        await d.approve()
        await rests(d, model, 5, State.awaiting_operator)

        said = answered(model.sent[-1])
        assert "too broad" in said["c1"]
        assert "uid=0" in said["c2"]
        assert "advice" in said["c3"]
        assert "exit code 0" in said["c4"]
        assert d.executed == ["id", "whoami"]


@pytest.mark.parametrize("at", ["gate", "held", "running"])
async def test_a_call_open_at_conclude_is_answered_after_reopen(at: str) -> None:
    agent, model = thinking(call("sleep", "c1"), "Back.")
    async with desk([], real=agent) as d:
        d.answers["sleep"] = Does(hang=True)
        await d.message("go")
        waiting = await d.waiting()
        if at == "held":
            await d.ask(Input.stop)
        elif at == "running":
            await d.approve()
            await d.sandboxes.until_running(waiting.id)
        await d.ask(Input.conclude, status="fixed")
        await d.ask(Input.reopen)
        await d.message("again")
        await rests(d, model, 2, State.awaiting_operator)

        answer = answered(model.sent[-1])["c1"]
        assert (
            "killed by a person" if at == "running" else "the session ended before it was decided"
        ) in answer


async def test_a_call_open_when_the_process_stops_is_answered_by_the_next_one() -> None:
    agent, model = thinking(call("id", "c1"), "Done.")
    async with desk([], real=agent) as d:
        await d.message("go")
        waiting = await d.waiting()
        await d.reborn(real=agent)
        await d.ask(Input.edit, command_id=waiting.id, text="id -u")
        await rests(d, model, 2, State.awaiting_operator)

        assert "id -u" in answered(model.sent[-1])["c1"]


async def test_a_turn_that_fails_after_a_result_gets_the_result_again() -> None:
    agent, model = thinking(call("id", "c1"), "Done.")
    async with desk([], real=agent) as d:
        d.answers["id"] = Does(stdout=b"uid=0")
        await d.message("go")
        await d.waiting()
        model.failures.append(RuntimeError("no answer"))
        await d.approve()
        await d.until_event("turn_failed")
        await d.message("go on")
        await rests(d, model, 3, State.awaiting_operator)

        assert "uid=0" in answered(model.sent[-1])["c1"]
        assert d.executed == ["id"]


async def test_a_call_set_aside_for_a_message_is_answered_as_such() -> None:
    agent, model = thinking(call("id", "c1"), "I read it.")
    async with desk([], real=agent) as d:
        await d.message("go")
        waiting = await d.waiting()
        await d.message("not that")
        await d.ask(Input.set_aside, command_id=waiting.id)
        await rests(d, model, 2, State.awaiting_operator)

        assert "set aside" in answered(model.sent[-1])["c1"]
        assert d.executed == []


async def test_a_sandbox_lost_under_a_command_is_told_in_the_answer_to_its_call() -> None:
    agent, model = thinking(call("sleep", "c1"), "I see.")
    async with desk([], real=agent) as d:
        d.answers["sleep"] = Does(hang=True)
        await d.message("go")
        waiting = await d.waiting()
        await d.ask(Input.operator_command, text="uname")
        await d.approve()
        await d.until(lambda view: any(one.id == waiting.id for one in view.running))
        d.sandboxes.lose(d.session_id)
        await d.until_state(State.awaiting_operator)
        await d.message("go on")
        await rests(d, model, 2, State.awaiting_operator)

        assert "nobody knows whether it ran" in answered(model.sent[-1])["c1"]
        assert "sandbox is new" in str(model.sent[-1][-1])


async def test_an_operators_command_that_never_ran_is_told_in_words() -> None:
    agent, model = thinking("Hi.", "I see.")
    async with desk([], real=agent) as d:
        await d.message("go")
        await rests(d, model, 1, State.awaiting_operator)
        d.answers["sleep"] = Does(hang=True)
        await d.ask(Input.operator_command, text="sleep")
        await d.ask(Input.operator_command, text="uname")
        await d.until(lambda view: bool(view.running))
        await d.ask(Input.conclude, status="fixed")
        await d.ask(Input.reopen)
        await d.message("again")
        await rests(d, model, 2, State.awaiting_operator)

        words = str(model.sent[-1][-1])
        assert "was called off before it ran: the session ended before it ran" in words
        assert "was killed by a person" in words
