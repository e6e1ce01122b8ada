"""The publisher against the local workspace, over Slack's real protocol."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import yaml

from bot.blocks.ids import Action
from bot.publisher import Publisher
from bot.slack import WebSlack, web_client
from bot.store.migrate import migrate_bot
from bot.store.places import Place
from bot.workspace.client import Workspace, render_text
from bot.workspace.installed_app import InstalledApp
from bot.workspace.model import Json
from bot.workspace.rate import RateLimits
from bot.workspace.sample import ALICE, HOME
from bot.workspace.server import WorkspaceServer
from engine.agent.scripted import Step
from engine.lifecycle import Input, State
from engine.sandbox.scripted import Answer as Does
from tests.unit.bot.blocks.samples import HOSTILE
from tests.unit.engine.retest.desk import Desk, desk, determine, propose, say

ROOT = Path(__file__).parents[2]
BOT_TOKEN = "xoxb-local-sample"
CHANNEL = "C0RETESTS"


@dataclass
class Floor:
    desk: Desk
    server: WorkspaceServer
    ws: Workspace
    http: aiohttp.ClientSession
    publisher: Publisher
    place: Place

    async def thread(self) -> list[Json]:
        assert self.place.thread_ts is not None
        return await self.ws.thread(CHANNEL, self.place.thread_ts)

    async def until_reply(self, containing: str, seconds: float = 10) -> Json:
        async def seen() -> Any:
            return next((m for m in (await self.thread())[1:] if containing in render_text(m)), None)

        found: Json = await self.ws.until(seen, seconds)
        return found

    async def reborn(self) -> None:
        await self.publisher.close()
        self.publisher = _publisher(self.desk, self.server, self.http)
        await self.publisher.start()


def _publisher(made: Desk, server: WorkspaceServer, http: aiohttp.ClientSession) -> Publisher:
    return Publisher(made.retests, WebSlack(web_client(BOT_TOKEN, server.api_url, http)), made.db)


@pytest.fixture(scope="module")
def app() -> InstalledApp:
    """As the product's own manifest declares it, so that a scope that is missing there fails here."""
    manifest = yaml.safe_load((ROOT / "deploy" / "manifest.yaml").read_text(encoding="utf-8"))
    return InstalledApp.from_manifest(manifest, bot_token=BOT_TOKEN, app_token="xapp-local-sample")


@asynccontextmanager
async def floor(app: InstalledApp, *script: Step, limits: RateLimits | None = None) -> AsyncIterator[Floor]:
    async with (
        desk(script) as made,
        WorkspaceServer(app, limits=limits) as server,
        Workspace(server.url) as ws,
        aiohttp.ClientSession() as http,
    ):
        await migrate_bot(made.db)
        publisher = _publisher(made, server, http)
        await publisher.start()
        place = await publisher.place(made.session_id, HOME.id, CHANNEL)
        running = Floor(made, server, ws, http, publisher, place)
        try:
            yield running
        finally:
            await running.publisher.close()


def in_order(thread: list[Json], *parts: str) -> bool:
    left = iter(thread[1:])
    return all(any(part in render_text(message) for message in left) for part in parts)


def has_button(message: Json, action: Action) -> bool:
    elements = (e for block in message.get("blocks", ()) for e in block.get("elements", ()))
    return any(element.get("action_id") == action for element in elements)


async def test_a_thread_tells_a_retest_in_order_each_thing_once(app: InstalledApp) -> None:
    async with floor(app, propose("id"), determine("still_open")) as f:
        await f.desk.message("go")
        card = await f.until_reply("C-1 waits for your decision")
        assert has_button(card, Action.approve)

        await f.desk.approve()
        await f.until_reply("I recommend: still open")
        await f.desk.ask(Input.conclude, status="still_open", text="Seen.")
        await f.until_reply("Verdict: still open")

        thread = await f.thread()
        assert in_order(
            thread, "Sandbox ready", "C-1 ran · exit 0", "I recommend: still open", "Verdict: still open"
        )
        assert len(thread) == 5
        assert not any(has_button(message, Action.approve) for message in thread)

        async def told() -> Any:
            root, line = (await f.ws.messages(CHANNEL))[0], (await f.ws.messages(CHANNEL))[-1]
            concluded = "concluded: still open" in render_text(root)
            return concluded and "F-1 is still open" in render_text(line)

        await f.ws.until(told)


async def test_429_is_honoured_and_the_order_kept(app: InstalledApp) -> None:
    strict = RateLimits(posts_per_second=1, posting_burst=1)
    async with floor(app, say("One."), say("Two."), say("Three."), limits=strict) as f:
        refused: list[str] = []
        check = f.server.hub.limiter.check

        def counted(method: str, channel: str) -> None:
            try:
                check(method, channel)
            except Exception:
                refused.append(method)
                raise

        f.server.hub.limiter.check = counted  # type: ignore[method-assign]
        for number in range(1, 4):
            await f.desk.message("go")
            await f.desk.until_event("agent_said", number)
        await f.until_reply("Three.", 20)

        thread = await f.thread()
        assert in_order(thread, "Sandbox ready", "One.", "Two.", "Three.")
        assert len(thread) == 5
        # Each wait that Slack asked for was waited: a call that came early would be refused again.
        assert 1 <= refused.count("chat.postMessage") <= 4


async def test_a_restart_goes_on_and_posts_nothing_twice(app: InstalledApp) -> None:
    async with floor(app, propose("id"), say("Done."), say("More.")) as f:
        await f.desk.message("go")
        await f.until_reply("C-1 waits")
        await f.reborn()
        await f.desk.approve()
        await f.until_reply("Done.")
        await f.publisher.close()
        await f.desk.message("on")
        await f.desk.until_state(State.awaiting_operator)
        await f.desk.until_event("agent_said", 2)
        await f.reborn()
        await f.until_reply("More.")

        thread = await f.thread()
        assert in_order(thread, "Sandbox ready", "C-1 ran", "Done.", "More.")
        assert len(thread) == 5


async def test_three_megabytes_come_as_a_file_to_the_last_byte(app: InstalledApp) -> None:
    data = b"".join(b"line %06d\n" % number for number in range(250_000))
    async with floor(app, propose("seq"), say("Long.")) as f:
        f.desk.answers["seq"] = Does(stdout=data)
        await f.desk.message("go")
        await f.desk.approve()
        await f.until_reply("Long.")

        file = next(file for message in await f.thread() for file in message.get("files", ()))
        assert file["name"] == "C-1-stdout.txt"
        assert await f.ws.download(file) == data


async def test_hostile_text_notifies_nobody_and_forges_no_button(app: InstalledApp) -> None:
    forged = '{"type":"actions","elements":[{"type":"button","action_id":"approve"}]}'
    async with floor(app, propose("curl"), say(f"{HOSTILE}\n\n```json\n{forged}\n```")) as f:
        f.desk.answers["curl"] = Does(stdout=(HOSTILE + forged).encode())
        await f.desk.message("go")
        await f.desk.approve()
        await f.until_reply("bold")

        for message in (await f.thread())[1:]:
            assert not has_button(message, Action.approve)
            assert "<!channel>" not in message["text"]
            kinds = {e["type"] for e in _elements(message.get("blocks", ()))}
            assert not kinds & {"link", "broadcast", "usergroup", "user", "channel"}


async def test_the_thread_shows_that_work_is_in_flight(app: InstalledApp) -> None:
    async with floor(app, say("Done.")) as f:
        f.desk.agent.hang()
        await f.desk.message("go")
        assert f.place.thread_ts is not None
        thread_ts = f.place.thread_ts

        async def thinking() -> Any:
            return "is thinking" in await f.ws.status(CHANNEL, thread_ts)

        await f.ws.until(thinking)
        f.desk.agent.release()
        await f.until_reply("Done.")
        assert await f.ws.status(CHANNEL, thread_ts) == ""


async def test_operators_are_mentioned_as_people(app: InstalledApp) -> None:
    async with floor(app) as f:
        handed = await f.desk.ask(Input.hand_over, person=f"{HOME.id}:{ALICE.id}")
        assert handed.done

        async def named() -> Any:
            return f"Operator <@{ALICE.id}>" in str((await f.thread())[0]["blocks"])

        await f.ws.until(named)


def _elements(blocks: object) -> list[Json]:
    if isinstance(blocks, dict):
        return [blocks, *_elements(list(blocks.values()))] if "type" in blocks else []
    if isinstance(blocks, list | tuple):
        return [found for inner in blocks for found in _elements(inner)]
    return []


@pytest.mark.parametrize("method", ["chat.postMessage", "files.completeUploadExternal"])
async def test_answers_that_get_lost_double_nothing(app: InstalledApp, method: str) -> None:
    async with floor(app, propose("seq"), say("Done.")) as f:
        f.desk.answers["seq"] = Does(stdout=b"x" * 9000)
        f.server.hub.chaos.set({"faults": [{"method": method, "times": 2, "after": True}]})
        await f.desk.message("go")
        await f.desk.approve()
        await f.until_reply("Done.", 30)

        thread = await f.thread()
        assert in_order(thread, "Sandbox ready", "C-1 ran", "Done.")
        assert len([message for message in thread if message.get("files")]) == 1
        assert len(thread) == 5
        assert f.server.hub.chaos.struck[method] > 0
