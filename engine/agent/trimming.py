"""Keeps what goes over the wire within bounds; what is stored stays whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pydantic_ai import RunContext
from pydantic_ai.capabilities import Hooks
from pydantic_ai.capabilities.abstract import WrapModelRequestHandler
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, ToolReturnPart
from pydantic_ai.models import ModelRequestContext

from engine.agent.tools import TurnDeps

# Cutting in steps keeps the beginning of the conversation the same for some turns, and so in the cache.
_STEP = 4
# The model is reasoning about the newest two; blank them and it would only ask for them again.
_KEPT = 2
_WORTH_CUTTING = 400
_LEFT_OUT = "[left out here to save room; read_output shows it again]"


def elided(messages: Sequence[ModelMessage], limit: int) -> list[ModelMessage]:
    """The messages with old tool outputs blanked until the rest is within `limit` characters.

    Calls, ids and outcomes stay, so that every call keeps its answer. The newest outputs are never touched.
    """
    outputs = (_output(part) for message in messages for part in message.parts)
    sizes = [len(output) for output in outputs if output is not None]
    blank = 0
    while sum(sizes[blank:]) > limit and blank < len(sizes) - _KEPT:
        blank = min(blank + _STEP, len(sizes) - _KEPT)
    return _blanked(messages, blank) if blank > 0 else list(messages)


def _output(part: object) -> str | None:
    content = part.content if isinstance(part, ToolReturnPart) else None
    return content if isinstance(content, str) and len(content) > _WORTH_CUTTING else None


def _blank(part: ToolReturnPart, output: str) -> ToolReturnPart:
    # The first line of an output is our own: the command's number and how it ended.
    first_line = output.split("\n", 1)[0]
    return replace(part, content=f"{first_line}\n{_LEFT_OUT}")


def _blanked(messages: Sequence[ModelMessage], count: int) -> list[ModelMessage]:
    result: list[ModelMessage] = []
    left = count
    for message in messages:
        if not isinstance(message, ModelRequest) or not left:
            result.append(message)
            continue
        parts = list(message.parts)
        for index, part in enumerate(parts):
            output = _output(part)
            if left and output is not None and isinstance(part, ToolReturnPart):
                parts[index] = _blank(part, output)
                left -= 1
        result.append(replace(message, parts=parts))
    return result


def trimming() -> Hooks[TurnDeps]:
    """The hook that trims each request on its way out."""
    # A hook and not pydantic-ai's ProcessHistory, which would trim what is stored as well.
    hooks: Hooks[TurnDeps] = Hooks()

    @hooks.on.model_request
    async def trim(
        ctx: RunContext[TurnDeps], *, request_context: ModelRequestContext, handler: WrapModelRequestHandler
    ) -> ModelResponse:
        messages = elided(request_context.messages, ctx.deps.context_chars)
        return await handler(replace(request_context, messages=messages))

    return hooks
