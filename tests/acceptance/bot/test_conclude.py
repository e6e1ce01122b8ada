"""Verdicts: by words, by the form, by a recommendation; again, withdrawn, and from a fresh session."""

from __future__ import annotations

from engine.agent.port import Determined, Said
from tests.acceptance.bot.stage import CHANNEL, Stage


async def _verdicts(stage: Stage, finding_id: int = 1) -> list[tuple[str, str, str]]:
    found = await stage.bot.engine.retests.verdicts(finding_id)
    return [(verdict.status, verdict.rationale, verdict.by) for verdict in found]


async def test_slash_conclude_acts_on_the_one_live_session(stage: Stage) -> None:
    root = await stage.opened(stage.alice)
    await stage.slash(stage.alice, "conclude still_open The proof still works.")
    await stage.in_channel("F-1 is still open")
    await stage.in_thread(root, "Verdict: still open", "The proof still works.")
    await stage.whisper(stage.alice, "The verdict is recorded")
    assert await _verdicts(stage) == [("still_open", "The proof still works.", "T0HOME:U0ALICE")]


async def test_a_verdict_needs_no_reason(stage: Stage) -> None:
    await stage.opened(stage.alice)
    await stage.slash(stage.alice, "conclude still_open")
    await stage.in_channel("F-1 is still open")
    assert await _verdicts(stage) == [("still_open", "", "T0HOME:U0ALICE")]


async def test_with_several_sessions_it_asks_which(stage: Stage) -> None:
    await stage.opened(stage.alice)
    await stage.opened(stage.alice)
    await stage.slash(stage.alice, "conclude fixed Patched in 2.1.")
    which = await stage.whisper(stage.alice, "which session?")
    assert await _verdicts(stage) == []
    await stage.alice.click({**which, "channel": CHANNEL}, "pick.1")
    await stage.in_channel("F-1 is fixed")
    assert await _verdicts(stage) == [("fixed", "Patched in 2.1.", "T0HOME:U0ALICE")]
    left = await stage.bot.engine.retests.sessions(live=True)
    assert [session.id for session in left] == [2]


async def test_without_a_session_it_says_so(stage: Stage) -> None:
    await stage.slash(stage.alice, "conclude fixed")
    await stage.whisper(stage.alice, "You operate no live session in this channel")


async def test_a_session_can_be_named(stage: Stage) -> None:
    await stage.opened(stage.alice)
    await stage.opened(stage.alice)
    await stage.slash(stage.alice, "conclude R-2 inconclusive The login is gone.")
    await stage.in_channel("inconclusive")
    assert (await stage.bot.engine.retests.session(2)).state == "concluded"
    assert (await stage.bot.engine.retests.session(1)).state == "idle"


async def test_slash_conclude_without_a_verdict_opens_the_form(stage: Stage) -> None:
    await stage.opened(stage.alice)
    await stage.slash(stage.alice, "conclude")
    await stage.form(stage.alice, "conclude_form")


async def test_the_button_opens_a_form_that_says_what_is_missing(stage: Stage) -> None:
    root, card = await stage.proposed(stage.alice, "id")
    stage.steps.append(Said(text="Seen."))
    await stage.alice.click(card, "approve")
    await stage.in_thread(root, "Seen.")
    await stage.alice.click(root, "conclude")
    form = await stage.form(stage.alice, "conclude_form")
    assert "the evidence still lacks" in stage.text(form)
    sent = await stage.alice.submit(
        form, {"status": "fixed", "rationale": "The proof is refused now.", "exhibits": ["1"]}
    )
    assert sent["ok"]
    shown = await stage.in_thread(root, "Verdict: fixed", "The proof is refused now.")
    assert "C-1" in stage.text(shown)
    await stage.in_channel("F-1 is fixed")
    [verdict] = await stage.bot.engine.retests.verdicts(1)
    assert [exhibit.command_id for exhibit in verdict.exhibits] == [1]


async def test_a_recommendation_is_confirmed_in_a_form_filled_in_with_it(stage: Stage) -> None:
    root, card = await stage.proposed(stage.alice, "id")
    stage.steps.append(Determined(status="still_open", rationale="It reproduces.", evidence=(1,)))
    await stage.alice.click(card, "approve")
    recommendation = await stage.in_thread(root, "I recommend: still open")
    await stage.alice.click(recommendation, "conclude_as")
    form = await stage.form(stage.alice, "conclude_form")
    assert (await stage.alice.submit(form, {}))["ok"]
    await stage.in_channel("F-1 is still open")
    assert await _verdicts(stage) == [("still_open", "It reproduces.", "T0HOME:U0ALICE")]


async def test_a_mention_in_the_thread_concludes_it(stage: Stage) -> None:
    first = await stage.opened(stage.alice)
    await stage.opened(stage.alice)
    await stage.alice.reply(first, "@revalid conclude still_open seen by hand")
    await stage.in_thread(first, "Verdict: still open", "seen by hand")
    await stage.whisper(stage.alice, "The verdict is recorded")


async def test_a_mention_without_a_verdict_gives_a_button_for_the_form(stage: Stage) -> None:
    root = await stage.opened(stage.alice)
    await stage.alice.reply(root, "@revalid conclude")
    which = await stage.whisper(stage.alice, "Conclude")
    await stage.alice.click({**which, "channel": CHANNEL}, "pick.1")
    await stage.form(stage.alice, "conclude_form")


async def test_a_concluded_session_can_be_concluded_again_and_reopened(stage: Stage) -> None:
    root = await stage.opened(stage.alice)
    await stage.slash(stage.alice, "conclude fixed Patched.")
    root = await stage.in_channel("Retest R-1", "[Conclude again]")
    await stage.alice.click(root, "conclude_again")
    form = await stage.form(stage.alice, "conclude_again_form")
    assert (await stage.alice.submit(form, {"status": "still_open", "rationale": "Not quite."}))["ok"]
    await stage.in_channel("F-1 is still open")
    # Nobody who scrolls the channel should read the earlier line as standing.
    await stage.in_channel("F-1 was concluded again", "is *still open* now")
    assert not [m for m in await stage.workspace.messages(CHANNEL) if "F-1 is fixed" in stage.text(m)]
    assert [status for status, _, _ in await _verdicts(stage)] == ["fixed", "still_open"]

    await stage.alice.click(root, "reopen")
    await stage.in_thread(root, "Reopened by")
    await stage.in_channel("is being retested again")
    assert (await stage.bot.engine.retests.finding(1)).verdict is None


async def test_a_form_that_comes_too_late_says_what_the_state_is(stage: Stage) -> None:
    root = await stage.opened(stage.alice)
    await stage.alice.click(root, "conclude")
    form = await stage.form(stage.alice, "conclude_form")
    await stage.slash(stage.alice, "end")
    await stage.whisper(stage.alice, "Ended without a verdict")
    late = await stage.alice.submit(form, {"status": "fixed", "rationale": "x"})
    assert "ended" in late["errors"]["status"]
    assert await _verdicts(stage) == []


async def test_restart_by_its_button_opens_a_fresh_thread_linked_both_ways(stage: Stage) -> None:
    root = await stage.opened(stage.alice)
    await stage.alice.click(root, "restart")
    fresh = await stage.in_channel("Retest R-2", "Restarted from")
    await stage.in_thread(root, "R-2")
    old = await stage.in_channel("Retest R-1", "Restarted as")
    assert fresh["ts"] != old["ts"] == root["ts"]


async def test_end_by_its_button_leaves_no_sandbox(stage: Stage) -> None:
    root, _card = await stage.proposed(stage.alice, "id")
    await stage.alice.click(root, "end")
    await stage.in_channel("Retest R-1", "ended")
    await stage.workspace.until(lambda: _none_left(stage))


async def _none_left(stage: Stage) -> bool:
    return await stage.sandboxes.list() == ()
