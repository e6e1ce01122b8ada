"""What we rely on in pydantic-ai, so that an upgrade that changes it is noticed here."""

from __future__ import annotations

import pytest
from pydantic_ai import (
    Agent,
    CallDeferred,
    DeferredToolRequests,
    DeferredToolResults,
    ModelMessagesTypeAdapter,
    ToolDenied,
    ToolReturn,
    UsageLimits,
    capture_run_messages,
)
from pydantic_ai.exceptions import UnexpectedModelBehavior, UsageLimitExceeded, UserError
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models import infer_model
from pydantic_ai.models.function import AgentInfo, FunctionModel

Paused = Agent[None, str | DeferredToolRequests]


class Script:
    """Proposes once with the given parts, then talks."""

    def __init__(self, *parts: ToolCallPart | TextPart) -> None:
        self.parts = parts
        self.sent: list[list[ModelMessage]] = []

    async def __call__(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        self.sent.append(messages)
        if any(isinstance(message, ModelResponse) for message in messages):
            return ModelResponse(parts=[TextPart("done")])
        return ModelResponse(parts=list(self.parts))


def agent_for(script: Script) -> Paused:
    agent: Paused = Agent(FunctionModel(script), output_type=[str, DeferredToolRequests])

    @agent.tool_plain
    async def gated(command: str) -> str:
        raise CallDeferred(metadata={"command": command})

    @agent.tool_plain
    async def free() -> str:
        return "free ran"

    return agent


def call(call_id: str = "c1", name: str = "gated") -> ToolCallPart:
    return ToolCallPart(name, {"command": "id"} if name == "gated" else {}, tool_call_id=call_id)


async def pause(*parts: ToolCallPart | TextPart) -> tuple[Paused, Script, list[ModelMessage]]:
    script = Script(*(parts or (call(),)))
    agent = agent_for(script)
    result = await agent.run("go")
    assert isinstance(result.output, DeferredToolRequests)
    return agent, script, ModelMessagesTypeAdapter.validate_json(result.all_messages_json())


def result_for(*ids: str) -> DeferredToolResults:
    return DeferredToolResults(calls={one: ToolReturn(return_value="ran", metadata={"n": 1}) for one in ids})


def last_parts(script: Script) -> list[object]:
    request = script.sent[-1][-1]
    assert isinstance(request, ModelRequest)
    return list(request.parts)


async def test_a_pause_ends_in_the_call_and_carries_its_metadata() -> None:
    script = Script(TextPart("look"), call())
    result = await agent_for(script).run("go")
    assert isinstance(result.output, DeferredToolRequests)
    assert result.output.metadata == {"c1": {"command": "id"}}
    assert isinstance(result.all_messages()[-1], ModelResponse)


async def test_a_result_and_a_prompt_go_in_one_request_the_result_first() -> None:
    agent, script, history = await pause()
    resumed = await agent.run("and look", message_history=history, deferred_tool_results=result_for("c1"))
    assert resumed.output == "done"
    assert [type(part) for part in last_parts(script)] == [ToolReturnPart, UserPromptPart]


async def test_metadata_of_a_result_survives_storing() -> None:
    agent, _, history = await pause()
    resumed = await agent.run(message_history=history, deferred_tool_results=result_for("c1"))
    stored = ModelMessagesTypeAdapter.validate_json(resumed.all_messages_json())
    parts = [part for message in stored for part in message.parts if isinstance(part, ToolReturnPart)]
    assert parts[0].metadata == {"n": 1}


@pytest.mark.parametrize("ids", [(), ("other",), ("c1", "other")])
async def test_results_must_be_those_of_the_pending_calls(ids: tuple[str, ...]) -> None:
    agent, _, history = await pause()
    with pytest.raises(UserError):
        await agent.run(message_history=history, deferred_tool_results=result_for(*ids))


async def test_a_prompt_alone_is_refused_while_a_call_is_pending() -> None:
    agent, _, history = await pause()
    with pytest.raises(UserError):
        await agent.run("hello?", message_history=history)


async def test_nothing_at_all_asks_again_without_a_model_call() -> None:
    agent, script, history = await pause()
    again = await agent.run(message_history=history)
    assert isinstance(again.output, DeferredToolRequests)
    assert len(script.sent) == 1


async def test_a_mixed_pause_is_silently_abandoned_by_a_prompt_alone() -> None:
    agent, script, history = await pause(call(), call("f1", "free"))
    assert isinstance(history[-1], ModelRequest)
    await agent.run("hello?", message_history=history)
    assert len(script.sent) == 2


async def test_a_mixed_pause_resumes_with_the_pending_call_only() -> None:
    agent, script, history = await pause(call(), call("f1", "free"))
    await agent.run(message_history=history, deferred_tool_results=result_for("c1"))
    contents = {part.content for part in last_parts(script) if isinstance(part, ToolReturnPart)}
    assert contents == {"ran", "free ran"}


async def test_a_denial_of_an_external_call_goes_under_approvals() -> None:
    agent, script, history = await pause()
    denied = DeferredToolResults(approvals={"c1": ToolDenied("no")})
    await agent.run("try else", message_history=history, deferred_tool_results=denied)
    (answer, _) = last_parts(script)
    assert isinstance(answer, ToolReturnPart)
    assert (answer.outcome, answer.content) == ("denied", "no")


async def test_the_same_id_twice_in_one_reply_is_refused() -> None:
    with pytest.raises(UnexpectedModelBehavior):
        await pause(call(), call())


async def test_a_limit_leaves_the_messages_to_be_kept() -> None:
    agent, _, history = await pause()
    with capture_run_messages() as messages, pytest.raises(UsageLimitExceeded):
        await agent.run(
            message_history=history,
            deferred_tool_results=result_for("c1"),
            usage_limits=UsageLimits(request_limit=0),
        )
    assert isinstance(messages[-1], ModelRequest)
    assert any(isinstance(part, ToolReturnPart) for part in messages[-1].parts)


async def test_real_providers_are_out_of_reach_in_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    with pytest.raises(RuntimeError, match="ALLOW_MODEL_REQUESTS"):
        await Agent(infer_model("openai:gpt-x")).run("hi")
