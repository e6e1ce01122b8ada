"""The words of a session's life: where it is, what can happen to it, and the facts a decision depends on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum


class State(StrEnum):
    """Where a session is. The last two are terminal."""

    idle = "idle"
    working = "working"
    awaiting_command = "awaiting_command"
    awaiting_operator = "awaiting_operator"
    stopped = "stopped"
    concluded = "concluded"
    ended = "ended"


LIVE = frozenset({State.idle, State.working, State.awaiting_command, State.awaiting_operator, State.stopped})
TERMINAL = frozenset({State.concluded, State.ended})
EVERY = LIVE | TERMINAL

STATE_MEANS: Mapping[State, str] = {
    State.idle: "opened, no sandbox yet",
    State.working: "a turn or an approved command is in flight, or the sandbox is being built",
    State.awaiting_command: "a proposed command waits for a decision",
    State.awaiting_operator: "the agent has handed back; the sandbox stays alive",
    State.stopped: "the operator paused it; the sandbox stays alive",
    State.concluded: "a verdict is recorded; the sandbox is gone",
    State.ended: "ended without a verdict; the sandbox is gone",
}


class Activity(StrEnum):
    """What is in flight while a session is `working`."""

    nothing = "nothing"
    provisioning = "provisioning"
    turn = "turn"
    command = "command"


class Gate(StrEnum):
    """Where the agent's proposal stands, if there is one."""

    empty = "empty"
    open = "open"
    held = "held"
    approved = "approved"


class Input(StrEnum):
    """Everything that can happen to a session. The values are the words people read."""

    message = "message"
    approve = "approve"
    edit = "edit and approve"
    reject = "reject"
    set_aside = "set aside and send now"
    operator_command = "!command"
    stop = "Stop"
    kill = "Kill"
    run_again = "Run again"
    mark_not_run = "Mark as not run"
    resume = "Resume"
    carry_on = "Continue"
    start = "Start"
    auto_on = "Auto-run on"
    auto_off = "Auto-run off"
    goal_edit = "goal edit"
    goal_regenerate = "goal regenerate"
    retry_turn = "Retry turn"
    conclude = "Conclude"
    conclude_again = "Conclude again"
    reopen = "Reopen"
    restart = "Restart"
    end = "End"
    hand_over = "hand over"
    add_operator = "add operator"
    edit_message = "edit message"
    withdraw_message = "withdraw message"

    provisioned = "sandbox ready"
    provision_failed = "sandbox failed"
    proposed = "turn: proposal"
    said = "turn: prose"
    determined = "turn: fixed or still_open"
    undetermined = "turn: inconclusive"
    turn_failed = "turn failed"
    command_done = "command ended"
    command_lost = "command lost or not started"


@dataclass(frozen=True, kw_only=True)
class Situation:
    """All the facts a decision may depend on. Stored with the session and changed with its state."""

    state: State = State.idle
    auto_run: bool = False
    activity: Activity = Activity.nothing
    gate: Gate = Gate.empty
    stop_requested: bool = False
    ran_command: bool = False
    """A command ran in this operator turn."""
    rejects: int = 0
    """Rejections in a row."""
    queued: int = 0
    carried: int = 0
    """Messages that the turn in flight took along; delivered when it succeeds, queued again when not."""
    sandbox: bool = False
    operator_command: bool = False
    """A command of the operator's own is running or waiting to."""
    verdict_allowed: bool = False
    """The rules of evidence let the agent conclude what it just determined."""


Condition = Callable[[Situation], bool]

REJECTS_BEFORE_ASKING = 3

CONDITIONS: Mapping[str, Condition] = {
    "Stop was asked for": lambda s: s.stop_requested,
    "no Stop asked for": lambda s: not s.stop_requested,
    "messages came in": lambda s: s.queued > 0,
    "Auto-run": lambda s: s.auto_run,
    "guided": lambda s: not s.auto_run,
    "a command ran in this operator turn": lambda s: s.ran_command,
    "a proposal is at the gate": lambda s: s.gate is Gate.open,
    "a proposal is held": lambda s: s.gate is Gate.held,
    "no proposal is held": lambda s: s.gate is not Gate.held,
    "a command waits for the sandbox": lambda s: s.gate is Gate.approved,
    "third rejection in a row": lambda s: s.rejects + 1 >= REJECTS_BEFORE_ASKING,
    "the sandbox is being built": lambda s: s.activity is Activity.provisioning,
    "nothing is queued": lambda s: s.queued == 0,
    "there is a sandbox": lambda s: s.sandbox,
    "a command is running": lambda s: s.activity is Activity.command or s.operator_command,
    "a model call is in flight": lambda s: s.activity is Activity.turn,
    "the evidence suffices": lambda s: s.verdict_allowed,
}
