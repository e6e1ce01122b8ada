"""The real bot in the local workspace, with a scripted sandbox and a scripted agent."""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from bot.app import Bot
from bot.settings import Settings
from bot.workspace.client import Workspace
from bot.workspace.server import WorkspaceServer
from engine.agent.port import TurnOutput, TurnRequest
from engine.agent.scripted import ScriptedAgent
from engine.sandbox.scripted import Answer, ScriptedSandboxes
from tests.acceptance.bot.stage import Stage, StillClock, installed


class Script:
    """What the agent does next; a test appends to it as it goes."""

    def __init__(self) -> None:
        self.steps: deque[TurnOutput | Exception] = deque()

    def __call__(self, request: TurnRequest) -> TurnOutput | Exception:
        return self.steps.popleft()


@pytest.fixture
async def server() -> AsyncIterator[WorkspaceServer]:
    async with WorkspaceServer(installed()) as server:
        yield server


@pytest.fixture
def script() -> Script:
    return Script()


@pytest.fixture
def agent(script: Script) -> ScriptedAgent:
    return ScriptedAgent(script, goal=("Replay the proof.", "Check the login."))


@pytest.fixture
def sandboxes() -> ScriptedSandboxes:
    names = {"app.example.com": ("192.0.2.10",), "intranet.example.com": ("10.0.0.7",)}
    return ScriptedSandboxes(lambda text: Answer(stdout=f"ran {text}\n".encode()), names=names)


@pytest.fixture
def settings(server: WorkspaceServer, tmp_path: Path) -> dict[str, Any]:
    return {
        "slack_bot_token": server.hub.app.bot_token,
        "slack_app_token": server.hub.app.app_token,
        "slack_api_url": server.api_url,
        "database_url": f"sqlite+aiosqlite:///{tmp_path / 'revalid.db'}",
        "outputs": tmp_path / "outputs",
    }


@pytest.fixture
async def bot(
    settings: dict[str, Any], sandboxes: ScriptedSandboxes, agent: ScriptedAgent
) -> AsyncIterator[Bot]:
    bot = Bot(
        Settings(_env_file=None, **settings), sandboxes=sandboxes, agent=agent, pacing=StillClock().pacing()
    )
    await bot.start()
    yield bot
    await bot.close()


@pytest.fixture
async def stage(
    server: WorkspaceServer, bot: Bot, script: Script, sandboxes: ScriptedSandboxes, agent: ScriptedAgent
) -> AsyncIterator[Stage]:
    async with Workspace(server.url) as workspace:
        people = {name: await workspace.person(name) for name in ("alice", "ben", "carol")}
        yield Stage(
            server=server,
            workspace=workspace,
            people=people,
            bot=bot,
            steps=script.steps,
            sandboxes=sandboxes,
            agent=agent,
        )
