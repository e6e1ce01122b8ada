"""How fast deliveries are acknowledged at 200 messages a second, against a bare Bolt app.

Run by `python -m tests.benchmarks.acks`. Each app is a process of its own on the same workspace, one after
the other; the workspace sends messages of people in a session's channel at a fixed rate and takes the time
from an envelope going out to its acknowledgement coming back.
"""

from __future__ import annotations

import asyncio
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler
from slack_bolt.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from bot.app import Bot
from bot.settings import Settings
from bot.workspace.client import Workspace
from bot.workspace.model import User
from bot.workspace.people import People
from bot.workspace.server import WorkspaceServer
from bot.workspace.sockets import Sockets
from engine.agent.port import Said
from engine.agent.scripted import ScriptedAgent
from engine.findings.read import read_findings
from engine.sandbox.scripted import ScriptedSandboxes
from tests.acceptance.bot.stage import CHANNEL, FINDINGS, installed

RATE = 200
SECONDS = 5


class TimedSockets(Sockets):
    """Notes when each envelope goes out and when it comes back."""

    def __init__(self, of: Sockets) -> None:
        self.__dict__ = of.__dict__
        self.sent: dict[str, float] = {}
        self.took: list[float] = []

    def _send(self, delivery: Any) -> None:
        before = set(self._waiting)
        super()._send(delivery)
        for envelope in set(self._waiting) - before:
            self.sent[envelope] = time.perf_counter()

    def _acknowledge(self, frame: dict[str, Any]) -> None:
        started = self.sent.pop(frame.get("envelope_id", ""), None)
        if started is not None:
            self.took.append(time.perf_counter() - started)
        super()._acknowledge(frame)


@asynccontextmanager
async def _process(kind: str, api_url: str) -> AsyncIterator[None]:
    argv = [sys.executable, "-m", "tests.benchmarks.acks", kind, api_url]
    process = await asyncio.create_subprocess_exec(*argv)
    try:
        yield
    finally:
        process.terminate()
        await process.wait()


async def _until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(30):
        while not holds():  # noqa: ASYNC110 - a measurement must not wake on what it measures
            await asyncio.sleep(0.05)


async def _measure(kind: str) -> list[float]:
    server = WorkspaceServer(installed())
    server.hub.sockets = timed = TimedSockets(server.hub.sockets)
    await server.start()
    try:
        async with _process(kind, server.api_url):
            await _until(lambda: bool(timed.count))
            people, person = People(server.hub), server.hub.state.user("U0ALICE")
            root = await (_retest(server.url) if kind == "ours" else _thread(people, person))
            timed.took.clear()
            start = time.perf_counter()
            for number in range(RATE * SECONDS):
                await asyncio.sleep(max(0.0, start + number / RATE - time.perf_counter()))
                await people._say(person, {"channel": CHANNEL, "text": f"reply {number}", "thread_ts": root})
            await _until(lambda: not timed.sent)
        return timed.took
    finally:
        await server.close()


async def _thread(people: People, person: User) -> str:
    said = await people._say(person, {"channel": CHANNEL, "text": "a thread"})
    return str(said["message"]["ts"])


async def _retest(url: str) -> str:
    """Open a retest as a person would; its thread."""
    async with Workspace(url) as workspace:
        alice = await workspace.person("alice")
        await alice.slash(CHANNEL, "/revalid", "retest F-1")

        async def opened() -> dict[str, Any] | None:
            views = await workspace.views(alice)
            return next((view for view in views if view["callback_id"] == "retest_form"), None)

        form = await workspace.until(opened)
        await alice.submit(form, {"start": "later"})

        async def root() -> dict[str, Any] | None:
            found = await workspace.messages(CHANNEL)
            return next((m for m in found if "Retest R-" in str(m)), None)

        return str((await workspace.until(root))["ts"])


async def _bare(api_url: str) -> None:
    app = AsyncApp(client=AsyncWebClient(token="xoxb-local", base_url=api_url))

    @app.event("message")
    async def take(event: dict[str, Any]) -> None:
        """Does nothing, as the fastest app would."""

    await AsyncSocketModeHandler(app, "xapp-local").start_async()


async def _ours(api_url: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(
            slack_bot_token="xoxb-local",
            slack_app_token="xapp-local",
            slack_api_url=api_url,
            database_url=f"sqlite+aiosqlite:///{Path(folder) / 'revalid.db'}",
            outputs=Path(folder) / "outputs",
        )
        agent = ScriptedAgent(lambda _: Said(text="I read you."))
        sandboxes = ScriptedSandboxes(names={"app.example.com": ("203.0.113.10",)})
        bot = Bot(settings, sandboxes=sandboxes, agent=agent)
        await bot.start()
        report = read_findings(FINDINGS, "findings.json")
        await bot.engine.retests.import_findings(report.findings, "T0HOME:U0ALICE")
        await asyncio.Event().wait()


async def main() -> None:
    """Measure both and print medians, 99th percentiles and their ratio."""
    figures: dict[str, float] = {}
    for kind in ("bare", "ours"):
        took = sorted(await _measure(kind))
        p50, p99 = statistics.median(took), took[int(len(took) * 0.99)]
        figures[kind] = p50
        print(f"{kind:5} {len(took)} acknowledged, median {p50 * 1e3:6.2f} ms, p99 {p99 * 1e3:6.2f} ms")
    print(f"ours against a bare Bolt app: {figures['ours'] / figures['bare']:.2f} times the median")


if __name__ == "__main__":
    roles = {"bare": _bare, "ours": _ours}
    role = roles.get(sys.argv[1]) if len(sys.argv) > 1 else None
    asyncio.run(role(sys.argv[2]) if role else main())
