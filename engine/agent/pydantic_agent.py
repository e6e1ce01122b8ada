"""The agent: one run of a pydantic-ai model between two human decisions."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import pydantic_ai
import structlog
from pydantic_ai import (
    Agent,
    DeferredToolRequests,
    ModelRetry,
    RunContext,
    ToolOutput,
    UsageLimits,
    capture_run_messages,
)
from pydantic_ai.capabilities import HandleDeferredToolCalls
from pydantic_ai.exceptions import ModelContextWindowExceededError, UsageLimitExceeded
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models import Model
from pydantic_ai.run import AgentRunResult
from pydantic_ai.usage import RunUsage

from engine.agent.determination import TOOL as DETERMINE
from engine.agent.determination import Determination
from engine.agent.errors import as_model_error
from engine.agent.goal import draft_with, goal_from_steps
from engine.agent.history import answers, dump, load, unanswerable
from engine.agent.instructions import instructions_for
from engine.agent.models import ModelSource
from engine.agent.patience import Patience, PatientModel
from engine.agent.port import Proposed, ReadOutput, Said, TurnOutput, TurnReply, TurnRequest
from engine.agent.prompts import opening_prompt, turn_prompt
from engine.agent.screen import RE_ASK, WRITTEN_AS_TEXT, looks_like_call
from engine.agent.tools import RUN_COMMAND, TurnDeps, one_at_a_time, tools
from engine.agent.trimming import trimming
from engine.findings.model import Finding

# Its greeting would come in between what the program itself says to whoever started it.
pydantic_ai.BANNER_ENABLED = False

# A turn only reads outputs and speaks between two commands; more than this is a loop.
REQUESTS_PER_TURN = 16
ATTEMPT_SECONDS = 120.0
REQUEST_SECONDS = 300.0
"""One attempt at a model request, and all attempts at it together; a local model may need minutes."""
# A provider says that its window is exceeded and not by how much.
_TIGHTER = 4
_COMMAND_FIRST = (
    "Set aside: you proposed a command in the same reply, and that comes first. Conclude again when you have "
    "read its result, if you still want to."
)
_TOO_MANY = (
    f"I thought {REQUESTS_PER_TURN} times in a row without coming to a command or an answer, so I stop here. "
    "Reply to let me go on."
)
_log = structlog.get_logger(__name__)

Output = str | Determination | DeferredToolRequests
RetestAgent = Agent[TurnDeps, Output]


@dataclass(kw_only=True)
class PydanticAgent:
    """Takes turns with a model of a source. Keeps nothing between turns, so any number may run at once."""

    source: ModelSource
    read_output: ReadOutput
    tell: Callable[[int, str], None] = lambda _session_id, _words: None
    """Hears what a session's turn waits for, and an empty string once it does not any more."""
    patience: Patience = field(default_factory=Patience)

    def __post_init__(self) -> None:
        self._agent = _make_agent()

    async def take_turn(self, request: TurnRequest) -> TurnReply:
        """Run the model until it hands back. Raises `ModelError` kinds; the stored history stays valid."""
        try:
            # A provider's first use imports its whole SDK, which would hold up every other session.
            model = await asyncio.to_thread(self.source.for_turn, request, self.read_output)
            if not self.source.recorded:
                model = PatientModel(model, self.patience, partial(self.tell, request.session_id))
            try:
                return await self._run(request, model, self.source.context_chars)
            except ModelContextWindowExceededError:
                # The stored history cannot shrink, so without this every later turn would fail as well.
                return await self._run(request, model, self.source.context_chars // _TIGHTER)
        except Exception as error:
            _log.warning("model turn failed", session=request.session_id, error=type(error).__name__)
            raise as_model_error(error) from error

    async def draft_goal(self, finding: Finding) -> tuple[str, ...]:
        """A few steps to begin with; `()` when the model has nothing or fails."""
        if self.source.recorded:
            return goal_from_steps(finding)
        try:
            return await draft_with(await asyncio.to_thread(self.source.shared), finding)
        except Exception as error:
            _log.warning("goal not drafted", error=type(error).__name__)
            return ()

    async def close(self) -> None:
        """Let go of the provider's connections; no turn may follow."""
        await self.source.close()

    async def _run(self, request: TurnRequest, model: Model, context_chars: int) -> TurnReply:
        # The history is passed and no conversation, whose usage limits would count over the whole session.
        history = load(request.history)
        deps = TurnDeps(request=request, read_output=self.read_output, context_chars=context_chars)
        usage = RunUsage()
        # A run that exceeds its limit carries no messages in its error; this is how they are kept.
        with capture_run_messages() as messages:
            try:
                result = await self._agent.run(
                    _prompt(request, history),
                    message_history=history,
                    deferred_tool_results=answers(history, request.answered),
                    model=model,
                    deps=deps,
                    usage=usage,
                    usage_limits=UsageLimits(request_limit=REQUESTS_PER_TURN),
                    conversation_id=str(request.session_id),
                )
            except UsageLimitExceeded:
                output: TurnOutput = Said(text=_TOO_MANY)
                kept: Sequence[ModelMessage] = messages
            else:
                output = _output(result, deps)
                kept = result.all_messages()
        return TurnReply(
            output=output,
            history=dump(kept),
            respond=tuple(deps.said),
            usage=_usage(usage),
            model=self.source.name,
        )


def _make_agent() -> RetestAgent:
    agent: RetestAgent = Agent(
        deps_type=TurnDeps,
        # With text among them no provider is forced to call a tool, and the model may simply speak.
        output_type=[str, ToolOutput(Determination, name=DETERMINE), DeferredToolRequests],
        # Instructions are rendered anew for each request; a system prompt would freeze in the history.
        instructions=lambda ctx: instructions_for(ctx.deps.request),
        tools=tools(),
        # The default of one ends the turn of a small model at its second malformed call.
        retries={"tools": 3, "output": 3},
        model_settings={
            # A wish that local servers often ignore; `one_at_a_time` holds when they do.
            "parallel_tool_calls": False,
            "timeout": ATTEMPT_SECONDS,
            "request_timeout": REQUEST_SECONDS,
        },
        capabilities=[HandleDeferredToolCalls(one_at_a_time), trimming()],
    )
    agent.output_validator(_check_output)
    return agent


def _check_output(ctx: RunContext[TurnDeps], output: Output) -> Output:
    # Without this a conclusion wins over a command in the same reply, which would vanish unseen.
    if isinstance(output, Determination) and _proposes(ctx.messages):
        raise ModelRetry(_COMMAND_FIRST)
    # Once only: a model that cannot call tools would go round for ever.
    if isinstance(output, str) and looks_like_call(output) and not ctx.deps.re_asked:
        ctx.deps.re_asked = True
        raise ModelRetry(RE_ASK)
    return output


def _proposes(messages: Sequence[ModelMessage]) -> bool:
    parts = messages[-1].parts if messages else ()
    return any(isinstance(part, ToolCallPart) and part.tool_name == RUN_COMMAND for part in parts)


def _prompt(request: TurnRequest, history: Sequence[ModelMessage]) -> str | None:
    lost = unanswerable(history, request.answered)
    prompt = turn_prompt(request) if history else opening_prompt(request)
    return "\n\n".join(filter(None, (lost, prompt))) or None


def _output(result: AgentRunResult[Output], deps: TurnDeps) -> TurnOutput:
    output = result.output
    if isinstance(output, str):
        text = output.strip()
        return Said(text=f"{WRITTEN_AS_TEXT}\n\n{text}" if looks_like_call(text) else text)
    said = _last_words(result.new_messages())
    if isinstance(output, Determination):
        deps.said.extend(filter(None, [said]))
        return output.determined()
    call = output.calls[0]
    return Proposed(tool_call_id=call.tool_call_id, said=said, **output.metadata[call.tool_call_id])


def _last_words(messages: Sequence[ModelMessage]) -> str:
    response = next(message for message in reversed(messages) if isinstance(message, ModelResponse))
    return "\n\n".join(part.content.strip() for part in response.parts if isinstance(part, TextPart)).strip()


def _usage(usage: RunUsage) -> dict[str, Any]:
    return {
        "requests": usage.requests,
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "cache_read_tokens": usage.cache_read_tokens,
        "cache_write_tokens": usage.cache_write_tokens,
    }
