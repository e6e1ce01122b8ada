"""Transcript events: what happened in a session, appended and never changed.

Each event is numbered per session by the database and carries the hash of the one before it. The text
of outputs is not in here: an event names it by its SHA-256 and the output store keeps the bytes.
"""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError
from pydantic_core import from_json

AGENT = "agent"
AUTO_RUN = "auto-run"
SYSTEM = "system"
"""Actors that are not people; a person is the opaque id that the bot gives."""

CHAIN_START = "0" * 64


class Event(BaseModel):
    """One thing that happened. Subclasses fix `kind`; their fields are the stored data."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class SessionOpened(Event):
    """A retest of one finding was opened."""

    kind: Literal["session_opened"] = "session_opened"
    finding_id: int
    title: str
    goal: tuple[str, ...]
    scope: tuple[str, ...]
    restarted_from: int | None = None


class SessionRestarted(Event):
    """A fresh session took over from this one."""

    kind: Literal["session_restarted"] = "session_restarted"
    new_session_id: int


class StateChanged(Event):
    """The session moved to another state."""

    kind: Literal["state_changed"] = "state_changed"
    before: str
    after: str


class MessageReceived(Event):
    """A person wrote in the thread."""

    kind: Literal["message_received"] = "message_received"
    message_id: int
    text: str
    disposition: Literal["woke", "resumed", "continued", "queued", "noted"]


class MessageChanged(Event):
    """A person edited a message that had not reached the agent yet."""

    kind: Literal["message_changed"] = "message_changed"
    message_id: int
    text: str


class MessageWithdrawn(Event):
    """A person deleted a message that had not reached the agent yet."""

    kind: Literal["message_withdrawn"] = "message_withdrawn"
    message_id: int


class MessagesDelivered(Event):
    """Messages reached the agent."""

    kind: Literal["messages_delivered"] = "messages_delivered"
    message_ids: tuple[int, ...]


class SandboxReady(Event):
    """The sandbox is up and its lock was proven."""

    kind: Literal["sandbox_ready"] = "sandbox_ready"
    pinned: tuple[str, ...]
    """`name (address) ports`, as the firewall has it."""
    image: str
    rebuilt: bool = False


class SandboxFailed(Event):
    """The sandbox could not be built or is gone; never evidence."""

    kind: Literal["sandbox_failed"] = "sandbox_failed"
    error: str
    sentence: str


class SandboxRemoved(Event):
    """Nothing of the sandbox is left."""

    kind: Literal["sandbox_removed"] = "sandbox_removed"
    left_over: bool = False
    """It was one that the session did not know of, found by its labels."""


class AgentSaid(Event):
    """The agent's prose. `note` on the way (the turn goes on), `hand_back` when it waits."""

    kind: Literal["agent_said"] = "agent_said"
    text: str
    form: Literal["note", "hand_back"]


class CommandAdvised(Event):
    """The agent would run this next; posted as advice, not a gate."""

    kind: Literal["command_advised"] = "command_advised"
    command_id: int
    ran: str | None
    """The command that just ran."""
    command: str
    rationale: str
    said: str = ""


class DeterminationRecommended(Event):
    """The agent recommends a verdict for the operator to confirm."""

    kind: Literal["determination_recommended"] = "determination_recommended"
    status: Literal["fixed", "still_open"]
    rationale: str
    evidence: tuple[int, ...]
    control: tuple[int, ...]
    missing: tuple[str, ...] = ()
    """What the rules of evidence still want; empty when it suffices."""


class DeterminationSetAside(Event):
    """Messages came in while the agent was concluding, so it reads them first."""

    kind: Literal["determination_set_aside"] = "determination_set_aside"
    status: Literal["fixed", "still_open"]
    rationale: str


class CommandProposed(Event):
    """The agent wants to run a command."""

    kind: Literal["command_proposed"] = "command_proposed"
    command_id: int
    command: str
    rationale: str
    timeout_seconds: int
    digest: str
    said: str = ""


class GateOpened(Event):
    """A held proposal waits for a decision again."""

    kind: Literal["gate_opened"] = "gate_opened"
    command_id: int


class CommandHeld(Event):
    """Stop holds a proposal."""

    kind: Literal["command_held"] = "command_held"
    command_id: int


class CommandApproved(Event):
    """A command may run. The actor of the event approved it."""

    kind: Literal["command_approved"] = "command_approved"
    command_id: int
    command: str
    digest: str
    auto: bool = False
    edited_from: str | None = None


class CommandRejected(Event):
    """A person turned a proposal down."""

    kind: Literal["command_rejected"] = "command_rejected"
    command_id: int
    reason: str


class CommandWithdrawn(Event):
    """A proposal was set aside without running."""

    kind: Literal["command_withdrawn"] = "command_withdrawn"
    command_id: int
    reason: str


class OperatorCommand(Event):
    """The operator runs a command of their own."""

    kind: Literal["operator_command"] = "operator_command"
    command_id: int
    command: str
    digest: str


class CommandStarted(Event):
    """The command was claimed and is about to start."""

    kind: Literal["command_started"] = "command_started"
    command_id: int


class CommandEnded(Event):
    """A command ran. Only `exited` is evidence."""

    kind: Literal["command_ended"] = "command_ended"
    command_id: int
    outcome: str
    exit_code: int | None
    elapsed_seconds: float
    stdout_sha256: str
    stderr_sha256: str
    stdout_bytes: int
    stderr_bytes: int
    denied: tuple[str, ...] = ()
    """`203.0.113.20:80/tcp`, refused by the lock while it ran."""
    out_of_memory: bool = False


class CommandFailed(Event):
    """An approved command did not run, or nobody knows whether it did."""

    kind: Literal["command_failed"] = "command_failed"
    command_id: int
    outcome: Literal["not_started", "unknown"]
    sentence: str


class CommandRepeated(Event):
    """A person had a command run again whose outcome was unknown."""

    kind: Literal["command_repeated"] = "command_repeated"
    command_id: int
    repeated_as: int
    """The command that runs in its place."""


class CommandMarkedNotRun(Event):
    """A person says that a command whose outcome was unknown did not run."""

    kind: Literal["command_marked_not_run"] = "command_marked_not_run"
    command_id: int


class TurnFailed(Event):
    """The model did not answer; the session waits."""

    kind: Literal["turn_failed"] = "turn_failed"
    error: str
    sentence: str


class TurnRetried(Event):
    """The operator had the model call run again."""

    kind: Literal["turn_retried"] = "turn_retried"


class StopRequested(Event):
    """Stop was asked for while something is in flight."""

    kind: Literal["stop_requested"] = "stop_requested"


class KillRequested(Event):
    """A person had the running command killed."""

    kind: Literal["kill_requested"] = "kill_requested"
    command_id: int


class AutoRunChanged(Event):
    """The gate changed hands."""

    kind: Literal["auto_run_changed"] = "auto_run_changed"
    on: bool


class GoalChanged(Event):
    """The operator's steps were replaced."""

    kind: Literal["goal_changed"] = "goal_changed"
    goal: tuple[str, ...]
    regenerated: bool = False


class OperatorsChanged(Event):
    """Who may operate the session changed."""

    kind: Literal["operators_changed"] = "operators_changed"
    operator: str
    others: tuple[str, ...]


class VerdictRecorded(Event):
    """A verdict was appended."""

    kind: Literal["verdict_recorded"] = "verdict_recorded"
    verdict_id: int
    status: Literal["fixed", "still_open", "inconclusive"]
    reason: str
    rationale: str
    supersedes: int | None = None
    exhibits: tuple[str, ...] = ()
    """`command_id:role:stdout_sha256:stderr_sha256`, cut by code."""


class VerdictWithdrawn(Event):
    """A verdict no longer stands; its row is kept."""

    kind: Literal["verdict_withdrawn"] = "verdict_withdrawn"
    verdict_id: int
    status: str


class LaterEvent(Event):
    """An event that a later version of Revalid wrote; this one keeps it as it is."""

    kind: Literal["later"] = "later"
    name: str
    """The kind that it was written with."""
    data: dict[str, Any]


AnyEvent = Annotated[
    SessionOpened
    | SessionRestarted
    | StateChanged
    | MessageReceived
    | MessageChanged
    | MessageWithdrawn
    | MessagesDelivered
    | SandboxReady
    | SandboxFailed
    | SandboxRemoved
    | AgentSaid
    | CommandAdvised
    | DeterminationRecommended
    | DeterminationSetAside
    | CommandProposed
    | GateOpened
    | CommandHeld
    | CommandApproved
    | CommandRejected
    | CommandWithdrawn
    | OperatorCommand
    | CommandStarted
    | CommandEnded
    | CommandFailed
    | CommandRepeated
    | CommandMarkedNotRun
    | TurnFailed
    | TurnRetried
    | StopRequested
    | KillRequested
    | AutoRunChanged
    | GoalChanged
    | OperatorsChanged
    | VerdictRecorded
    | VerdictWithdrawn
    | LaterEvent,
    Field(discriminator="kind"),
]

EVENT: TypeAdapter[AnyEvent] = TypeAdapter(AnyEvent)


class Recorded(BaseModel):
    """An event as the transcript has it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    session_id: int
    number: int
    """From 1, without a gap."""
    at: datetime
    """UTC."""
    actor: str
    event: AnyEvent
    previous: str
    hash: str


def link(*, previous: str, session_id: int, number: int, at: datetime, actor: str, data: str) -> str:
    """The SHA-256 that chains an event to the one before it, as hexadecimal digits.

    `data` is the event's JSON text exactly as stored: nothing is parsed before it is trusted.
    """
    body = [previous, session_id, number, at.astimezone(UTC).isoformat(), actor, data]
    text = json.dumps(body, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def parse(kind: str, data: str) -> AnyEvent:
    """A stored event; one that this version cannot read comes back as a `LaterEvent`."""
    try:
        return EVENT.validate_json(data)
    except ValidationError:
        return LaterEvent(name=kind, data=_fields(data))


def _fields(data: str) -> dict[str, Any]:
    try:
        fields = from_json(data)
    except ValueError:
        return {"text": data}
    return fields if isinstance(fields, dict) else {"text": data}
