"""What the tasks of a session report back to its worker."""

from __future__ import annotations

from dataclasses import dataclass

from engine.agent.port import TurnReply
from engine.errors import RevalidError
from engine.sandbox.port import Handle, Result


@dataclass(frozen=True, kw_only=True)
class Provisioned:
    """The sandbox is up and its lock proven."""

    handle: Handle


@dataclass(frozen=True, kw_only=True)
class ProvisionFailed:
    """There is no sandbox."""

    error: RevalidError


@dataclass(frozen=True, kw_only=True)
class TurnDone:
    """The model handed back to a human decision."""

    reply: TurnReply
    told: tuple[int, ...]
    """Commands whose outcome the agent has now read."""
    notices: int
    """How many of the session's notices went along."""
    missing: tuple[str, ...]
    """What a determination still lacks under the rules of evidence."""


@dataclass(frozen=True, kw_only=True)
class TurnLost:
    """The model did not answer."""

    error: RevalidError


@dataclass(frozen=True, kw_only=True)
class CommandEnd:
    """A command ran."""

    command_id: int
    result: Result
    stdout_sha256: str
    stderr_sha256: str


@dataclass(frozen=True, kw_only=True)
class CommandLost:
    """A command did not start (`started` False), or nobody knows how it ended."""

    command_id: int
    started: bool
    error: RevalidError
    distrusted: Handle | None = None
    """The sandbox it was in, when no other command may run in there."""


@dataclass(frozen=True, kw_only=True)
class GoalDrafted:
    """A new goal was drafted; empty when the model had nothing to say."""

    by: str
    goal: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class SandboxGone:
    """Nothing of the session's sandbox is left."""


@dataclass(frozen=True, kw_only=True)
class SandboxMissing:
    """The sandbox that the session counts on is not there any more."""

    handle: Handle


@dataclass(frozen=True, kw_only=True)
class LeftoversRemoved:
    """What was left of a sandbox that the session did not need is gone."""

    handle: Handle | None
    """The sandbox as the session had it then."""


Report = (
    Provisioned
    | ProvisionFailed
    | TurnDone
    | TurnLost
    | CommandEnd
    | CommandLost
    | GoalDrafted
    | SandboxGone
    | SandboxMissing
    | LeftoversRemoved
)
