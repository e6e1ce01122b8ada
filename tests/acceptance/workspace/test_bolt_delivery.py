"""Acknowledgements, retries, several sockets, refreshes and rate limits, with a real Bolt app."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from typing import Any

import aiohttp
import pytest
from slack_bolt import BoltResponse
from slack_bolt.app.async_app import AsyncApp
from slack_sdk.errors import SlackApiError
from slack_sdk.http_retry.builtin_async_handlers import AsyncRateLimitErrorRetryHandler
from slack_sdk.web.async_client import AsyncWebClient

from bot.workspace.client import Workspace
from bot.workspace.clock import ManualClock
from bot.workspace.installed_app import InstalledApp
from bot.workspace.rate import RateLimits
from bot.workspace.server import WorkspaceServer
from tests.acceptance.workspace.conftest import Connect, soon

Json = dict[str, Any]


async def test_an_unacknowledged_event_comes_again_three_times(
    bolt: AsyncApp, connect: Connect, ws: Workspace, clock: ManualClock
) -> None:
    seen: asyncio.Queue[tuple[str, str, str]] = asyncio.Queue()

    @bolt.middleware
    async def refuse(req: Any, body: Json) -> BoltResponse:
        retry = req.headers.get("x-slack-retry-num", ["0"])[0]
        reason = req.headers.get("x-slack-retry-reason", [""])[0]
        seen.put_nowait((body["event_id"], retry, reason))
        return BoltResponse(status=500)

    await connect()
    alice = await ws.person("alice")
    await alice.say("retests", "hello")
    deliveries = [await soon(seen)]
    for delay in (0, 60, 300):
        clock.advance(3)
        clock.advance(delay)
        deliveries.append(await soon(seen))
    clock.advance(10_000)
    assert seen.empty()
    assert [retry for _, retry, _ in deliveries] == ["0", "1", "2", "3"]
    assert [reason for _, _, reason in deliveries[1:]] == ["timeout"] * 3
    assert len({event_id for event_id, _, _ in deliveries}) == 1


async def test_an_acknowledged_event_comes_once(
    bolt: AsyncApp, connect: Connect, ws: Workspace, clock: ManualClock
) -> None:
    seen: list[str] = []

    @bolt.event("message")
    async def message(event: Json, say: Any) -> None:
        seen.append(event["text"])
        await say(text="ok", thread_ts=event["ts"])

    await connect()
    alice = await ws.person("alice")
    root = await alice.say("retests", "hello")
    await ws.until(lambda: ws.reply(root))
    clock.advance(10_000)
    again = await alice.say("retests", "once more")
    await ws.until(lambda: ws.reply(again))
    assert seen == ["hello", "once more"]


async def test_an_event_sent_while_nobody_listens_arrives_with_a_retry(
    bolt: AsyncApp, connect: Connect, ws: Workspace, clock: ManualClock
) -> None:
    seen: asyncio.Queue[str] = asyncio.Queue()

    @bolt.event("message")
    async def message(event: Json, req: Any) -> None:
        seen.put_nowait(req.headers["x-slack-retry-reason"][0])

    alice = await ws.person("alice")
    await alice.say("retests", "hello")
    clock.advance(0)
    await connect()
    clock.advance(60)
    assert await soon(seen) == "connection_failed"


async def test_a_command_that_is_not_acknowledged_is_not_sent_again(
    bolt: AsyncApp, connect: Connect, ws: Workspace, clock: ManualClock
) -> None:
    seen: asyncio.Queue[str] = asyncio.Queue()

    @bolt.middleware
    async def refuse(body: Json) -> BoltResponse:
        seen.put_nowait(body["command"])
        return BoltResponse(status=500)

    await connect()
    alice = await ws.person("alice")
    typed = asyncio.create_task(alice.slash("retests", "/sample"))
    await soon(seen)
    clock.advance(3)
    assert (await typed)["error"] == "operation_timeout"
    clock.advance(10_000)
    assert seen.empty()


async def test_each_event_goes_to_one_of_two_sockets(
    server: WorkspaceServer, bolt: AsyncApp, connect: Connect, ws: Workspace
) -> None:
    seen: Counter[str] = Counter()
    other = AsyncApp(client=bolt.client)
    done: asyncio.Queue[None] = asyncio.Queue()

    def listen(app: AsyncApp, name: str) -> None:
        @app.event("message")
        async def message(event: Json) -> None:
            seen[name] += 1
            done.put_nowait(None)

    listen(bolt, "one")
    listen(other, "two")
    await connect(bolt)
    await connect(other)
    assert server.hub.sockets.count == 2
    alice = await ws.person("alice")
    for number in range(6):
        await alice.say("retests", f"message {number}")
    for _ in range(6):
        await soon(done)
    assert seen["one"] + seen["two"] == 6
    assert min(seen["one"], seen["two"]) > 0


async def test_after_a_refresh_the_app_is_back_on_a_new_socket(
    server: WorkspaceServer, bolt: AsyncApp, connect: Connect, ws: Workspace
) -> None:
    @bolt.event("message")
    async def message(event: Json, say: Any) -> None:
        await say(text="here", thread_ts=event["ts"])

    handler = await connect()
    frames: asyncio.Queue[str] = asyncio.Queue()

    async def note(frame: aiohttp.WSMessage) -> None:
        frames.put_nowait(json.loads(frame.data)["type"])

    handler.client.on_message_listeners.append(note)
    alice = await ws.person("alice")
    server.hub.sockets.refresh()
    while await soon(frames) != "disconnect":
        pass
    assert await soon(frames) == "hello"
    root = await alice.say("retests", "still there?")
    assert await ws.until(lambda: ws.reply(root, containing="here"))


async def test_the_eleventh_socket_is_turned_away(server: WorkspaceServer, bolt: AsyncApp) -> None:
    session = bolt.client.session
    assert session is not None
    opened = []
    for _ in range(10):
        answer = await bolt.client.apps_connections_open(app_token="xapp-local-sample")
        socket = await session.ws_connect(answer["url"])
        assert (await socket.receive_json())["type"] == "hello"
        opened.append(socket)
    answer = await bolt.client.apps_connections_open(app_token="xapp-local-sample")
    async with session.ws_connect(answer["url"]) as refused:
        assert (await refused.receive_json())["reason"] == "too_many_websockets"
    for socket in opened:
        await socket.close()


async def test_posting_too_fast_is_refused_and_slack_sdk_waits(sample_app: InstalledApp) -> None:
    clock = ManualClock()
    limits = RateLimits(posts_per_second=1, posting_burst=2)
    async with (
        WorkspaceServer(sample_app, clock=clock, limits=limits) as server,
        aiohttp.ClientSession() as session,
    ):
        client = AsyncWebClient("xoxb-local-sample", base_url=server.api_url, session=session)
        for number in range(2):
            await client.chat_postMessage(channel="C0RETESTS", text=str(number))
        with pytest.raises(SlackApiError) as refused:
            await client.chat_postMessage(channel="C0RETESTS", text="too fast")
        assert refused.value.response.status_code == 429
        assert refused.value.response.headers["Retry-After"] == "1"
        assert refused.value.response["error"] == "rate_limited"
        await client.chat_postMessage(channel="C0SHARED", text="another channel")
        clock.advance(1)
        await client.chat_postMessage(channel="C0RETESTS", text="in time")
        handler = _Patient(clock)
        client.retry_handlers.append(handler)
        await client.chat_postMessage(channel="C0RETESTS", text="retried")
        assert handler.waited == [1]


class _Patient(AsyncRateLimitErrorRetryHandler):
    """The SDK's handler, waiting on the workspace's clock instead of the wall's."""

    def __init__(self, clock: ManualClock) -> None:
        super().__init__(max_retry_count=1)
        self._clock = clock
        self.waited: list[int] = []

    async def prepare_for_next_attempt_async(self, *, state: Any, response: Any, **_: Any) -> None:
        seconds = int(
            next(value for key, value in response.headers.items() if key.lower() == "retry-after")[0]
        )
        self.waited.append(seconds)
        self._clock.advance(seconds)
        state.increment_current_attempt()
        state.next_attempt_requested = True
