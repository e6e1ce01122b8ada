"""What one model turn takes and gives. No IO: the values that `turn` and the conductor exchange."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Literal, Protocol

from engine.findings.model import Finding


# Stored with each session, so the words never change.
class Mode(StrEnum):
    """Who holds the gate."""

    guided = "guided"
    auto_run = "auto_run"


FRESH_SANDBOX = "fresh sandbox"
"""The notice that the session keeps until a turn has told the agent `fresh_sandbox`."""


@dataclass(frozen=True, kw_only=True)
class Proposed:
    """The agent wants to run one command."""

    tool_call_id: str
    command: str
    rationale: str
    timeout_seconds: int
    said: str = ""
    """Prose that came with the proposal."""


@dataclass(frozen=True, kw_only=True)
class Said:
    """Prose: the agent speaks and waits."""

    text: str


@dataclass(frozen=True, kw_only=True)
class Determined:
    """The agent's own conclusion. `evidence` and `control` are command ids of this session."""

    status: Literal["fixed", "still_open", "inconclusive"]
    rationale: str
    evidence: tuple[int, ...] = ()
    control: tuple[int, ...] = ()


TurnOutput = Proposed | Said | Determined


@dataclass(frozen=True, kw_only=True)
class Ran:
    """What became of the command that the last turn proposed."""

    tool_call_id: str
    command_id: int
    command: str
    """What really ran; differs from the proposal after an edit."""
    edited: bool
    outcome: str
    exit_code: int | None
    elapsed_seconds: float
    stdout: str
    """Head and tail; the whole is behind `read_output`."""
    stderr: str
    stdout_bytes: int
    stderr_bytes: int
    denied: tuple[str, ...] = ()
    """`203.0.113.20:80/tcp`: blocked by scope, not closed."""


@dataclass(frozen=True, kw_only=True)
class NotRun:
    """The proposal was rejected, withdrawn or only given as advice; the model reads `reason`."""

    tool_call_id: str
    reason: str
    """The operator's words, or why it was set aside; may be empty."""
    kind: Literal["rejected", "withdrawn", "advice"] = "rejected"


@dataclass(frozen=True, kw_only=True)
class SeenCommand:
    """A command of the operator's own, told to the agent with its next turn."""

    command_id: int
    command: str
    outcome: str
    exit_code: int | None
    stdout: str
    stderr: str


@dataclass(frozen=True, kw_only=True)
class TurnRequest:
    """Everything one run of the model needs; the same request gives the same run again."""

    session_id: int
    finding: Finding
    goal: tuple[str, ...]
    scope: tuple[str, ...]
    """`host:port` as pinned, for the instructions."""
    mode: Mode
    history: bytes
    """pydantic-ai messages as JSON (`ModelMessagesTypeAdapter`); `[]` for the first turn."""
    answered: Ran | NotRun | None
    """The answer to the call that the history ends in, if it ends in one."""
    messages: tuple[str, ...] = ()
    """The operator's words, oldest first."""
    notices: tuple[str, ...] = ()
    """What the agent must know besides: a new goal, a new sandbox, "your files are gone"."""
    operator_commands: tuple[SeenCommand, ...] = ()
    fresh_sandbox: bool = False
    """Not the sandbox of the turn before: files, cookies and logins of earlier commands are gone."""


@dataclass(frozen=True, kw_only=True)
class TurnReply:
    """What a run came to."""

    output: TurnOutput
    history: bytes
    """The whole message history after the run, nothing trimmed."""
    respond: tuple[str, ...] = ()
    """What the agent said through `respond` on the way, in order."""
    usage: dict[str, Any]
    model: str


@dataclass(frozen=True, kw_only=True)
class OutputPiece:
    """A part of a kept standard output."""

    text: str
    """Decoded as UTF-8, undecodable bytes replaced."""
    next_offset: int | None
    """The byte to go on from; None at the end."""
    total: int
    """Bytes of the whole."""


class ReadOutput(Protocol):
    """Reads a kept output for the `read_output` tool."""

    async def __call__(self, session_id: int, command_id: int, offset: int) -> OutputPiece:
        """A piece of the standard output of a command of this session, from a byte offset.

        As long as the reader likes (tens of KiB). Raises `NotFound` for another session's command.
        """
        ...


class Agent(Protocol):
    """Runs model turns. Raises `ModelError` only; cancelling the task leaves the stored history valid."""

    async def take_turn(self, request: TurnRequest) -> TurnReply:
        """Run the model until it hands back to a human decision."""
        ...

    async def draft_goal(self, finding: Finding) -> tuple[str, ...]:
        """A few generic steps for the operator to edit; `()` when there is nothing to say."""
        ...
