"""The workspace's page in a real browser: every block is shown, nothing in it comes alive."""

from __future__ import annotations

from typing import Any

from playwright.async_api import Page, expect
from slack_bolt.app.async_app import AsyncApp

from bot.workspace.client import Workspace
from bot.workspace.server import WorkspaceServer
from tests.acceptance.browser import needs_browser
from tests.acceptance.workspace.conftest import Connect
from tests.acceptance.workspace.samples import ESCAPED, EVERY_BLOCK, FORM

Json = dict[str, Any]
pytestmark = needs_browser


async def test_every_block_is_shown_and_stays_inert(
    server: WorkspaceServer, bolt: AsyncApp, page: Page
) -> None:
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    await bolt.client.chat_postMessage(channel="C0SHARED", text="all", blocks=EVERY_BLOCK)
    await bolt.client.chat_postMessage(channel="C0SHARED", text=f"top {ESCAPED}")
    await page.goto(f"{server.url}/?person=alice")
    await page.get_by_role("button", name="shared-customer").click()
    shown = page.get_by_role("log", name="Messages in shared-customer")
    await expect(shown.get_by_role("heading", name="Header & title")).to_be_visible()
    await expect(shown.get_by_text("top <script>", exact=False)).to_be_visible()
    await expect(shown.get_by_role("link", name="a link")).to_have_attribute(
        "href", "https://app.example.com/"
    )
    await expect(shown.get_by_role("cell", name="app.example.com")).to_be_visible()
    await expect(shown.get_by_role("img", name="A chart")).to_be_visible()
    await expect(shown.locator(".unknown-block")).to_have_count(0)
    # Written five times, live not once.
    assert (await shown.inner_text()).count("<!channel>") == 5
    assert await shown.locator("script, img, .broadcast, a[href^=javascript]").count() == 0
    assert await page.evaluate("window.broken") is None
    await bolt.client.chat_postMessage(channel="C0SHARED", text="a meant <!channel>")
    await expect(shown.locator(".broadcast")).to_have_text("@channel")
    assert errors == []


async def test_a_person_replies_approves_and_fills_in_a_form(
    server: WorkspaceServer, bolt: AsyncApp, connect: Connect, ws: Workspace, page: Page
) -> None:
    @bolt.action("approve")
    async def approve(ack: Any, body: Json, client: Any) -> None:
        await ack()
        await client.views_open(trigger_id=body["trigger_id"], view=FORM)

    @bolt.view("form")
    async def submitted(ack: Any, view: Json, client: Any) -> None:
        values = view["state"]["values"]
        if values["why"]["why"]["value"] == "bad":
            await ack(response_action="errors", errors={"why": "Say more."})
            return
        await ack()
        mode = values["mode"]["mode"]["selected_option"]["value"]
        name = values["file"]["file"]["files"][0]["name"]
        await client.chat_postMessage(channel="C0RETESTS", text=f"taken: {mode} {name}")

    @bolt.event("message")
    async def message(event: Json, client: Any) -> None:
        if thread_ts := event.get("thread_ts"):
            await client.assistant_threads_setStatus(
                channel_id=event["channel"], thread_ts=thread_ts, status="is reading…"
            )
            await client.chat_postEphemeral(
                channel=event["channel"], user=event["user"], thread_ts=thread_ts, text="Got it"
            )

    await connect()
    await bolt.client.chat_postMessage(channel="C0RETESTS", text="card", blocks=EVERY_BLOCK[-1:])
    await page.goto(server.url)
    await page.get_by_role("button", name="Ben Hart").click()
    channel = page.get_by_role("log", name="Messages in retests")
    await channel.get_by_role("button", name="Approve").click()

    form = page.get_by_role("dialog", name="A form")
    await form.get_by_label("Why").fill("bad")
    await form.get_by_label("Verdict").select_option("Two")
    await form.get_by_role("radio", name="One").check()
    await form.get_by_label("File").set_input_files(
        {"name": "a.txt", "mimeType": "text/plain", "buffer": b"a"}
    )
    await form.get_by_role("button", name="Send it").click()
    await expect(form.get_by_role("alert").filter(has_text="Say more.")).to_be_visible()
    await form.get_by_label("Why").fill("because")
    await form.get_by_role("button", name="Send it").click()
    await expect(form).to_have_count(0)
    await expect(channel.get_by_text("taken: one a.txt")).to_be_visible()

    await channel.get_by_role("article").first.hover()
    await channel.get_by_role("button", name="Reply in thread").first.click()
    thread = page.get_by_role("complementary", name="Thread")
    await thread.get_by_role("textbox", name="Reply…").fill("go *ahead*")
    await thread.get_by_label("Attach files").set_input_files(
        {"name": "note.txt", "mimeType": "text/plain", "buffer": b"two\nlines"}
    )
    await thread.get_by_role("button", name="Send").click()
    await expect(thread.get_by_text("two lines")).to_be_visible()
    await expect(thread.get_by_text("Only visible to you")).to_be_visible()
    await expect(thread.get_by_role("status")).to_contain_text("Sample app is reading…")
    await thread.get_by_role("textbox", name="Reply…").fill("/sample x")
    await thread.get_by_role("textbox", name="Reply…").press("Enter")
    await expect(thread.get_by_text("/sample is not supported in threads")).to_be_visible()


async def test_a_confirmation_stands_before_the_click(
    server: WorkspaceServer, bolt: AsyncApp, connect: Connect, ws: Workspace, page: Page
) -> None:
    @bolt.action("drop")
    async def drop(ack: Any, say: Any) -> None:
        await ack()
        await say("dropped")

    await connect()
    await bolt.client.chat_postMessage(channel="C0RETESTS", text="card", blocks=EVERY_BLOCK[-1:])
    await page.goto(f"{server.url}/?person=alice")
    channel = page.get_by_role("log", name="Messages in retests")
    dialog = page.get_by_role("dialog", name="Really?")
    await channel.get_by_role("button", name="Remove").click()
    await dialog.get_by_role("button", name="Keep it").click()
    await expect(dialog).to_have_count(0)
    await channel.get_by_role("button", name="Remove").click()
    await dialog.get_by_role("button", name="Do it").click()
    await expect(channel.get_by_text("dropped")).to_have_count(1)


async def test_who_reads_at_the_end_stays_there(server: WorkspaceServer, bolt: AsyncApp, page: Page) -> None:
    for number in range(25):
        text = f"message {number} " + "that takes more lines the narrower it is " * 8
        await bolt.client.chat_postMessage(channel="C0RETESTS", text=text)
    await page.goto(f"{server.url}/?person=alice")
    channel = page.get_by_role("log", name="Messages in retests")
    last = channel.get_by_role("article").last
    await last.hover()
    await last.get_by_role("button", name="Reply in thread").click()
    await expect(page.get_by_role("complementary", name="Thread")).to_be_visible()
    await bolt.client.chat_postMessage(channel="C0RETESTS", text="one more")
    await expect(channel.get_by_text("one more")).to_be_in_viewport()

    await channel.get_by_role("article").first.scroll_into_view_if_needed()
    await bolt.client.chat_postMessage(channel="C0RETESTS", text="not now")
    await expect(channel.get_by_text("not now")).not_to_be_in_viewport()
    await page.get_by_role("textbox", name="Message #retests").fill("mine")
    await page.get_by_role("textbox", name="Message #retests").press("Enter")
    await expect(channel.get_by_text("mine", exact=True)).to_be_in_viewport()
