"""What the conductor of every session works with."""

from __future__ import annotations

from dataclasses import dataclass

from engine.agent.port import Agent
from engine.feed import Feed
from engine.sandbox.port import Sandboxes
from engine.store.database import Database
from engine.store.outputs import Outputs


@dataclass(frozen=True, kw_only=True)
class Means:
    """What the tasks of every session share."""

    db: Database
    outputs: Outputs
    sandboxes: Sandboxes
    agent: Agent
    feed: Feed
