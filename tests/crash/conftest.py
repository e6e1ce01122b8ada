"""What a play needs: a counting target, a workspace, and a bot that may die."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from bot.practice import installed
from bot.store.migrate import migrate_bot
from bot.workspace.client import Workspace
from bot.workspace.clock import ManualClock
from bot.workspace.server import WorkspaceServer
from engine.agent.scripted import ScriptedAgent
from engine.retest import Retests
from engine.sandbox.scripted import Answer, ScriptedSandboxes
from engine.store.database import Database
from engine.store.outputs import MemoryOutputs
from tests.crash.play import Play
from tests.crash.process import Serving
from tests.crash.promises import Aftermath
from tests.crash.target import FINDING, Target, counting_target
from tests.integration.sandbox.conftest import remove_traces, traces


@pytest.fixture
def target() -> Iterator[Target]:
    with counting_target() as target:
        yield target


@dataclass(frozen=True, kw_only=True)
class Theatre:
    """One play with all around it."""

    play: Play
    serving: Serving
    server: WorkspaceServer
    target: Target
    folder: Path
    instance: str

    async def over(self) -> Aftermath:
        """Wait until the removal of the sandbox is told, stop the bot, and look."""
        await self.play.survived(lambda: self.serving.logs("event_shown", "sandbox_removed"))
        await self.serving.stop()
        return Aftermath(
            folder=self.folder,
            server=self.server,
            play=self.play,
            target=self.target,
            left=traces(self.target.engine, self.instance),
        )


@pytest.fixture
async def theatre(tmp_path: Path, target: Target) -> AsyncIterator[Theatre]:
    await _imported(tmp_path)
    clock = ManualClock()
    async with WorkspaceServer(installed(), clock=clock) as server, Workspace(server.url) as workspace:
        serving = Serving(tmp_path, server.api_url, target.network, target.network)
        play = Play(serving, workspace, await workspace.person("alice"), clock, tmp_path)
        yield Theatre(
            play=play,
            serving=serving,
            server=server,
            target=target,
            folder=tmp_path,
            instance=target.network,
        )
        await serving.close()
        remove_traces(target.engine, target.network)


async def _imported(folder: Path) -> None:
    """The finding in the database, before the bot comes up."""
    db = await Database.open(f"sqlite+aiosqlite:///{folder / 'revalid.db'}")
    await migrate_bot(db)
    sandboxes = ScriptedSandboxes(lambda _: Answer())
    retests = Retests(db=db, outputs=MemoryOutputs(), sandboxes=sandboxes, agent=ScriptedAgent([]))
    await retests.import_findings([FINDING], "test")
    await db.close()
