"""Every kind of event in words."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import get_args

import pytest

from bot.cli import happenings
from bot.cli.happenings import happening
from engine import events as ev
from engine.events import Recorded

SILENT = {ev.StateChanged, ev.MessagesDelivered, ev.CommandStarted}


def test_every_kind_is_described_but_those_that_say_nothing() -> None:
    kinds = set(get_args(get_args(ev.AnyEvent)[0]))
    assert kinds - set(happenings._DESCRIBED) == SILENT


ENDED = {
    "command_id": 7,
    "exit_code": 0,
    "elapsed_seconds": 0.4,
    "stdout_sha256": "a" * 64,
    "stderr_sha256": "b" * 64,
    "stdout_bytes": 1,
    "stderr_bytes": 0,
}


@pytest.mark.parametrize(
    ("event", "words", "text"),
    [
        (
            ev.SessionOpened(finding_id=1, title="t", goal=(), scope=(), restarted_from=4),
            "restarted from R-4",
            "",
        ),
        (ev.MessageReceived(message_id=1, text="hi", disposition="noted"), "U1 wrote (kept as a note)", "hi"),
        (
            ev.SandboxReady(pinned=("a (203.0.113.10) 80",), image="i", rebuilt=True),
            "a new sandbox is ready",
            "",
        ),
        (ev.AgentSaid(text="hm", form="hand_back"), "the agent spoke and handed back", "hm"),
        (
            ev.CommandApproved(command_id=7, command="id -u", digest="d", edited_from="id"),
            "U1 edited and approved C-7",
            "id -u",
        ),
        (ev.CommandEnded(outcome="exited", **ENDED), "C-7 exited 0 after 0.4 s", ""),
        (
            ev.CommandEnded(
                outcome="timed_out", denied=("203.0.113.20:80/tcp",), out_of_memory=True, **ENDED
            ),
            "C-7 timed out after 0.4 s, out of memory",
            "Blocked by scope: 203.0.113.20:80/tcp",
        ),
        (
            ev.CommandFailed(command_id=7, outcome="unknown", sentence="Who knows."),
            "C-7 ended in a way nobody",
            "",
        ),
        (ev.CommandRepeated(command_id=7, repeated_as=8), "U1 had C-7 run again as C-8", ""),
        (ev.CommandMarkedNotRun(command_id=7), "U1 says that C-7 did not run", ""),
        (
            ev.DeterminationRecommended(
                status="fixed", rationale="gone", evidence=(7,), control=(8,), missing=("A control.",)
            ),
            "the agent recommends fixed, resting on C-7, C-8",
            "gone\nStill missing: A control.",
        ),
        (
            ev.VerdictRecorded(
                verdict_id=2,
                status="inconclusive",
                reason="operator_adjudication",
                rationale="why",
                supersedes=1,
            ),
            "U1 concluded: inconclusive, in place of verdict 1",
            "why",
        ),
        (ev.GoalChanged(goal=("a", "b"), regenerated=True), "U1 had the goal drafted anew", "a\nb"),
        (ev.OperatorsChanged(operator="T1:U2", others=("T1:U3",)), "U1 changed who may operate: U2, U3", ""),
        (ev.AutoRunChanged(on=True), "U1 turned Auto-run on", ""),
        (ev.LaterEvent(name="teleported", data={}), "U1: teleported, which a later version", ""),
    ],
)
def test_what_an_event_says(event: ev.AnyEvent, words: str, text: str) -> None:
    recorded = Recorded(
        session_id=1, number=1, at=datetime.now(UTC), actor="T1:U1", event=event, previous="", hash=""
    )
    told = happening(recorded)
    assert told is not None
    assert words in told.words
    assert told.text == text


@pytest.mark.parametrize(
    ("actor", "name"),
    [(ev.AGENT, "the agent"), (ev.AUTO_RUN, "Auto-run"), (ev.SYSTEM, "Revalid"), ("T1:U2", "U2")],
)
def test_who_did_it(actor: str, name: str) -> None:
    recorded = Recorded(
        session_id=1,
        number=1,
        at=datetime.now(UTC),
        actor=actor,
        event=ev.StopRequested(),
        previous="",
        hash="",
    )
    told = happening(recorded)
    assert told is not None
    assert told.words == f"{name} asked to stop"
