"""`revalid serve` against the local workspace."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path

import pytest

from bot.cli import terminal
from bot.cli.serve import _serve
from bot.practice import installed, practice_settings
from bot.workspace.client import Workspace, render_text
from bot.workspace.server import WorkspaceServer


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_it_says_what_it_is_connected_to_and_stops_when_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: signal.Signals
) -> None:
    told: asyncio.Queue[str] = asyncio.Queue()
    monkeypatch.setattr(terminal, "tell", told.put_nowait)
    async with WorkspaceServer(installed()) as server:
        nowhere = {"docker_url": "tcp://127.0.0.1:1", "instance": "revalid-test"}
        settings = practice_settings(tmp_path, server.api_url, model="recorded", **nowhere)
        serving = asyncio.create_task(_serve(settings))
        assert await told.get() == (
            "Revalid is up: Example Security as @revalid (Socket Mode); "
            "model none, it replays recorded steps; Docker does not answer, so no session can start; "
            f"database {tmp_path / 'revalid.db'}."
        )
        async with Workspace(server.url) as workspace:
            alice = await workspace.person("alice")
            assert (await alice.slash("retests", "/revalid", "findings"))["ok"]
            answer = await workspace.until(lambda: workspace.ephemerals(alice))
            assert "There are no findings yet" in render_text(answer[-1])
        os.kill(os.getpid(), number)
        await serving
        assert [told.get_nowait() for _ in range(told.qsize())][-1] == "Stopped."
        assert server.hub.sockets.count == 0
