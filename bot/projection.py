"""From a transcript event to what Slack shows of it: a pure function.

An event comes to exactly one message, or to none when a card or the root shows it. A command's events all
show on its one card, which is drawn from the command as it is now: a backlog costs one post a command.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from bot.blocks import output, said, verdict
from bot.blocks.amounts import clock
from bot.blocks.command import command_card, speaks_apart
from bot.blocks.message import Message
from bot.blocks.output import Stream
from bot.blocks.rich import mention
from engine import events as ev
from engine.events import Recorded
from engine.lifecycle import State
from engine.views import CommandView, SessionView

ROOT = "root"


@dataclass(frozen=True, kw_only=True)
class Show:
    """Have a message: post it, or bring the one in this slot up to date."""

    slot: str
    message: Message
    in_channel: bool = False
    """Beside the root card instead of in the thread."""
    create: bool = True
    """False: only if it was posted before."""
    edit: bool = True
    """False: leave one that was posted before to the next refresh."""


@dataclass(frozen=True, kw_only=True)
class Upload:
    """Have a file in the thread: the bytes themselves, or a kept output by its digest."""

    slot: str
    name: str
    title: str
    content: bytes = b""
    digest: str = ""


Effect = Show | Upload


@dataclass(frozen=True, kw_only=True)
class Facts:
    """What drawing an event needs besides the event, as it is now."""

    session: SessionView
    now: datetime
    commands: Mapping[int, CommandView] = field(default_factory=dict)
    streams: Mapping[int, tuple[Stream, ...]] = field(default_factory=dict)
    """What ended commands wrote."""
    tails: Mapping[int, bytes] = field(default_factory=dict)
    """The end of what running commands have written so far."""
    decided: Mapping[int, datetime] = field(default_factory=dict)
    links: Mapping[int, str] = field(default_factory=dict)
    """Thread addresses by session."""
    standing: Recorded | None = None
    """The recommendation or the failure that still has its button."""


def project(recorded: Recorded, facts: Facts) -> tuple[Effect, ...]:
    """What has to be there once this event is shown, in order."""
    draw = _DRAWN.get(type(recorded.event))
    drawn = draw(recorded, recorded.event, facts) if draw else ()
    after = standing_after(recorded, facts.standing)
    # After what the event draws: the new message is there before the old button goes.
    if facts.standing and (after is None or after.number != facts.standing.number):
        return (*drawn, _retired(facts.standing))
    return drawn


def standing_after(recorded: Recorded, standing: Recorded | None) -> Recorded | None:
    """The event whose button still stands after another one: the newest, until the session moves on."""
    event = recorded.event
    if isinstance(event, ev.DeterminationRecommended | _Failure):
        return recorded
    if standing is None or isinstance(event, ev.VerdictRecorded):
        return None
    ends = _RETRIED_FROM if isinstance(standing.event, _Failure) else _MOVES_ON
    # By the state and not by each of its many causes.
    return None if isinstance(event, ev.StateChanged) and event.after in ends else standing


_Failure = ev.TurnFailed | ev.SandboxFailed
_MOVES_ON = frozenset({State.working, State.concluded, State.ended})
# A session that is stopped is gone on with by a reply.
_RETRIED_FROM = _MOVES_ON | {State.stopped}


def command_slot(command_id: int) -> str:
    """The slot of a command's card."""
    return f"command:{command_id}"


def card(command: CommandView, facts: Facts) -> Message:
    """A command's card as the command is now."""
    return command_card(
        command,
        now=facts.now,
        decided_at=facts.decided.get(command.id, command.started),
        streams=facts.streams.get(command.id, ()),
        live=facts.tails.get(command.id, b""),
        said=not speaks_apart(command),
    )


_OnCommand = (
    ev.GateOpened
    | ev.CommandHeld
    | ev.CommandApproved
    | ev.CommandRejected
    | ev.CommandWithdrawn
    | ev.OperatorCommand
    | ev.CommandFailed
    | ev.CommandRepeated
    | ev.CommandMarkedNotRun
    | ev.KillRequested
)


def _retired(recorded: Recorded) -> Show:
    event = recorded.event
    if isinstance(event, ev.DeterminationRecommended):
        message = said.recommendation(recorded, event, stands=False)
    else:
        assert isinstance(event, _Failure)  # noqa: S101 - nothing else stands
        message = _failed(event)
    return Show(slot=event_slot(recorded), message=message, create=False)


def _failed(event: _Failure, retry: Recorded | None = None) -> Message:
    if isinstance(event, ev.TurnFailed):
        return said.failure("The agent could not go on.", event.sentence, evidence=False, retry=retry)
    return said.failure("The sandbox failed.", event.sentence, retry=retry)


def event_slot(recorded: Recorded) -> str:
    """The slot of an event's own message."""
    return f"event:{recorded.number}"


def _one(recorded: Recorded, message: Message) -> tuple[Effect, ...]:
    return (Show(slot=event_slot(recorded), message=message),)


def _line(recorded: Recorded, words: str, text: str) -> tuple[Effect, ...]:
    return _one(recorded, said.notice(words, text=text))


def _prose(slot: str, text: str, file_name: str) -> tuple[Effect, ...]:
    if said.too_long(text):
        shown = Show(slot=slot, message=said.agent_said_in_file(text, file_name))
        whole = Upload(slot=f"{slot}:file", name=file_name, title="The agent's words", content=text.encode())
        return shown, whole
    messages = said.agent_said(text)
    slots = (slot, *(f"{slot}:{part}" for part in range(2, len(messages) + 1)))
    return tuple(Show(slot=each, message=message) for each, message in zip(slots, messages, strict=False))


def _agent_said(recorded: Recorded, event: ev.AgentSaid, _facts: Facts) -> tuple[Effect, ...]:
    return _prose(event_slot(recorded), event.text, f"R-{recorded.session_id}-{recorded.number}.md")


def _proposed(recorded: Recorded, event: ev.CommandProposed, facts: Facts) -> tuple[Effect, ...]:
    command = facts.commands[event.command_id]
    ahead: tuple[Effect, ...] = ()
    if speaks_apart(command):
        words = "\n\n".join(part for part in (command.said, command.rationale) if part.strip())
        ahead = _prose(event_slot(recorded), words, f"C-{command.id}-why.md")
    return (*ahead, Show(slot=command_slot(command.id), message=card(command, facts)))


def _command(_recorded: Recorded, event: _OnCommand, facts: Facts) -> tuple[Effect, ...]:
    command = facts.commands[event.command_id]
    return (Show(slot=command_slot(command.id), message=card(command, facts)),)


def _command_if_shown(_recorded: Recorded, event: _OnCommand, facts: Facts) -> tuple[Effect, ...]:
    command = facts.commands[event.command_id]
    return (Show(slot=command_slot(command.id), message=card(command, facts), create=False),)


def _started(_recorded: Recorded, event: ev.CommandStarted, facts: Facts) -> tuple[Effect, ...]:
    command = facts.commands[event.command_id]
    return (Show(slot=command_slot(command.id), message=card(command, facts), edit=False),)


def _ended(_recorded: Recorded, event: ev.CommandEnded, facts: Facts) -> tuple[Effect, ...]:
    command = facts.commands[event.command_id]
    digests = {"stdout": event.stdout_sha256, "stderr": event.stderr_sha256}
    files = tuple(
        Upload(
            slot=f"file:{command.id}:{stream.name}",
            name=output.file_name(command.id, stream),
            title=f"{stream.name} of C-{command.id}, sha256 {digests[stream.name][:12]}",
            digest=digests[stream.name],
        )
        for stream in facts.streams.get(command.id, ())
        if not stream.whole
    )
    return (Show(slot=command_slot(command.id), message=card(command, facts)), *files)


def _verdict(recorded: Recorded, event: ev.VerdictRecorded, facts: Facts) -> tuple[Effect, ...]:
    session = facts.session
    link = facts.links.get(session.id, "")
    in_thread = verdict.thread_verdict(recorded, event, facts.commands)
    in_channel = verdict.channel_verdict(recorded, event, session, link)
    slot = f"verdict:{event.verdict_id}"
    shown = (
        Show(slot=slot, message=in_thread),
        Show(slot=f"{slot}:channel", message=in_channel, in_channel=True),
    )
    if event.supersedes is None:
        return shown
    # A no-op when the earlier verdict was another session's; its line stands above this one, with its date.
    replaced = verdict.channel_replaced(recorded, event, session, link)
    earlier = f"verdict:{event.supersedes}:channel"
    return (*shown, Show(slot=earlier, message=replaced, in_channel=True, create=False))


def _withdrawn(recorded: Recorded, event: ev.VerdictWithdrawn, facts: Facts) -> tuple[Effect, ...]:
    link = facts.links.get(facts.session.id, "")
    gone = verdict.channel_withdrawn(recorded, event.status, facts.session, link)
    slot = f"verdict:{event.verdict_id}:channel"
    return (
        *_one(recorded, said.verdict_withdrawn(recorded, event.status)),
        Show(slot=slot, message=gone, in_channel=True, create=False),
    )


def _state(recorded: Recorded, event: ev.StateChanged, _facts: Facts) -> tuple[Effect, ...]:
    when = clock(recorded.at)
    by = f" by {mention(recorded.actor)}" if ":" in recorded.actor else ""
    if event.after == State.stopped:
        words = f"⏸️ Stopped{by} {when}. The sandbox stays alive; a reply here goes on."
        return _line(recorded, words, "The session is stopped")
    if event.after == State.ended:
        words = f"⏹️ Ended{by} {when} without a verdict. The sandbox is removed, the transcript is kept."
        return _line(recorded, words, "The session has ended")
    return ()


def _restarted(recorded: Recorded, event: ev.SessionRestarted, facts: Facts) -> tuple[Effect, ...]:
    address = facts.links.get(event.new_session_id, "")
    name = f"R-{event.new_session_id}"
    linked = f"<{address}|{name}>" if address else name
    words = f"🔁 Restarted by {mention(recorded.actor)} as {linked}, in a thread of its own."
    return _line(recorded, words, "The session was restarted")


def _sandbox_ready(recorded: Recorded, event: ev.SandboxReady, _facts: Facts) -> tuple[Effect, ...]:
    return _one(recorded, said.sandbox_ready(event))


def _failure(recorded: Recorded, event: _Failure, _facts: Facts) -> tuple[Effect, ...]:
    return _one(recorded, _failed(event, retry=recorded))


def _turn_retried(recorded: Recorded, _event: ev.TurnRetried, _facts: Facts) -> tuple[Effect, ...]:
    return _line(
        recorded, f"🔁 {mention(recorded.actor)} had the agent think again.", "The agent thinks again"
    )


def _stop_requested(recorded: Recorded, _event: ev.StopRequested, _facts: Facts) -> tuple[Effect, ...]:
    words = f"⏸️ {mention(recorded.actor)} asked to stop; what is in flight finishes first."
    return _line(recorded, words, "Stop was asked for")


def _advised(recorded: Recorded, event: ev.CommandAdvised, _facts: Facts) -> tuple[Effect, ...]:
    return _one(recorded, said.advice(event))


def _recommended(recorded: Recorded, event: ev.DeterminationRecommended, _f: Facts) -> tuple[Effect, ...]:
    return _one(recorded, said.recommendation(recorded, event))


def _set_aside(recorded: Recorded, event: ev.DeterminationSetAside, _facts: Facts) -> tuple[Effect, ...]:
    words = event.status.replace("_", " ")
    line = f"The agent was about to conclude *{words}*, but a message came in; it reads that first."
    return _line(recorded, line, "The agent reads your message first")


def _auto_run(recorded: Recorded, event: ev.AutoRunChanged, _facts: Facts) -> tuple[Effect, ...]:
    return _one(recorded, said.auto_run(on=event.on, actor=recorded.actor))


def _goal(recorded: Recorded, event: ev.GoalChanged, _facts: Facts) -> tuple[Effect, ...]:
    return _one(recorded, said.goal_changed(event, recorded.actor))


def _operators(recorded: Recorded, event: ev.OperatorsChanged, _facts: Facts) -> tuple[Effect, ...]:
    others = ", ".join(mention(person) for person in event.others[:10])
    words = f"The operator is {mention(event.operator)}" + (f", with {others}." if others else ".")
    return _line(recorded, words, "Who may operate has changed")


_DRAWN: Mapping[type[ev.Event], Callable[[Recorded, Any, Facts], tuple[Effect, ...]]] = {
    ev.SessionRestarted: _restarted,
    ev.StateChanged: _state,
    ev.SandboxReady: _sandbox_ready,
    ev.SandboxFailed: _failure,
    ev.AgentSaid: _agent_said,
    ev.CommandAdvised: _advised,
    ev.DeterminationRecommended: _recommended,
    ev.DeterminationSetAside: _set_aside,
    ev.CommandProposed: _proposed,
    ev.GateOpened: _command_if_shown,
    ev.CommandHeld: _command_if_shown,
    ev.CommandApproved: _command,
    ev.CommandRejected: _command_if_shown,
    ev.CommandWithdrawn: _command_if_shown,
    ev.OperatorCommand: _command,
    ev.CommandStarted: _started,
    ev.CommandEnded: _ended,
    ev.CommandFailed: _command,
    ev.CommandRepeated: _command_if_shown,
    ev.CommandMarkedNotRun: _command_if_shown,
    ev.TurnFailed: _failure,
    ev.TurnRetried: _turn_retried,
    ev.StopRequested: _stop_requested,
    ev.KillRequested: _command_if_shown,
    ev.AutoRunChanged: _auto_run,
    ev.GoalChanged: _goal,
    ev.OperatorsChanged: _operators,
    ev.VerdictRecorded: _verdict,
    ev.VerdictWithdrawn: _withdrawn,
}
"""Other kinds show on the root card, or not at all: people's messages are in the thread already."""
