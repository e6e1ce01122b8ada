"""The Web API over HTTP: tokens, scopes, error codes, pages, and the door for foreign pages."""

from __future__ import annotations

from typing import Any

import aiohttp
import pytest
from slack_bolt.app.async_app import AsyncApp
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from bot.workspace.client import Workspace, WorkspaceError
from bot.workspace.server import WorkspaceServer

Json = dict[str, Any]
CHANNEL = "C0RETESTS"
RICH = {
    "type": "rich_text",
    "elements": [{"type": "rich_text_section", "elements": [{"type": "text", "text": "x"}]}],
}


@pytest.fixture
def client(bolt: AsyncApp) -> AsyncWebClient:
    return bolt.client


async def refusal(call: Any) -> str:
    with pytest.raises(SlackApiError) as refused:
        await call
    return str(refused.value.response["error"])


async def test_who_the_token_belongs_to_and_what_it_may_do(client: AsyncWebClient) -> None:
    answer = await client.auth_test()
    assert (answer["user_id"], answer["bot_id"], answer["team_id"]) == ("U0LOCALBOT", "B0LOCALBOT", "T0HOME")
    assert "chat:write" in answer.headers["x-oauth-scopes"].split(",")


@pytest.mark.parametrize(
    ("token", "error"),
    [("", "not_authed"), ("xoxb-wrong", "invalid_auth"), ("xapp-local-sample", "not_allowed_token_type")],
)
async def test_tokens_are_checked(server: WorkspaceServer, token: str, error: str) -> None:
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    async with (
        aiohttp.ClientSession() as session,
        session.post(f"{server.api_url}auth.test", headers=headers) as response,
    ):
        assert await response.json() == {"ok": False, "error": error}


async def test_a_scope_that_is_missing_is_named(client: AsyncWebClient) -> None:
    with pytest.raises(SlackApiError) as refused:
        await client.conversations_join(channel="C0GENERAL")
    assert refused.value.response["error"] == "missing_scope"
    assert refused.value.response["needed"] == "channels:join"


async def test_posting_is_refused_with_slacks_codes(client: AsyncWebClient, server: WorkspaceServer) -> None:
    server.hub.state.channel("shared-customer").is_archived = True
    section = {"type": "section", "text": {"type": "mrkdwn", "text": "x" * 3001}}
    post = client.chat_postMessage
    assert await refusal(post(channel="C9", text="x")) == "channel_not_found"
    assert await refusal(post(channel="C0GENERAL", text="x")) == "not_in_channel"
    assert await refusal(post(channel="C0SHARED", text="x")) == "is_archived"
    assert await refusal(client.api_call("chat.postMessage", json={"channel": CHANNEL})) == "no_text"
    assert await refusal(post(channel=CHANNEL, text="x" * 4001)) == "msg_too_long"
    assert await refusal(post(channel=CHANNEL, text="x", thread_ts="1.000001")) == "thread_not_found"
    assert await refusal(post(channel=CHANNEL, text="x", metadata={"a": 1})) == "invalid_metadata_format"
    with pytest.raises(SlackApiError) as refused:
        await post(channel=CHANNEL, text="x", blocks=[section])
    assert refused.value.response["error"] == "invalid_blocks"
    assert "[json-pointer:/blocks/0/text/text]" in refused.value.response["errors"][0]


async def test_only_own_messages_can_be_changed(client: AsyncWebClient, ws: Workspace) -> None:
    alice = await ws.person("alice")
    hers = await alice.say("retests", "mine")
    assert (
        await refusal(client.chat_update(channel=CHANNEL, ts=hers["ts"], text="x")) == "cant_update_message"
    )
    assert await refusal(client.chat_delete(channel=CHANNEL, ts=hers["ts"])) == "cant_delete_message"
    assert await refusal(client.chat_update(channel=CHANNEL, ts="1.0", text="x")) == "message_not_found"
    own = await client.chat_postMessage(channel=CHANNEL, text="the app's")
    with pytest.raises(WorkspaceError, match="cant_update_message"):
        await alice.edit({"channel": CHANNEL, "ts": own["ts"]}, "hers now")


async def test_updating_with_text_alone_takes_the_blocks_away(client: AsyncWebClient, ws: Workspace) -> None:
    posted = await client.chat_postMessage(channel=CHANNEL, text="x", blocks=[RICH])
    divider = [{"type": "divider"}]
    mismatch = client.chat_update(channel=CHANNEL, ts=posted["ts"], text="x", blocks=divider)
    assert await refusal(mismatch) == "block_mismatch"
    await client.chat_update(channel=CHANNEL, ts=posted["ts"], text="only words")
    (message,) = await ws.messages(CHANNEL)
    assert "blocks" not in message
    assert message["text"] == "only words"


async def test_stray_brackets_are_escaped_and_tokens_kept(client: AsyncWebClient) -> None:
    posted = await client.chat_postMessage(channel=CHANNEL, text="a < b & <@U0BEN> <script> &lt;")
    assert posted["message"]["text"] == "a &lt; b &amp; <@U0BEN> &lt;script> &lt;"


async def test_history_pages_newest_first_and_without_replies(client: AsyncWebClient) -> None:
    stamps = [(await client.chat_postMessage(channel=CHANNEL, text=str(n)))["ts"] for n in range(3)]
    await client.chat_postMessage(channel=CHANNEL, text="reply", thread_ts=stamps[0])
    first = await client.conversations_history(channel=CHANNEL, limit=2)
    cursor = first["response_metadata"]["next_cursor"]
    second = await client.conversations_history(channel=CHANNEL, limit=2, cursor=cursor)
    assert [m["text"] for m in (*first["messages"], *second["messages"])] == ["2", "1", "0"]
    assert (first["has_more"], second["has_more"]) == (True, False)
    newer = await client.conversations_history(channel=CHANNEL, oldest=stamps[1])
    assert [m["text"] for m in newer["messages"]] == ["2"]


async def test_replies_after_a_mark_come_with_their_root(client: AsyncWebClient) -> None:
    root = (await client.chat_postMessage(channel=CHANNEL, text="root"))["ts"]
    marks = [
        (await client.chat_postMessage(channel=CHANNEL, text=str(n), thread_ts=root))["ts"] for n in range(3)
    ]
    answer = await client.conversations_replies(channel=CHANNEL, ts=root, oldest=marks[0])
    assert [m["text"] for m in answer["messages"]] == ["root", "1", "2"]
    assert await refusal(client.conversations_replies(channel=CHANNEL, ts="1.0")) == "thread_not_found"


async def test_private_channels_without_the_app_do_not_exist_for_it(
    client: AsyncWebClient, server: WorkspaceServer
) -> None:
    server.hub.state.channel("leads").members.discard("U0LOCALBOT")
    assert await refusal(client.conversations_info(channel="C0LEADS")) == "channel_not_found"
    listed = await client.conversations_list(types="public_channel,private_channel")
    assert {c["name"]: c["is_member"] for c in listed["channels"]} == {
        "retests": True,
        "general": False,
        "shared-customer": True,
    }


async def test_a_permalink_names_channel_message_and_thread(client: AsyncWebClient) -> None:
    root = (await client.chat_postMessage(channel=CHANNEL, text="root"))["ts"]
    reply = (await client.chat_postMessage(channel=CHANNEL, text="reply", thread_ts=root))["ts"]
    link = (await client.chat_getPermalink(channel=CHANNEL, message_ts=reply))["permalink"]
    assert link.endswith(f"/archives/{CHANNEL}/p{reply.replace('.', '')}?thread_ts={root}&cid={CHANNEL}")


async def test_a_direct_message_is_opened_by_user_id(client: AsyncWebClient) -> None:
    opened = await client.conversations_open(users="U0ALICE")
    posted = await client.chat_postMessage(channel="U0ALICE", text="psst")
    assert posted["channel"] == opened["channel"]["id"]


async def test_unknown_methods_and_broken_json_are_answered(server: WorkspaceServer) -> None:
    headers = {"Authorization": "Bearer xoxb-local-sample"}
    async with aiohttp.ClientSession(headers=headers) as session:
        async with session.post(f"{server.api_url}chat.unheardOf") as response:
            assert (await response.json())["error"] == "unknown_method"
        broken = {"channel": CHANNEL, "blocks": "[{"}
        async with session.post(f"{server.api_url}chat.postMessage", data=broken) as response:
            assert (await response.json())["error"] == "invalid_blocks_format"


async def test_a_foreign_page_cannot_speak_for_people(server: WorkspaceServer) -> None:
    body = {"person": "alice", "channel": "retests", "text": "not me"}
    say = f"{server.url}/_workspace/say"
    async with aiohttp.ClientSession() as session:
        async with session.post(say, json=body, headers={"Origin": "https://app.example.com"}) as response:
            assert response.status == 403
        async with session.post(say, json=body, headers={"Host": "app.example.com"}) as response:
            assert response.status == 403
        async with session.post(say, json=body, headers={"Origin": server.url}) as response:
            assert response.status == 200


async def test_waiting_in_vain_tells_what_happened_instead(ws: Workspace) -> None:
    alice = await ws.person("alice")
    await alice.say("retests", "something else")
    with pytest.raises(WorkspaceError, match="something else"):
        await ws.until(lambda: False, timeout=0.05)
