"""The agent's in-memory twin: plays a script instead of asking a model."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterable

from engine.agent.port import TurnOutput, TurnReply, TurnRequest
from engine.findings.model import Finding

Step = TurnOutput | TurnReply | Exception
"""An output, a whole reply when `respond` or the usage matter, or a failure to raise."""


class ScriptedAgent:
    """Gives the outputs of a list in order, or whatever a function makes of each request."""

    def __init__(
        self,
        script: Iterable[Step] | Callable[[TurnRequest], Step],
        *,
        goal: tuple[str, ...] = (),
    ) -> None:
        self._answer = script if callable(script) else _in_order(script)
        self._goal = goal
        self._open = asyncio.Event()
        self._open.set()
        self.requests: list[TurnRequest] = []
        """Every turn that was asked for, the cancelled ones too."""
        self.entered = asyncio.Event()
        """Set when a turn has begun; clear it to wait for the next."""

    def hang(self) -> None:
        """Let turns begin but not end, as a slow model would."""
        self._open.clear()

    def release(self) -> None:
        """Let hanging and later turns end."""
        self._open.set()

    async def take_turn(self, request: TurnRequest) -> TurnReply:
        """The next step of the script; the history grows by one entry a turn."""
        self.requests.append(request)
        self.entered.set()
        await self._open.wait()
        step = self._answer(request)
        if isinstance(step, Exception):
            raise step
        if isinstance(step, TurnReply):
            return step
        history = json.dumps([*json.loads(request.history), {"turn": len(self.requests)}]).encode()
        return TurnReply(output=step, history=history, usage={}, model="scripted")

    async def draft_goal(self, finding: Finding) -> tuple[str, ...]:
        """The goal given at the start."""
        return self._goal


def _in_order(script: Iterable[Step]) -> Callable[[TurnRequest], Step]:
    steps = iter(script)

    def answer(_: TurnRequest) -> Step:
        try:
            return next(steps)
        except StopIteration:
            # A StopIteration would be swallowed on its way through a coroutine.
            raise AssertionError("the script of the agent is at its end") from None

    return answer
