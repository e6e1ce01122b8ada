"""A verdict in the thread and in the channel."""

from __future__ import annotations

from bot.blocks.verdict import channel_replaced, channel_verdict, channel_withdrawn, thread_verdict
from engine.events import AGENT, VerdictRecorded
from tests.unit.bot.blocks.samples import HOSTILE, assert_inert, assert_shows, ended, recorded, session, words

LINK = "https://workspace.example.com/archives/C1/p1"
EVENT = VerdictRecorded(
    verdict_id=5,
    status="still_open",
    reason="operator_conclusion",
    rationale="The quote still breaks the query.",
    exhibits=(f"7:replay:{'a' * 64}:{'b' * 64}", f"9:control:{'c' * 64}:{'d' * 64}"),
)


def test_the_thread_has_status_reason_who_and_proof() -> None:
    message = thread_verdict(recorded(EVENT), EVENT, {7: ended(exit_code=0)})

    assert_shows(message)
    text = words(message)
    assert "Verdict: still open" in text
    assert "The quote still breaks the query." in text
    assert "C-7 original proof replayed, exit 0" in text
    assert "sha256 aaaaaaaaaaaa" in text
    assert "C-9 target alive" in text
    assert message.blocks[0]["elements"][0]["elements"][-1] == {"type": "user", "user_id": "U1ALICE"}


def test_the_channel_has_one_line_linked_to_the_thread() -> None:
    message = channel_verdict(recorded(EVENT), EVENT, session(), LINK)

    assert_shows(message)
    assert "F-12 is still open: SQL injection in search" in words(message)
    assert f"Retest <{LINK}|R-42>  ·  by <@U1ALICE>  ·  30 Nov 2026, 12:03 UTC" in words(message)


def test_a_second_verdict_says_that_it_replaces_the_first() -> None:
    again = EVENT.model_copy(update={"supersedes": 4, "reason": "operator_adjudication"})

    assert "(replaces the earlier verdict)" in words(channel_verdict(recorded(again), again, session(), ""))
    assert "the earlier verdict stays on record" in words(thread_verdict(recorded(again), again, {}))


def test_the_agent_is_named_when_it_concluded() -> None:
    assert "by the agent" in words(channel_verdict(recorded(EVENT, actor=AGENT), EVENT, session(), LINK))


def test_after_reopen_the_line_no_longer_claims_the_verdict() -> None:
    message = channel_withdrawn(recorded(EVENT), "still_open", session(), LINK)

    assert_shows(message)
    assert "is being retested again" in words(message)
    assert "The verdict *still open* of" in words(message)


def test_hostile_reasons_titles_and_commands_are_only_characters() -> None:
    event = EVENT.model_copy(update={"rationale": HOSTILE * 100, "exhibits": EVENT.exhibits * 20})

    for message in (
        thread_verdict(recorded(event), event, {7: ended(text=HOSTILE)}),
        channel_verdict(recorded(event), event, session(title=HOSTILE), ""),
        channel_replaced(recorded(event), event, session(title=HOSTILE), ""),
        channel_withdrawn(recorded(event), "still_open", session(title=HOSTILE), ""),
    ):
        assert_shows(message)
        assert_inert(message)
