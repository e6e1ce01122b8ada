"""The main job in a browser: open a retest, approve, reply, conclude, and find the verdict."""

from __future__ import annotations

from playwright.async_api import Page, expect

from engine.agent.port import Determined
from tests.acceptance.bot.stage import Stage, proposal
from tests.acceptance.browser import needs_browser

pytestmark = needs_browser

PROBE = "curl -i https://app.example.com/search?q=%27"


async def test_a_retest_from_the_form_to_the_verdict(stage: Stage, page: Page) -> None:
    await stage.imported()
    stage.steps.append(proposal(PROBE))
    stage.steps.append(proposal("curl -i https://app.example.com/login", call="call-2"))
    recommended = Determined(status="still_open", rationale="The proof works as it did.", evidence=(1,))
    stage.steps.append(recommended)
    await page.goto(f"{stage.server.url}/?person=alice")
    await page.get_by_role("button", name="retests").first.click()

    composer = page.locator("#channel textarea")
    await composer.fill("/revalid retest F-1")
    await composer.press("Enter")
    form = page.get_by_role("dialog", name="Retest F-1")
    await expect(form.get_by_role("checkbox", name="app.example.com:443")).to_be_checked()
    await expect(form.get_by_role("checkbox", name="intranet.example.com:8080")).not_to_be_checked()
    await form.get_by_role("button", name="Open the retest").click()

    channel, thread = page.locator("#channel"), page.locator("#thread")
    await channel.get_by_text("replies").or_(channel.get_by_text("1 reply")).first.click()
    await expect(thread.get_by_text("C-1 waits for your decision")).to_be_visible()
    await thread.get_by_role("button", name="Approve").click()
    await expect(thread.get_by_text(f"ran {PROBE}", exact=True)).to_be_visible()
    await expect(thread.get_by_text("Approved by")).to_be_visible()
    await expect(thread.get_by_role("button", name="Approve")).to_have_count(0)
    await expect(thread.get_by_text("I would try this next")).to_be_visible()

    reply = thread.locator("textarea")
    await reply.fill("What do you make of it?")
    await reply.press("Enter")
    await thread.get_by_role("button", name="Conclude: still open").click()
    conclude = page.get_by_role("dialog", name="Conclude")
    await expect(conclude.get_by_role("radio", name="Still open")).to_be_checked()
    await conclude.get_by_role("button", name="Record verdict").click()

    await expect(channel.get_by_text("F-1 is still open")).to_be_visible()
    await expect(thread.get_by_text("The proof works as it did.").last).to_be_visible()
    await expect(channel.get_by_role("button", name="Reopen")).to_be_visible()
    await expect(channel.get_by_role("button", name="Stop")).to_have_count(0)
    assert stage.agent.requests[1].messages == ()
    assert stage.agent.requests[2].messages == ("What do you make of it?",)
