"""Commands, buttons, forms and shortcuts between people and a real Bolt app."""

from __future__ import annotations

from typing import Any

import pytest
from slack_bolt.app.async_app import AsyncApp
from slack_sdk.errors import SlackApiError

from bot.workspace.client import Workspace, WorkspaceError, render_text
from bot.workspace.clock import ManualClock
from tests.acceptance.workspace.conftest import Connect

Json = dict[str, Any]

BUTTONS = [
    {"type": "section", "text": {"type": "mrkdwn", "text": "Run `id`?"}},
    {
        "type": "actions",
        "block_id": "gate",
        "elements": [
            {
                "type": "button",
                "action_id": "approve",
                "text": {"type": "plain_text", "text": "Yes & run"},
                "value": "7",
            },
            {
                "type": "static_select",
                "action_id": "when",
                "options": [
                    {"text": {"type": "plain_text", "text": "Now"}, "value": "now"},
                    {"text": {"type": "plain_text", "text": "Later"}, "value": "later"},
                ],
            },
        ],
    },
]
FORM = {
    "type": "modal",
    "callback_id": "form",
    "title": {"type": "plain_text", "text": "A form"},
    "submit": {"type": "plain_text", "text": "Send"},
    "notify_on_close": True,
    "blocks": [
        {
            "type": "input",
            "block_id": "why",
            "label": {"type": "plain_text", "text": "Why"},
            "element": {"type": "plain_text_input", "action_id": "reason"},
        }
    ],
}


async def test_a_command_is_answered_to_the_person_only(
    bolt: AsyncApp, connect: Connect, ws: Workspace
) -> None:
    @bolt.command("/sample")
    async def command(ack: Any, body: Json) -> None:
        await ack(f"You said {body['text']}")

    await connect()
    alice, ben = await ws.person("alice"), await ws.person("ben")
    assert (await alice.slash("retests", "/sample", "one two"))["ok"] is True
    assert [m["text"] for m in await ws.ephemerals(alice)] == ["You said one two"]
    assert await ws.ephemerals(ben) == []
    assert await ws.messages("retests") == []


async def test_a_command_in_a_thread_never_reaches_the_app(
    bolt: AsyncApp, connect: Connect, ws: Workspace
) -> None:
    called = []

    @bolt.command("/sample")
    async def command(ack: Any) -> None:
        called.append(1)
        await ack()

    await connect()
    alice = await ws.person("alice")
    root = await alice.say("retests", "root")
    outcome = await alice.slash("retests", "/sample", "x", thread_ts=root["ts"])
    assert outcome == {"ok": False, "error": "not_supported_in_threads"}
    (told,) = await ws.ephemerals(alice)
    assert "not supported in threads" in told["text"]
    assert told["thread_ts"] == root["ts"]
    assert called == []


async def test_a_command_without_an_app_fails_visibly(ws: Workspace) -> None:
    alice = await ws.person("alice")
    assert (await alice.slash("retests", "/sample"))["error"] == "dispatch_failed"
    assert 'failed with the error "dispatch_failed"' in (await ws.ephemerals(alice))[0]["text"]


async def test_a_click_carries_message_state_and_both_one_shot_permissions(
    bolt: AsyncApp, connect: Connect, ws: Workspace
) -> None:
    got: list[Json] = []

    @bolt.action("approve")
    async def approve(ack: Any, body: Json, respond: Any, client: Any) -> None:
        await ack()
        got.append(body)
        await respond(text="Noted", response_type="ephemeral")
        await client.views_open(trigger_id=body["trigger_id"], view=FORM)
        with pytest.raises(SlackApiError, match="trigger_exchanged"):
            await client.views_open(trigger_id=body["trigger_id"], view=FORM)

    await connect()
    posted = await bolt.client.chat_postMessage(channel="C0RETESTS", text="Run?", blocks=BUTTONS)
    (message,) = await ws.messages("retests")
    assert render_text(message) == "Run `id`?\n[Yes & run] [Now | Later]"
    alice = await ws.person("alice")
    await alice.click(message, "approve", filled={"when": "later"})
    await ws.until(lambda: ws.views(alice))
    assert [m["text"] for m in await ws.ephemerals(alice)] == ["Noted"]
    body = got[0]
    assert body["container"]["message_ts"] == posted["ts"]
    assert body["actions"][0]["value"] == "7"
    # Slack escapes the plain text of an app's own labels in what it gives back.
    assert body["actions"][0]["text"]["text"] == "Yes &amp; run"
    assert body["state"]["values"]["gate"]["when"]["selected_option"]["value"] == "later"


async def test_an_expired_trigger_opens_nothing(
    bolt: AsyncApp, connect: Connect, ws: Workspace, clock: ManualClock
) -> None:
    triggers: list[str] = []

    @bolt.command("/sample")
    async def command(ack: Any, body: Json) -> None:
        triggers.append(body["trigger_id"])
        await ack()

    await connect()
    alice = await ws.person("alice")
    await alice.slash("retests", "/sample")
    clock.advance(3.5)
    with pytest.raises(SlackApiError, match="trigger_expired"):
        await bolt.client.views_open(trigger_id=triggers[0], view=FORM)


async def test_a_form_is_checked_by_the_client_then_by_the_app_then_taken(
    bolt: AsyncApp, connect: Connect, ws: Workspace
) -> None:
    taken: list[str] = []

    @bolt.command("/sample")
    async def command(ack: Any, body: Json, client: Any) -> None:
        await ack()
        await client.views_open(trigger_id=body["trigger_id"], view=FORM)

    @bolt.view("form")
    async def submitted(ack: Any, view: Json) -> None:
        reason = view["state"]["values"]["why"]["reason"]["value"]
        if reason == "bad":
            await ack(response_action="errors", errors={"why": "Not that."})
            return
        taken.append(reason)
        await ack()

    await connect()
    alice = await ws.person("alice")
    await alice.slash("retests", "/sample")
    (view,) = await ws.until(lambda: ws.views(alice))
    empty = await alice.submit(view, {})
    assert empty["errors"] == {"why": "Please complete this required field."}
    assert (await alice.submit(view, {"reason": "bad"}))["errors"] == {"why": "Not that."}
    assert await ws.views(alice) == [view]
    assert (await alice.submit(view, {"reason": "good"}))["ok"] is True
    assert taken == ["good"]
    assert await ws.views(alice) == []


async def test_forms_are_stacked_updated_and_cleared(bolt: AsyncApp, connect: Connect, ws: Workspace) -> None:
    @bolt.command("/sample")
    async def command(ack: Any, body: Json, client: Any) -> None:
        await ack()
        await client.views_open(trigger_id=body["trigger_id"], view=FORM)

    @bolt.view("form")
    async def submitted(ack: Any) -> None:
        await ack(response_action="push", view=FORM | {"callback_id": "second"})

    @bolt.view("second")
    async def second(ack: Any) -> None:
        await ack(response_action="update", view=FORM | {"callback_id": "third"})

    @bolt.view("third")
    async def third(ack: Any) -> None:
        await ack(response_action="clear")

    await connect()
    alice = await ws.person("alice")
    await alice.slash("retests", "/sample")
    (first,) = await ws.until(lambda: ws.views(alice))
    await alice.submit(first, {"reason": "x"})
    below, above = await ws.views(alice)
    assert above["previous_view_id"] == below["id"]
    await alice.submit(above, {"reason": "x"})
    assert [view["callback_id"] for view in await ws.views(alice)] == ["form", "third"]
    await alice.submit((await ws.views(alice))[-1], {"reason": "x"})
    assert await ws.views(alice) == []


async def test_closing_a_form_is_told_to_an_app_that_asked(
    bolt: AsyncApp, connect: Connect, ws: Workspace
) -> None:
    closed: list[str] = []

    @bolt.command("/sample")
    async def command(ack: Any, body: Json, client: Any) -> None:
        await ack()
        await client.views_open(trigger_id=body["trigger_id"], view=FORM)

    @bolt.view_closed("form")
    async def on_close(ack: Any, view: Json) -> None:
        closed.append(view["callback_id"])
        await ack()

    await connect()
    alice = await ws.person("alice")
    await alice.slash("retests", "/sample")
    (view,) = await ws.until(lambda: ws.views(alice))
    await alice.close(view)
    assert closed == ["form"]
    assert await ws.views(alice) == []


async def test_a_message_shortcut_works_on_a_reply(bolt: AsyncApp, connect: Connect, ws: Workspace) -> None:
    got: list[Json] = []

    @bolt.shortcut("look")
    async def look(ack: Any, body: Json) -> None:
        await ack()
        got.append(body)

    await connect()
    alice = await ws.person("alice")
    root = await alice.say("retests", "root")
    reply = await alice.reply(root, "a reply")
    assert (await alice.shortcut(reply, "look"))["ok"] is True
    assert got[0]["message"]["thread_ts"] == root["ts"]
    with pytest.raises(WorkspaceError, match="unknown_shortcut"):
        await alice.shortcut(reply, "other")


async def test_an_ephemeral_message_is_replaced_through_its_response_url(
    bolt: AsyncApp, connect: Connect, ws: Workspace
) -> None:
    @bolt.action("approve")
    async def approve(ack: Any, body: Json, respond: Any) -> None:
        await ack()
        assert body["container"]["is_ephemeral"] is True
        assert "message" not in body
        await respond(text="Done", replace_original=True)

    await connect()
    alice = await ws.person("alice")
    await bolt.client.chat_postEphemeral(channel="C0RETESTS", user=alice.id, text="Run?", blocks=BUTTONS)
    (asked,) = await ws.ephemerals(alice)
    await alice.click(asked, "approve")
    await ws.until(lambda: _texts(ws, alice, ["Done"]))


async def test_a_response_url_takes_five_posts_within_half_an_hour(
    bolt: AsyncApp, connect: Connect, ws: Workspace, clock: ManualClock
) -> None:
    urls: list[str] = []

    @bolt.command("/sample")
    async def command(ack: Any, body: Json) -> None:
        urls.append(body["response_url"])
        await ack()

    await connect()
    alice = await ws.person("alice")
    await alice.slash("retests", "/sample")
    await alice.slash("retests", "/sample")
    session = bolt.client.session
    assert session is not None

    async def post(url: str) -> int:
        async with session.post(url, json={"text": "hi"}) as response:
            return response.status

    assert [await post(urls[0]) for _ in range(6)] == [200] * 5 + [404]
    clock.advance(30 * 60 + 1)
    assert await post(urls[1]) == 404


async def _texts(ws: Workspace, person: Any, expected: list[str]) -> bool:
    return [m["text"] for m in await ws.ephemerals(person)] == expected
