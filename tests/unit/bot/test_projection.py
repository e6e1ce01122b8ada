"""From events to what Slack shows, as values."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

import pytest

from bot.blocks.ids import Action
from bot.blocks.output import Stream
from bot.projection import Facts, Show, Upload, project, standing_after
from engine import events as ev
from engine.events import AGENT, SYSTEM, AnyEvent
from engine.lifecycle import State
from engine.views import CommandState
from tests.unit.bot.blocks.samples import (
    ALICE,
    NOON,
    assert_shows,
    buttons,
    command,
    ended,
    recorded,
    session,
    words,
)

FACTS = Facts(session=session(), now=NOON, commands={7: command()})
RECOMMENDED = ev.DeterminationRecommended(status="fixed", rationale="gone", evidence=(), control=())
EVENTS: tuple[AnyEvent, ...] = (
    ev.SessionOpened(finding_id=12, title="t", goal=(), scope=()),
    ev.SessionRestarted(new_session_id=43),
    ev.StateChanged(before="idle", after="working"),
    ev.MessageReceived(message_id=1, text="hi", disposition="woke"),
    ev.MessagesDelivered(message_ids=(1,)),
    ev.SandboxReady(pinned=("a",), image="x"),
    ev.SandboxFailed(error="e", sentence="It is gone."),
    ev.SandboxRemoved(),
    ev.AgentSaid(text="Hello.", form="hand_back"),
    ev.CommandAdvised(command_id=8, ran=None, command="id", rationale=""),
    RECOMMENDED,
    ev.DeterminationSetAside(status="fixed", rationale=""),
    ev.CommandProposed(command_id=7, command="id", rationale="", timeout_seconds=1, digest="0"),
    ev.GateOpened(command_id=7),
    ev.CommandHeld(command_id=7),
    ev.CommandApproved(command_id=7, command="id", digest="0"),
    ev.CommandRejected(command_id=7, reason=""),
    ev.CommandWithdrawn(command_id=7, reason=""),
    ev.OperatorCommand(command_id=7, command="id", digest="0"),
    ev.CommandStarted(command_id=7),
    ev.CommandEnded(
        command_id=7,
        outcome="exited",
        exit_code=0,
        elapsed_seconds=1,
        stdout_sha256="a",
        stderr_sha256="b",
        stdout_bytes=0,
        stderr_bytes=0,
    ),
    ev.CommandFailed(command_id=7, outcome="unknown", sentence="Nobody knows."),
    ev.TurnFailed(error="e", sentence="The model did not answer."),
    ev.TurnRetried(),
    ev.StopRequested(),
    ev.KillRequested(command_id=7),
    ev.AutoRunChanged(on=True),
    ev.GoalChanged(goal=("a",)),
    ev.OperatorsChanged(operator=ALICE, others=()),
    ev.VerdictRecorded(verdict_id=5, status="fixed", reason="agent_conclusion", rationale="gone"),
    ev.VerdictWithdrawn(verdict_id=5, status="fixed"),
    ev.LaterEvent(name="novelty", data={}),
    ev.CommandRepeated(command_id=7, repeated_as=8),
    ev.CommandMarkedNotRun(command_id=7),
    ev.MessageChanged(message_id=1, text="hello"),
    ev.MessageWithdrawn(message_id=1),
)


def test_the_events_here_are_all_that_there_are() -> None:
    assert {type(event) for event in EVENTS} == set(get_args(get_args(AnyEvent)[0]))


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: event.kind)
def test_every_event_draws_messages_that_slack_takes_each_in_a_slot_of_its_own(event: AnyEvent) -> None:
    effects = project(recorded(event), FACTS)

    slots = [effect.slot for effect in effects]
    assert len(slots) == len(set(slots))
    for effect in effects:
        if isinstance(effect, Show):
            assert_shows(effect.message)


def only(event: AnyEvent, facts: Facts = FACTS, actor: str = ALICE) -> Show:
    (effect,) = project(recorded(event, actor=actor), facts)
    assert isinstance(effect, Show)
    return effect


def test_a_command_shows_on_one_card_all_its_life() -> None:
    slots = {
        effect.slot
        for event in EVENTS
        if getattr(event, "command_id", None) == 7
        for effect in project(recorded(event), FACTS)
    }

    assert slots == {"command:7"}


def test_only_a_proposal_an_approval_or_a_result_can_put_a_card_there() -> None:
    creates = {event.kind: only(event).create for event in EVENTS if getattr(event, "command_id", None) == 7}

    assert {kind for kind, create in creates.items() if not create} == {
        "gate_opened",
        "command_held",
        "command_rejected",
        "command_withdrawn",
        "kill_requested",
        "command_repeated",
        "command_marked_not_run",
    }


def test_a_card_tells_when_it_was_decided() -> None:
    facts = replace(FACTS, commands={7: command(CommandState.approved, decided_by=ALICE)}, decided={7: NOON})

    assert "Approved by <@U1ALICE> 12:03 UTC" in words(only(EVENTS[15], facts).message)


def test_long_words_go_ahead_of_the_card_in_messages_of_their_own() -> None:
    facts = replace(FACTS, commands={7: command(said="word " * 1000)})
    proposed = EVENTS[12]

    ahead, shown = project(recorded(proposed), facts)
    assert isinstance(ahead, Show)
    assert isinstance(shown, Show)
    assert ahead.slot == "event:17"
    assert "word word" in words(ahead.message)
    assert "The report says that a quote breaks the query." in words(ahead.message)
    assert shown.slot == "command:7"
    assert "word word" not in words(shown.message)


def test_very_long_words_come_with_a_file() -> None:
    text = "word " * 9000
    shown, whole = project(recorded(ev.AgentSaid(text=text, form="note")), FACTS)

    assert isinstance(shown, Show)
    assert isinstance(whole, Upload)
    assert whole.name in words(shown.message)
    assert whole.content.decode() == text


def test_output_that_the_card_cuts_comes_as_a_file_and_short_output_does_not() -> None:
    event = EVENTS[20]
    long = Stream(name="stdout", total=9000, head=b"x" * 9000)
    short = Stream(name="stderr", total=4, head=b"oops")
    facts = replace(FACTS, commands={7: ended()}, streams={7: (long, short)})

    shown, upload = project(recorded(event), facts)
    assert shown.slot == "command:7"
    assert upload == Upload(
        slot="file:7:stdout", name="C-7-stdout.txt", title="stdout of C-7, sha256 a", digest="a"
    )


def test_a_verdict_shows_in_the_thread_and_in_the_channel() -> None:
    in_thread, in_channel = project(recorded(EVENTS[29], actor=AGENT), FACTS)

    assert isinstance(in_thread, Show)
    assert isinstance(in_channel, Show)
    assert (in_thread.slot, in_thread.in_channel) == ("verdict:5", False)
    assert (in_channel.slot, in_channel.in_channel) == ("verdict:5:channel", True)


def test_a_withdrawn_verdict_takes_back_its_line_in_the_channel() -> None:
    told, taken_back = project(recorded(EVENTS[30]), FACTS)

    assert isinstance(told, Show)
    assert isinstance(taken_back, Show)
    assert "Reopened by <@U1ALICE>" in words(told.message)
    assert (taken_back.slot, taken_back.in_channel, taken_back.create) == ("verdict:5:channel", True, False)


def test_stop_and_end_are_told_and_other_states_show_on_the_root() -> None:
    for state in State:
        effects = project(recorded(ev.StateChanged(before="working", after=state)), FACTS)
        assert bool(effects) is (state in (State.stopped, State.ended))
    by_system = only(ev.StateChanged(before="working", after="stopped"), actor=SYSTEM)
    assert "Stopped 12:03 UTC" in words(by_system.message)


def test_a_recommendation_stands_until_the_session_moves_on() -> None:
    standing = recorded(RECOMMENDED, number=9)

    for event in EVENTS:
        after = standing_after(recorded(event), standing)
        if isinstance(event, ev.DeterminationRecommended | ev.TurnFailed | ev.SandboxFailed):
            assert after == recorded(event)
        elif isinstance(event, ev.VerdictRecorded | ev.StateChanged):
            assert after is None
        else:
            assert after is standing
    waits = ev.StateChanged(before="working", after="awaiting_operator")
    assert standing_after(recorded(waits), standing) is standing


@pytest.mark.parametrize(
    "failed", [ev.TurnFailed(error="E", sentence="Busy."), ev.SandboxFailed(error="E", sentence="Gone.")]
)
def test_a_failure_has_a_retry_until_the_session_moves_on_or_is_stopped(failed: AnyEvent) -> None:
    standing = recorded(failed, number=9)
    (shown,) = project(standing, FACTS)
    assert isinstance(shown, Show)
    assert Action.retry in buttons(shown.message)

    waits = ev.StateChanged(before="working", after="awaiting_operator")
    assert standing_after(recorded(waits), standing) is standing
    for after in ("working", "stopped", "concluded", "ended"):
        moved = recorded(ev.StateChanged(before="awaiting_operator", after=after))
        retired = project(moved, replace(FACTS, standing=standing))[-1]
        assert isinstance(retired, Show)
        assert (retired.slot, retired.create) == ("event:9", False)
        assert Action.retry not in buttons(retired.message)


def test_a_recommendation_that_no_longer_stands_loses_its_button() -> None:
    facts = replace(FACTS, standing=recorded(RECOMMENDED, number=9))
    effects = project(recorded(EVENTS[29]), facts)

    retired = effects[-1]
    assert isinstance(retired, Show)
    assert (retired.slot, retired.create) == ("event:9", False)
    assert Action.conclude_as not in buttons(retired.message)


def test_the_same_recommendation_drawn_again_keeps_its_button() -> None:
    again = recorded(RECOMMENDED, number=9)
    (shown,) = project(again, replace(FACTS, standing=again))

    assert isinstance(shown, Show)
    assert Action.conclude_as in buttons(shown.message)


def test_a_restart_names_the_session_that_took_over() -> None:
    facts = replace(FACTS, links={43: "https://workspace.example.com/p1"})

    assert "as <https://workspace.example.com/p1|R-43>" in words(only(EVENTS[1], facts).message)
