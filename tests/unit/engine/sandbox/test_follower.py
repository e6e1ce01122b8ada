"""A wait for a command whose engine went away."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from engine.errors import EngineUnavailable
from engine.sandbox import follower
from engine.sandbox.engine_client import EngineClient
from engine.sandbox.port import Command


class AwayEngine(EngineClient):
    """Answers nothing, and counts how often it was asked."""

    asked = 0

    async def call(self, work: Callable[[Any], Any]) -> Any:
        self.asked += 1
        raise EngineUnavailable


async def test_an_engine_that_stays_away_is_asked_again_and_then_told_of(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pauses: list[float] = []

    async def pause(seconds: float) -> None:
        pauses.append(seconds)

    monkeypatch.setattr(follower.asyncio, "sleep", pause)
    engine = AwayEngine()
    command = Command(id=1, text="true", timeout_seconds=5)
    waiting = follower.Follower(engine, "abc", command, sink=None, patience=1)
    with pytest.raises(EngineUnavailable):
        await waiting.result()
    assert engine.asked == 5
    assert pauses == sorted(pauses)
    assert 3 < sum(pauses) < 10
    engine.close()
