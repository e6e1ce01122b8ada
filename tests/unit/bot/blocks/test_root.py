"""The root card."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from bot.blocks.ids import Action
from bot.blocks.message import Message
from bot.blocks.root import root_card
from engine.lifecycle import LIVE, State
from engine.scope import Scope, Target
from engine.views import SessionView
from tests.unit.bot.blocks.samples import (
    BEN,
    HOSTILE,
    NOON,
    assert_inert,
    assert_shows,
    buttons,
    command,
    session,
    verdict,
    words,
)


def draw(view: SessionView, seconds: int = 0, **changes: Any) -> Message:
    message = root_card(view, now=NOON + timedelta(seconds=seconds), **changes)
    assert_shows(message)
    return message


def auto(view: SessionView) -> SessionView:
    return replace(view, situation=replace(view.situation, auto_run=True))


@pytest.mark.parametrize("state", sorted(LIVE))
def test_a_live_session_has_all_its_permanent_controls(state: State) -> None:
    message = draw(session(state))

    assert list(buttons(message)) == [
        Action.stop,
        Action.auto_on,
        Action.conclude,
        Action.restart,
        Action.end,
    ]
    for action in (Action.auto_on, Action.restart, Action.end):
        assert "confirm" in buttons(message)[action]


def test_what_is_over_offers_what_is_still_possible() -> None:
    assert list(buttons(draw(session(State.concluded, verdict=verdict())))) == [
        Action.conclude_again,
        Action.reopen,
        Action.restart,
    ]
    assert list(buttons(draw(session(State.ended)))) == [Action.restart]


@pytest.mark.parametrize(
    ("view", "line"),
    [
        (session(), "not started; a reply in the thread starts it"),
        (session(State.working), "the agent is thinking"),
        (session(State.awaiting_command, waiting=command()), "waiting for a decision on C-7"),
        (session(State.awaiting_operator), "your turn; a reply in the thread goes on"),
        (session(State.stopped), "stopped; a reply in the thread goes on"),
        (session(State.concluded, verdict=verdict()), "concluded: still open"),
        (session(State.ended), "ended without a verdict"),
    ],
)
def test_the_card_says_where_the_session_is(view: SessionView, line: str) -> None:
    assert line in words(draw(view))


def test_the_elapsed_time_moves_in_steps_so_that_the_card_is_not_edited_all_the_time() -> None:
    view = session(State.working)

    assert draw(view, 29) == draw(view, 3)
    assert "the agent is thinking · 1 min 30 s" in words(draw(view, 95))


def test_auto_run_is_loud() -> None:
    message = draw(auto(session(State.working)))

    assert "AUTO-RUN IS ON" in words(message)
    assert Action.auto_off in buttons(message)
    assert "AUTO-RUN" not in words(draw(session(State.working)))
    assert "AUTO-RUN IS ON" not in words(draw(auto(session(State.concluded))))


def test_goal_scope_operator_and_mode_are_on_the_card() -> None:
    text = words(draw(session(others=(BEN,))))

    assert "F-12  SQL injection in search" in text
    assert "high severity" in text
    assert "Send the recorded request" in text
    assert "shop.example.com:8080" in text
    assert "203.0.113.10" in text
    assert "Operator <@U1ALICE> with <@U2BEN>" in text
    assert "Guided: every command waits for a decision" in text


def test_a_restart_is_linked_both_ways() -> None:
    view = session(restarted_from=41, restarted_as=43)

    text = words(draw(view, links={41: "https://workspace.example.com/archives/C1/p1"}))
    assert "Restarted from <https://workspace.example.com/archives/C1/p1|R-41>" in text
    assert "Restarted as R-43" in text


def test_a_stop_that_waits_says_so() -> None:
    view = session(State.working)

    text = words(draw(replace(view, situation=replace(view.situation, stop_requested=True))))
    assert "the agent is thinking, then stops" in text


def test_hostile_titles_goals_and_hosts_are_only_characters() -> None:
    view = session(
        title=HOSTILE,
        severity=HOSTILE,
        goal=(HOSTILE,) * 30,
        scope=Scope(targets=tuple(Target(host=f"{HOSTILE}{n}", ports=(80, 443)) for n in range(40))),
        verdict=verdict(rationale=HOSTILE * 20),
        pinned=None,
        operator="T1:U1ALICE",
    )

    assert_inert(draw(view))


def test_a_person_who_is_not_of_slack_is_not_mentioned() -> None:
    assert "<@" not in words(draw(session(operator="cli:<@U2BEN>")))
