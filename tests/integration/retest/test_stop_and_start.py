"""`revalid serve` as a process that is told to stop while commands run in real sandboxes."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from bot.practice import APP_TOKEN, BOT_TOKEN, installed
from bot.store.migrate import migrate_bot
from bot.workspace.server import WorkspaceServer
from engine.agent.port import Said
from engine.agent.scripted import ScriptedAgent
from engine.findings.model import Finding, Severity
from engine.lifecycle import Input, State
from engine.retest import Retests
from engine.sandbox.docker_sandboxes import DockerSandboxes
from engine.scope import Scope, Target
from engine.store.database import Database
from engine.store.outputs import FileOutputs
from engine.verify import verify_all
from engine.views import Ask, CommandState, CommandView

ALICE = "T0HOME:U0ALICE"
INSTANCE = "revalid-test-stop"
FINDING = Finding(format="manual", ref="1", title="A slow page", severity=Severity.low)
SCOPE = Scope(targets=(Target(host="203.0.113.10", ports=(80,)),))
PROMISED_SECONDS = 10
"""How long a process that is told to stop may take."""


class Here:
    """The engine in this process, on the database of the one that serves."""

    def __init__(self, db: Database, retests: Retests, outputs: FileOutputs) -> None:
        self.db, self.retests, self.outputs = db, retests, outputs

    async def started(self, text: str, timeout_seconds: int) -> int:
        """A session in which that command runs and has said something."""
        found = await self.retests.import_findings([FINDING], ALICE)
        finding = (*found.new, *found.known)[0]
        view = await self.retests.open(finding_id=finding.id, by=ALICE, goal=(), scope=SCOPE)
        await self.retests.ask(view.id, Ask(given=Input.message, by=ALICE, text="go"))
        await self._until(lambda: self._is(view.id, State.awaiting_operator))
        ask = Ask(given=Input.operator_command, by=ALICE, text=text, timeout_seconds=timeout_seconds)
        assert (await self.retests.ask(view.id, ask)).done
        await self._until(lambda: self._said(view.id))
        return view.id

    async def ended(self, session_id: int) -> CommandView:
        await self._until(lambda: self._ended(session_id))
        return (await self.retests.commands(session_id))[0]

    async def _is(self, session_id: int, state: State) -> bool:
        return (await self.retests.session(session_id)).state is state

    async def _said(self, session_id: int) -> bool:
        return bool(self.retests.feed.tail((await self.retests.commands(session_id))[0].id))

    async def _ended(self, session_id: int) -> bool:
        return (await self.retests.commands(session_id))[0].ended is not None

    async def _until(self, holds: Any) -> None:
        watch = self.retests.feed.watch()
        try:
            async with asyncio.timeout(60):
                while not await holds():
                    await watch.next()
        finally:
            self.retests.feed.unwatch(watch)


@asynccontextmanager
async def here(folder: Path) -> AsyncIterator[Here]:
    db = await Database.open(f"sqlite+aiosqlite:///{folder / 'revalid.db'}")
    await migrate_bot(db)
    outputs, sandboxes = FileOutputs(folder / "outputs"), DockerSandboxes(instance=INSTANCE)
    agent = ScriptedAgent(lambda _: Said(text="What now?"))
    retests = Retests(db=db, outputs=outputs, sandboxes=sandboxes, agent=agent)
    await retests.start()
    try:
        yield Here(db, retests, outputs)
    finally:
        await retests.close()
        await sandboxes.close()
        await db.close()


@pytest.fixture(autouse=True)
async def nothing_left() -> AsyncIterator[None]:
    yield
    sandboxes = DockerSandboxes(instance=INSTANCE)
    for one in await sandboxes.list():
        await sandboxes.remove(one.session_id)
    await sandboxes.close()


async def serving(folder: Path, api_url: str, **more: str) -> asyncio.subprocess.Process:
    """A process of its own, up."""
    settings = {
        "SLACK_BOT_TOKEN": BOT_TOKEN,
        "SLACK_APP_TOKEN": APP_TOKEN,
        "SLACK_API_URL": api_url,
        "REVALID_DATABASE_URL": f"sqlite+aiosqlite:///{folder / 'revalid.db'}",
        "REVALID_OUTPUTS": str(folder / "outputs"),
        "REVALID_INSTANCE": INSTANCE,
        "REVALID_MODEL": "recorded",
        **more,
    }
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        "from bot.cli import main; main()",
        "serve",
        env={**os.environ, **settings},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    assert process.stdout is not None
    line = await process.stdout.readline()
    assert line.startswith(b"Revalid is up"), line
    return process


async def stopped(process: asyncio.subprocess.Process) -> int:
    process.send_signal(signal.SIGTERM)
    try:
        async with asyncio.timeout(PROMISED_SECONDS):
            return await process.wait()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


@pytest.mark.docker
async def test_running_commands_outlive_it_whole_and_keep_their_time_limits(tmp_path: Path) -> None:
    async with here(tmp_path) as before:
        slow = await before.started("echo one; sleep 12; echo two", 60)
        endless = await before.started("echo begun; sleep 600", 12)
    async with WorkspaceServer(installed()) as workspace:
        assert await stopped(await serving(tmp_path, workspace.api_url)) == 0
    async with here(tmp_path) as after:
        whole, cut = await after.ended(slow), await after.ended(endless)

        assert (whole.state, whole.exit_code) == (CommandState.finished, 0)
        assert await after.retests.output(whole.stdout_sha256 or "") == b"one\ntwo\n"
        assert cut.state is CommandState.timed_out
        assert await after.retests.output(cut.stdout_sha256 or "") == b"begun\n"
        started = [e for e in await after.retests.events(slow) if e.event.kind == "command_started"]
        assert len(started) == 1
        assert (await verify_all(after.db, after.outputs)).intact


@asynccontextmanager
async def hung_engine(folder: Path) -> AsyncIterator[str]:
    """A Docker engine that takes every question and answers none; its address."""

    async def never(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()
        await writer.wait_closed()

    path = folder / "docker.sock"
    server = await asyncio.start_unix_server(never, path)
    try:
        yield f"unix://{path}"
    finally:
        server.close()


async def test_an_engine_that_hangs_keeps_it_neither_from_starting_nor_from_stopping(
    tmp_path: Path,
) -> None:
    async with WorkspaceServer(installed()) as workspace, hung_engine(tmp_path) as url:
        process = await serving(tmp_path, workspace.api_url, REVALID_DOCKER_URL=url)
        assert await stopped(process) == 0


async def test_a_second_signal_ends_it_at_once(tmp_path: Path) -> None:
    async with WorkspaceServer(installed()) as workspace:
        process = await serving(tmp_path, workspace.api_url)
        process.send_signal(signal.SIGSTOP)
        process.send_signal(signal.SIGTERM)
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGCONT)
        assert await asyncio.wait_for(process.wait(), PROMISED_SECONDS) in {0, 130, 143}
