"""What the engine tells about findings, sessions and commands: plain values, safe to keep."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Literal

from engine.events import Recorded
from engine.findings.model import Finding
from engine.lifecycle import Input, Situation, State
from engine.scope import Danger, Pinned, Scope, Target

Status = Literal["fixed", "still_open", "inconclusive"]


class CommandState(StrEnum):
    """The life of a command's row; `unknown` becomes `repeated` or `not_run` when a person says so."""

    proposed = "proposed"
    held = "held"
    approved = "approved"
    claimed = "claimed"
    running = "running"
    unknown = "unknown"
    rejected = "rejected"
    withdrawn = "withdrawn"
    finished = "finished"
    timed_out = "timed_out"
    killed = "killed"
    failed = "failed"
    repeated = "repeated"
    not_run = "not_run"


ADVICE = "advice"
"""The reason of a withdrawn command that was shown to the operator as what the agent would run next."""

RAN = frozenset({CommandState.finished, CommandState.timed_out, CommandState.killed})
IN_FLIGHT = frozenset({CommandState.claimed, CommandState.running})


@dataclass(frozen=True, kw_only=True)
class CommandView:
    """A command: proposed by the agent or typed by the operator."""

    id: int
    session_id: int
    origin: Literal["agent", "operator"]
    text: str
    """What runs: the edited text after an edit."""
    rationale: str
    said: str
    timeout_seconds: int
    digest: str
    """SHA-256 of text, time limit and scope; checked again before it runs."""
    state: CommandState
    edited_from: str | None
    decided_by: str | None
    reason: str
    """Why it was rejected, withdrawn or failed."""
    tool_call_id: str | None
    told: bool
    """The agent has been given the outcome."""
    outcome: str | None
    exit_code: int | None
    elapsed_seconds: float | None
    stdout_sha256: str | None
    stderr_sha256: str | None
    stdout_bytes: int
    stderr_bytes: int
    denied: tuple[str, ...]
    out_of_memory: bool = False
    repeats: int | None = None
    """The command whose outcome was unknown, when this one was run in its place."""
    resolved_by: str | None = None
    """Who ran it again or marked it as not run, when its outcome was unknown."""
    created: datetime
    started: datetime | None
    ended: datetime | None


@dataclass(frozen=True, kw_only=True)
class Exhibit:
    """A command that a verdict rests on."""

    command_id: int
    role: Literal["replay", "control", "evidence"]
    command: str
    outcome: str
    exit_code: int | None
    stdout_sha256: str
    stderr_sha256: str


@dataclass(frozen=True, kw_only=True)
class VerdictView:
    """One verdict, never changed; `withdrawn_by` says that it no longer stands."""

    id: int
    finding_id: int
    session_id: int
    status: Status
    reason: str
    """`agent_conclusion`, `operator_conclusion` or `operator_adjudication`."""
    rationale: str
    by: str
    supersedes: int | None
    withdrawn_by: str | None
    exhibits: tuple[Exhibit, ...]
    at: datetime


@dataclass(frozen=True, kw_only=True)
class FindingView:
    """A finding as imported, with its current determination."""

    id: int
    finding: Finding
    imported_by: str
    imported: datetime
    verdict: VerdictView | None


@dataclass(frozen=True, kw_only=True)
class SessionView:
    """A session as it is now."""

    id: int
    finding_id: int
    title: str
    severity: str
    situation: Situation
    revision: int
    operator: str
    others: tuple[str, ...]
    """Further people who may operate it."""
    goal: tuple[str, ...]
    scope: Scope
    pinned: Pinned | None
    restarted_from: int | None
    restarted_as: int | None
    verdict: VerdictView | None
    """What this session concluded, if it still stands."""
    waiting: CommandView | None
    """The proposal at the gate, open or held."""
    running: tuple[CommandView, ...]
    working_since: datetime | None
    created: datetime
    events: int

    @property
    def state(self) -> State:
        """Where the session is."""
        return self.situation.state


@dataclass(frozen=True, kw_only=True)
class Ask:
    """What a person asks of a session. Only the fields that the input needs are read."""

    given: Input
    by: str
    """The person's immutable id, opaque to the engine."""
    command_id: int | None = None
    """approve, edit, reject, set aside, run again, mark as not run, kill (None: whichever runs)."""
    text: str = ""
    """The message, the edited or operator's command, the reason, or the rationale."""
    timeout_seconds: int | None = None
    goal: tuple[str, ...] = ()
    status: Status | None = None
    exhibits: tuple[int, ...] = ()
    """Conclude: the commands that prove it; none means every command that ran."""
    person: str = ""
    """hand over, add operator: to whom."""
    message_id: int | None = None
    """edit message, withdraw message: which."""
    key: str = ""
    """The same for every repeat of this very request, which is then done once. Empty: it has no repeats."""


@dataclass(frozen=True, kw_only=True)
class Answer:
    """Done, or refused because. `sentence` is for the person who asked."""

    done: bool
    sentence: str
    session: SessionView
    fresh: SessionView | None = None
    """Restart: the session that took over."""
    message_id: int | None = None
    """message: its place in the queue."""


@dataclass(frozen=True, kw_only=True)
class ProposedTarget:
    """A target that the finding names, and what a person has to know before saying yes."""

    target: Target
    dangers: frozenset[Danger]
    """Each wants an explicit yes; empty means that a plain tick is enough."""
    addresses: tuple[str, ...]
    """What the name resolves to now; empty when it does not."""


@dataclass(frozen=True, kw_only=True)
class Imported:
    """What an import changed in the database."""

    new: tuple[FindingView, ...]
    known: tuple[FindingView, ...]
    """Already there, unchanged."""


@dataclass(frozen=True, kw_only=True)
class Transcript:
    """A session with all that happened in it."""

    session: SessionView
    finding: FindingView
    events: tuple[Recorded, ...]
    commands: tuple[CommandView, ...]
