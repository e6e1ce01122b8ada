"""What the conductor of every session works with."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field

from engine.agent.port import Agent
from engine.feed import Feed
from engine.sandbox.port import Sandboxes
from engine.store.database import Database
from engine.store.outputs import Outputs


@dataclass(frozen=True, kw_only=True)
class Patience:
    """How long an engine that does not answer is waited for while a command may be running. Seconds."""

    first: float = 1.0
    longest: float = 15.0
    total: float = 300.0
    """All pauses together; long enough for an engine that is being upgraded."""
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep

    def pauses(self) -> Iterator[float]:
        """The pauses before one try after the other, up to the total."""
        waited, pause = 0.0, self.first
        while waited + pause <= self.total:
            yield pause
            waited += pause
            pause = min(pause * 2, self.longest)


@dataclass(frozen=True, kw_only=True)
class Means:
    """What the tasks of every session share."""

    db: Database
    outputs: Outputs
    sandboxes: Sandboxes
    agent: Agent
    feed: Feed
    patience: Patience = field(default_factory=Patience)
    resting: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when the process is about to end: what would begin now begins at the next start."""
