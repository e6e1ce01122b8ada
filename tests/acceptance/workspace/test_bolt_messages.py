"""Messages, mentions, edits and files between people and a real Bolt app."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from slack_bolt.app.async_app import AsyncApp
from slack_sdk.errors import SlackApiError

from bot.workspace.client import Workspace
from tests.acceptance.workspace.conftest import Connect, soon

Json = dict[str, Any]


async def test_a_mention_is_answered_in_its_thread(bolt: AsyncApp, connect: Connect, ws: Workspace) -> None:
    @bolt.event("app_mention")
    async def answer(event: Json, say: Any) -> None:
        await say(text=f"Hello <@{event['user']}>", thread_ts=event["ts"])

    await connect()
    alice = await ws.person("alice")
    root = await alice.say("retests", "@sample hello")
    reply = await ws.until(lambda: ws.reply(root, containing="Hello"))
    assert reply["text"] == "Hello <@U0ALICE>"
    assert reply["parent_user_id"] == alice.id
    assert [m["ts"] for m in await ws.messages("retests")] == [root["ts"]]


async def test_a_mention_arrives_as_two_events_with_ids_of_their_own(
    bolt: AsyncApp, connect: Connect, ws: Workspace
) -> None:
    seen: asyncio.Queue[Json] = asyncio.Queue()

    @bolt.event("app_mention")
    async def mention(body: Json) -> None:
        seen.put_nowait(body)

    @bolt.event("message")
    async def message(body: Json) -> None:
        seen.put_nowait(body)

    await connect()
    alice = await ws.person("alice")
    await alice.say("retests", "@sample a <b> & c")
    bodies = [await soon(seen), await soon(seen)]
    assert {body["event"]["type"] for body in bodies} == {"app_mention", "message"}
    assert len({body["event_id"] for body in bodies}) == 2
    assert {body["event"]["ts"] for body in bodies} == {bodies[0]["event"]["ts"]}
    event = next(body["event"] for body in bodies if body["event"]["type"] == "message")
    assert event["text"] == "<@U0LOCALBOT> a &lt;b&gt; &amp; c"
    assert event["client_msg_id"]
    assert event["blocks"][0]["elements"][0]["elements"] == [
        {"type": "user", "user_id": "U0LOCALBOT"},
        {"type": "text", "text": " a <b> & c"},
    ]


async def test_edits_and_deletions_reach_the_app(bolt: AsyncApp, connect: Connect, ws: Workspace) -> None:
    seen: asyncio.Queue[Json] = asyncio.Queue()

    @bolt.event({"type": "message", "subtype": "message_changed"})
    async def changed(event: Json) -> None:
        seen.put_nowait(event)

    @bolt.event({"type": "message", "subtype": "message_deleted"})
    async def deleted(event: Json) -> None:
        seen.put_nowait(event)

    @bolt.event("message")
    async def other() -> None: ...

    await connect()
    alice = await ws.person("alice")
    message = await alice.say("retests", "frist")
    await alice.edit(message, "first")
    change = await soon(seen)
    assert (change["previous_message"]["text"], change["message"]["text"]) == ("frist", "first")
    await alice.delete(message)
    assert (await soon(seen))["deleted_ts"] == message["ts"]
    assert await ws.messages("retests") == []


async def test_own_messages_come_back_as_events_with_a_bot_id(bolt: AsyncApp, connect: Connect) -> None:
    seen: asyncio.Queue[Json] = asyncio.Queue()
    attentive = AsyncApp(client=bolt.client, ignoring_self_events_enabled=False)

    @attentive.event("message")
    async def message(event: Json) -> None:
        seen.put_nowait(event)

    await connect(attentive)
    await bolt.client.chat_postMessage(channel="C0RETESTS", text="from the app")
    event = await soon(seen)
    assert (event["user"], event["bot_id"]) == ("U0LOCALBOT", "B0LOCALBOT")
    assert "subtype" not in event


async def test_a_file_by_a_person_is_shared_and_can_be_downloaded_by_the_app(
    bolt: AsyncApp, connect: Connect, ws: Workspace
) -> None:
    seen: asyncio.Queue[Json] = asyncio.Queue()

    @bolt.event({"type": "message", "subtype": "file_share"})
    async def shared(event: Json) -> None:
        seen.put_nowait(event)

    await connect()
    alice = await ws.person("alice")
    await alice.say("retests", "here", files=[("findings.json", b'{"a": 1}')])
    file = (await soon(seen))["files"][0]
    session = bolt.client.session
    assert session is not None
    async with session.get(
        file["url_private"], headers={"Authorization": f"Bearer {bolt.client.token}"}
    ) as response:
        assert await response.read() == b'{"a": 1}'
    async with session.get(file["url_private"]) as response:
        assert response.content_type == "text/html"


async def test_files_upload_v2_lands_in_the_thread(bolt: AsyncApp, ws: Workspace) -> None:
    root = await bolt.client.chat_postMessage(channel="C0RETESTS", text="root")
    uploaded = await bolt.client.files_upload_v2(
        channel="C0RETESTS",
        thread_ts=root["ts"],
        content=b"line one\nline two",
        filename="output.txt",
        initial_comment="The rest",
    )
    reply = await ws.until(
        lambda: ws.reply({"channel": "C0RETESTS", "ts": root["ts"]}, containing="output.txt")
    )
    assert reply["text"] == "The rest"
    assert await ws.download(reply["files"][0]) == b"line one\nline two"
    described = await bolt.client.files_info(file=uploaded["file"]["id"])
    assert described["file"]["shares"]["public"]["C0RETESTS"][0]["thread_ts"] == root["ts"]


async def test_metadata_is_kept_and_given_back_when_asked_for(bolt: AsyncApp) -> None:
    metadata = {"event_type": "sample_posted", "event_payload": {"seq": 7}}
    root = await bolt.client.chat_postMessage(channel="C0RETESTS", text="root", metadata=metadata)
    plain = await bolt.client.conversations_replies(channel="C0RETESTS", ts=root["ts"])
    asked = await bolt.client.conversations_replies(
        channel="C0RETESTS", ts=root["ts"], include_all_metadata=True
    )
    assert "metadata" not in plain["messages"][0]
    assert asked["messages"][0]["metadata"] == metadata


async def test_status_is_shown_until_the_app_speaks(bolt: AsyncApp, ws: Workspace) -> None:
    root = await bolt.client.chat_postMessage(channel="C0RETESTS", text="root")
    ts = root["ts"]
    await bolt.client.assistant_threads_setStatus(channel_id="C0RETESTS", thread_ts=ts, status="is looking…")
    assert await ws.status("C0RETESTS", ts) == "is looking…"
    await bolt.client.chat_postMessage(channel="C0RETESTS", thread_ts=ts, text="seen")
    assert await ws.status("C0RETESTS", ts) == ""


async def test_people_from_elsewhere_are_told_apart(bolt: AsyncApp, connect: Connect, ws: Workspace) -> None:
    seen: asyncio.Queue[tuple[Json, str | None]] = asyncio.Queue()

    @bolt.event("message")
    async def message(body: Json, context: Any) -> None:
        seen.put_nowait((body, context.actor_team_id))

    await connect()
    carol = await ws.person("carol")
    await carol.say("shared-customer", "hello from outside")
    body, actor_team = await soon(seen)
    assert body["is_ext_shared_channel"] is True
    assert actor_team == "T0OTHER"
    assert (await bolt.client.users_info(user=carol.id))["user"]["is_stranger"] is True


async def test_a_channel_without_the_app_is_closed_to_it(bolt: AsyncApp) -> None:
    with pytest.raises(SlackApiError, match="not_in_channel"):
        await bolt.client.chat_postMessage(channel="C0GENERAL", text="hello")
