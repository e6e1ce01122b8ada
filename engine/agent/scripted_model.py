"""A pydantic-ai model that plays a script, for tests of what the agent makes of a reply."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from pydantic_ai.messages import ModelMessage, ModelResponse, ModelResponsePart, TextPart
from pydantic_ai.models import Model
from pydantic_ai.models.function import AgentInfo, FunctionModel

from engine.agent.port import ReadOutput, TurnRequest

Reply = str | ModelResponsePart | list[ModelResponsePart]


@dataclass
class ScriptedModel:
    """A source of models that gives `replies` in order, counted by the responses that the history holds."""

    replies: Sequence[Reply]
    context_chars: int = 240_000
    name: str = "scripted"
    recorded: bool = False
    sent: list[list[ModelMessage]] = field(default_factory=list)
    """What went over the wire, request by request."""
    infos: list[AgentInfo] = field(default_factory=list)
    """The tools, settings and instructions that went with it."""
    failures: list[Exception] = field(default_factory=list)
    """Raised first, one a request."""
    before: Callable[[], Awaitable[None]] | None = None
    """Awaited ahead of each reply."""

    def for_turn(self, request: TurnRequest, read_output: ReadOutput) -> Model:
        """The scripted model."""
        return self.shared()

    def shared(self) -> Model:
        """The scripted model."""
        return FunctionModel(self._reply, model_name="scripted")

    async def close(self) -> None:
        """Nothing is open."""

    async def _reply(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        self.sent.append(messages)
        self.infos.append(info)
        if self.before:
            await self.before()
        if self.failures:
            raise self.failures.pop(0)
        # By the history and not by an iterator, so that a script outlives a restart like a real model.
        reply = self.replies[sum(isinstance(message, ModelResponse) for message in messages)]
        if isinstance(reply, str):
            return ModelResponse(parts=[TextPart(reply)])
        return ModelResponse(parts=reply if isinstance(reply, list) else [reply])
