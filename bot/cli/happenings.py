"""What each kind of transcript event is in words. State changes are left out: what caused them is there."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from bot.access import user_of
from bot.blocks.amounts import duration
from bot.blocks.state import VERDICT_WORDS
from engine import events as ev
from engine.events import Recorded


@dataclass(frozen=True, kw_only=True)
class Happening:
    """A line, and the words or the command that belong under it. Both may hold untrusted text."""

    words: str
    text: str = ""


def happening(recorded: Recorded) -> Happening | None:
    """The event in words; None for one that says nothing by itself."""
    describe = _DESCRIBED.get(type(recorded.event))
    return describe(_who(recorded.actor), recorded.event) if describe else None


def _who(actor: str) -> str:
    names = {ev.AGENT: "the agent", ev.AUTO_RUN: "Auto-run", ev.SYSTEM: "Revalid"}
    return names.get(actor) or user_of(actor)


def _line(words: str, text: str = "") -> Happening:
    return Happening(words=words, text=text)


def _opened(who: str, event: ev.SessionOpened) -> Happening:
    after = f", restarted from R-{event.restarted_from}" if event.restarted_from else ""
    return _line(f"{who} opened the session{after}")


def _message(who: str, event: ev.MessageReceived) -> Happening:
    # Words for what a reader would not guess; the others are plain English already.
    how = {"woke": "started the agent", "noted": "kept as a note"}.get(event.disposition, event.disposition)
    return _line(f"{who} wrote ({how})", event.text)


def _ready(_who: str, event: ev.SandboxReady) -> Happening:
    new = "a new sandbox" if event.rebuilt else "the sandbox"
    return _line(f"{new} is ready, its network lock proven; it reaches {', '.join(event.pinned)}")


def _said(_who: str, event: ev.AgentSaid) -> Happening:
    hands_back = " and handed back" if event.form == "hand_back" else ""
    return _line(f"the agent spoke{hands_back}", event.text)


def _advised(_who: str, event: ev.CommandAdvised) -> Happening:
    return _line(f"the agent would run next: {event.rationale}", event.command)


def _recommended(_who: str, event: ev.DeterminationRecommended) -> Happening:
    proof = ", ".join(f"C-{number}" for number in (*event.evidence, *event.control))
    resting = f", resting on {proof}" if proof else ""
    missing = "".join(f"\nStill missing: {want}" for want in event.missing)
    return _line(f"the agent recommends {VERDICT_WORDS[event.status]}{resting}", event.rationale + missing)


def _proposed(_who: str, event: ev.CommandProposed) -> Happening:
    return _line(
        f"the agent proposes C-{event.command_id} (at most {event.timeout_seconds} s): {event.rationale}",
        event.command,
    )


def _approved(who: str, event: ev.CommandApproved) -> Happening:
    edited = event.edited_from is not None
    how = "edited and approved" if edited else "approved"
    # As proposed it stands a few lines above already.
    return _line(f"{who} {how} C-{event.command_id}", event.command if edited else "")


def _rejected(who: str, event: ev.CommandRejected) -> Happening:
    return _line(f"{who} rejected C-{event.command_id}", event.reason)


def _ended(_who: str, event: ev.CommandEnded) -> Happening:
    outcome = event.outcome.replace("_", " ")
    code = f" {event.exit_code}" if event.outcome == "exited" else ""
    memory = ", out of memory" if event.out_of_memory else ""
    denied = "".join(f"\nBlocked by scope: {where}" for where in event.denied)
    after = duration(event.elapsed_seconds)
    return _line(f"C-{event.command_id} {outcome}{code} after {after}{memory}", denied.strip())


def _failed(_who: str, event: ev.CommandFailed) -> Happening:
    what = "did not start" if event.outcome == "not_started" else "ended in a way nobody knows"
    return _line(f"C-{event.command_id} {what}: {event.sentence}")


def _goal(who: str, event: ev.GoalChanged) -> Happening:
    how = "had the goal drafted anew" if event.regenerated else "changed the goal"
    return _line(f"{who} {how}", "\n".join(event.goal))


def _operators(who: str, event: ev.OperatorsChanged) -> Happening:
    people = [event.operator, *event.others]
    return _line(f"{who} changed who may operate: {', '.join(user_of(one) for one in people)}")


def _verdict(who: str, event: ev.VerdictRecorded) -> Happening:
    instead = f", in place of verdict {event.supersedes}" if event.supersedes else ""
    return _line(f"{who} concluded: {VERDICT_WORDS[event.status]}{instead}", event.rationale)


_DESCRIBED: Mapping[type[ev.Event], Callable[[str, Any], Happening]] = {
    ev.SessionOpened: _opened,
    ev.SessionRestarted: lambda who, e: _line(f"{who} restarted the session as R-{e.new_session_id}"),
    ev.MessageReceived: _message,
    ev.MessageChanged: lambda who, e: _line(f"{who} changed what they wrote, which was still queued", e.text),
    ev.MessageWithdrawn: lambda who, _: _line(f"{who} withdrew a message that was still queued"),
    ev.SandboxReady: _ready,
    ev.SandboxFailed: lambda _, e: _line(f"the sandbox failed: {e.sentence}"),
    ev.SandboxRemoved: lambda _, e: _line("the sandbox is removed"),
    ev.AgentSaid: _said,
    ev.CommandAdvised: _advised,
    ev.DeterminationRecommended: _recommended,
    ev.DeterminationSetAside: lambda _, e: _line("the agent put its conclusion aside to read a message"),
    ev.CommandProposed: _proposed,
    ev.GateOpened: lambda _, e: _line(f"C-{e.command_id} waits for a decision again"),
    ev.CommandHeld: lambda _, e: _line(f"C-{e.command_id} is held"),
    ev.CommandApproved: _approved,
    ev.CommandRejected: _rejected,
    ev.CommandWithdrawn: lambda _, e: _line(f"C-{e.command_id} was set aside, unrun: {e.reason}"),
    ev.OperatorCommand: lambda who, e: _line(f"{who} runs C-{e.command_id}", e.command),
    ev.CommandEnded: _ended,
    ev.CommandFailed: _failed,
    ev.CommandRepeated: lambda who, e: _line(f"{who} had C-{e.command_id} run again as C-{e.repeated_as}"),
    ev.CommandMarkedNotRun: lambda who, e: _line(f"{who} says that C-{e.command_id} did not run"),
    ev.TurnFailed: lambda _, e: _line(f"the agent could not go on: {e.sentence}"),
    ev.TurnRetried: lambda who, e: _line(f"{who} had the agent think again"),
    ev.StopRequested: lambda who, e: _line(f"{who} asked to stop"),
    ev.KillRequested: lambda who, e: _line(f"{who} had C-{e.command_id} killed"),
    ev.AutoRunChanged: lambda who, e: _line(f"{who} turned Auto-run {'on' if e.on else 'off'}"),
    ev.GoalChanged: _goal,
    ev.OperatorsChanged: _operators,
    ev.VerdictRecorded: _verdict,
    ev.VerdictWithdrawn: lambda who, e: _line(f"{who} withdrew the verdict {VERDICT_WORDS[e.status]}"),
    ev.LaterEvent: lambda who, e: _line(f"{who}: {e.name}, which a later version of Revalid wrote"),
}
