"""Message history: bytes in, bytes out, and the answer to the call it ends in."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic_ai import DeferredToolResults, ModelMessagesTypeAdapter, ToolDenied, ToolReturn
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, ToolCallPart, ToolReturnPart

from engine.agent.port import NotRun, Ran
from engine.agent.prompts import not_run_text, result_text

_LOST_TRACK = "This command did not run."


def load(history: bytes) -> list[ModelMessage]:
    """The messages of a stored history."""
    return ModelMessagesTypeAdapter.validate_json(history)


def dump(messages: Sequence[ModelMessage]) -> bytes:
    """A history to store, whole."""
    return ModelMessagesTypeAdapter.dump_json(list(messages))


def pending_ids(messages: Sequence[ModelMessage]) -> list[str]:
    """The calls that the history ends in without an answer, in the model's order."""
    # Other calls of that reply may be answered already, in a request that follows it.
    answered: set[str] = set()
    for message in reversed(messages):
        if isinstance(message, ModelResponse):
            calls = [part.tool_call_id for part in message.parts if isinstance(part, ToolCallPart)]
            return [call for call in calls if call not in answered]
        if isinstance(message, ModelRequest):
            answered |= {part.tool_call_id for part in message.parts if isinstance(part, ToolReturnPart)}
    return []


def answers(messages: Sequence[ModelMessage], answered: Ran | NotRun | None) -> DeferredToolResults | None:
    """What resumes the history: an answer for each pending call, None when none is pending.

    Every pending call must be closed or no model would run, so one that nobody answered is denied.
    """
    pending = pending_ids(messages)
    if not pending:
        return None
    results = DeferredToolResults()
    # ToolDenied counts as a refusal only among the approvals, even for a call that was external.
    for call in pending:
        if answered is None or answered.tool_call_id != call:
            results.approvals[call] = ToolDenied(_LOST_TRACK)
        elif isinstance(answered, Ran):
            text, values = result_text(answered)
            # The metadata is kept in the history and never sent; recorded steps read their results from it.
            results.calls[call] = ToolReturn(return_value=text, metadata=values)
        else:
            results.approvals[call] = ToolDenied(not_run_text(answered))
    return results


def unanswerable(messages: Sequence[ModelMessage], answered: Ran | NotRun | None) -> str | None:
    """The answer as words, when the history has no such call; a result must never be lost."""
    if answered is None or answered.tool_call_id in pending_ids(messages):
        return None
    return result_text(answered)[0] if isinstance(answered, Ran) else not_run_text(answered)
