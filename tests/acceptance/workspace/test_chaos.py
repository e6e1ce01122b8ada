"""What a test can have go wrong in the workspace, met by a real Bolt app and Slack's own client."""

from __future__ import annotations

import asyncio
from typing import Any

import aiohttp
import pytest
from slack_bolt.app.async_app import AsyncApp
from slack_sdk.errors import SlackApiError

from bot.workspace.client import Workspace, WorkspaceError
from bot.workspace.clock import ManualClock
from bot.workspace.server import WorkspaceServer
from tests.acceptance.workspace.conftest import Connect, soon

Json = dict[str, Any]


@pytest.fixture
def heard(bolt: AsyncApp) -> asyncio.Queue[str]:
    """The texts of the messages that the app hears, as they come."""
    queue: asyncio.Queue[str] = asyncio.Queue()

    @bolt.event("message")
    async def message(event: Json) -> None:
        queue.put_nowait(event["text"])

    return queue


async def _texts(ws: Workspace) -> list[str]:
    return [message["text"] for message in await ws.messages("retests")]


async def test_after_all_sockets_were_dropped_the_app_is_let_in_when_the_door_opens(
    heard: asyncio.Queue[str], connect: Connect, ws: Workspace, clock: ManualClock
) -> None:
    await connect()
    alice = await ws.person("alice")
    await ws.chaos.set(door="held")
    await ws.chaos.drop()
    assert not await ws.chaos.connected()
    await alice.say("retests", "into the void")
    await ws.chaos.set(door="open")
    await ws.until(ws.chaos.connected)
    await alice.say("retests", "back")
    assert await soon(heard) == "back"
    clock.advance(0)
    assert await soon(heard) == "into the void"


async def test_a_refused_socket_is_answered_with_503(
    bolt: AsyncApp, server: WorkspaceServer, ws: Workspace
) -> None:
    await ws.chaos.set(door="refused")
    answer = await bolt.client.apps_connections_open(app_token="xapp-local-sample")
    session = bolt.client.session
    assert session is not None
    with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
        await session.ws_connect(answer["url"])
    assert refused.value.status == 503
    assert server.hub.sockets.count == 0


async def test_a_socket_breaks_after_so_many_envelopes(
    heard: asyncio.Queue[str], connect: Connect, ws: Workspace
) -> None:
    await connect()
    alice = await ws.person("alice")
    await ws.chaos.set(drop_after=2)
    await alice.say("retests", "one")
    assert await soon(heard) == "one"
    assert await ws.chaos.connected()
    await alice.say("retests", "two")

    async def broken() -> bool:
        return not await ws.chaos.connected()

    assert await ws.until(broken)


async def test_held_events_come_when_released_in_the_order_of_the_seed(
    heard: asyncio.Queue[str], connect: Connect, ws: Workspace
) -> None:
    await connect()
    alice = await ws.person("alice")
    orders = []
    for _ in range(2):
        await ws.chaos.set(hold=True, seed=7)
        for word in "abcdef":
            await alice.say("retests", word)
        assert heard.empty()
        assert (await ws.chaos.now())["held"] == 6
        await ws.chaos.release(shuffled=True)
        orders.append([await soon(heard) for _ in range(6)])
    assert orders[0] == orders[1] != sorted(orders[0])
    assert sorted(orders[0]) == list("abcdef")


async def test_a_duplicated_event_has_the_same_id(bolt: AsyncApp, connect: Connect, ws: Workspace) -> None:
    ids: asyncio.Queue[str] = asyncio.Queue()

    @bolt.event("message")
    async def message(body: Json) -> None:
        ids.put_nowait(body["event_id"])

    await connect()
    await ws.chaos.set(duplicates=2)
    await (await ws.person("alice")).say("retests", "hello")
    assert len({await soon(ids) for _ in range(3)}) == 1


async def test_a_lost_acknowledgement_brings_the_event_again(
    heard: asyncio.Queue[str], connect: Connect, ws: Workspace, clock: ManualClock
) -> None:
    await connect()
    alice = await ws.person("alice")
    await ws.chaos.set(lost_acks=1)
    await alice.say("retests", "hello")
    assert await soon(heard) == "hello"

    async def lost() -> bool:
        return (await ws.chaos.now())["settings"]["lost_acks"] == 0

    await ws.until(lost)
    clock.advance(0)
    assert await soon(heard) == "hello"
    clock.advance(10_000)
    assert heard.empty()


async def test_a_method_is_rate_limited_as_often_as_wanted(bolt: AsyncApp, ws: Workspace) -> None:
    await ws.chaos.fail("chat.postMessage", status=429, retry_after=7, times=1)
    with pytest.raises(SlackApiError) as refused:
        await bolt.client.chat_postMessage(channel="C0RETESTS", text="too early")
    assert refused.value.response.status_code == 429
    assert refused.value.response.headers["Retry-After"] == "7"
    await bolt.client.chat_postMessage(channel="C0RETESTS", text="in time")
    assert await _texts(ws) == ["in time"]
    assert (await ws.chaos.now())["struck"] == {"chat.postMessage": 1}


async def test_a_post_that_fails_before_or_after_its_effect(bolt: AsyncApp, ws: Workspace) -> None:
    await ws.chaos.fail("chat.postMessage", times=1)
    await ws.chaos.fail("chat.postMessage", after=True, times=1)
    for text in ("lost", "posted all the same"):
        with pytest.raises(SlackApiError) as failed:
            await bolt.client.chat_postMessage(channel="C0RETESTS", text=text)
        assert failed.value.response.status_code == 500
    assert await _texts(ws) == ["posted all the same"]


async def test_an_answer_that_is_cut_off_leaves_the_post(bolt: AsyncApp, ws: Workspace) -> None:
    bolt.client.retry_handlers.clear()
    await ws.chaos.fail("chat.postMessage", after=True, cut=True, times=1)
    with pytest.raises(aiohttp.ClientError):
        await bolt.client.chat_postMessage(channel="C0RETESTS", text="posted")
    assert await _texts(ws) == ["posted"]


async def test_faults_by_chance_follow_from_the_seed(bolt: AsyncApp, ws: Workspace) -> None:
    await ws.chaos.fail("api.test", chance=0.5)
    runs = []
    for _ in range(2):
        await ws.chaos.set(seed=3)
        run = []
        for _ in range(12):
            try:
                run.append(bool((await bolt.client.api_test())["ok"]))
            except SlackApiError:
                run.append(False)
        runs.append(run)
    assert runs[0] == runs[1]
    assert set(runs[0]) == {True, False}
    await ws.chaos.heal("api.test")
    assert (await bolt.client.api_test())["ok"]


async def test_an_unreachable_workspace_is_there_for_people_only(
    heard: asyncio.Queue[str], bolt: AsyncApp, connect: Connect, ws: Workspace
) -> None:
    bolt.client.retry_handlers.clear()
    await connect()
    alice = await ws.person("alice")
    await ws.chaos.set(unreachable=True)
    assert not await ws.chaos.connected()
    with pytest.raises(aiohttp.ClientError):
        await bolt.client.chat_postMessage(channel="C0RETESTS", text="nobody there")
    await alice.say("retests", "hello?")
    await ws.chaos.calm()
    await bolt.client.chat_postMessage(channel="C0RETESTS", text="there again")
    assert await _texts(ws) == ["hello?", "there again"]
    assert heard.empty()


async def test_a_restarted_workspace_has_its_messages_and_its_address(
    bolt: AsyncApp, server: WorkspaceServer, ws: Workspace
) -> None:
    alice = await ws.person("alice")
    await alice.say("retests", "before")
    url = server.url
    await server.close()
    bolt.client.retry_handlers.clear()
    with pytest.raises(aiohttp.ClientConnectorError):
        await bolt.client.api_test()
    await server.start()
    assert server.url == url
    await alice.say("retests", "after")
    assert await _texts(ws) == ["before", "after"]

    async def both() -> bool:
        return (await _texts(ws)).count("after") > 1

    seen = asyncio.create_task(ws.until(both))
    await alice.say("retests", "after")
    assert await seen


async def test_what_there_is_not_is_refused(ws: Workspace) -> None:
    with pytest.raises(WorkspaceError, match="frobnicate"):
        await ws.chaos.set(frobnicate=True)
