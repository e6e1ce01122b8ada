"""What a person is told when an action was done. Refusals come from `lifecycle`."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from engine.lifecycle import Activity, Gate, Input, Situation, State
from engine.views import CommandState, CommandView

DONE: Mapping[Input, str] = {
    Input.approve: "Approved; it runs now.",
    Input.edit: "Approved as edited; it runs now.",
    Input.reject: "Rejected; nothing ran.",
    Input.set_aside: "The command was set aside and your message is with the agent.",
    Input.operator_command: "Your command runs as soon as the sandbox is free.",
    Input.stop: "Stopped; the sandbox stays alive. Reply in the thread to go on.",
    Input.kill: "The command is being killed.",
    Input.run_again: "It runs again, as a command of its own.",
    Input.mark_not_run: "Recorded: it did not run. The agent hears of it with its next turn.",
    Input.resume: "Resumed.",
    Input.carry_on: "The agent goes on.",
    Input.start: "Started; the sandbox is being built.",
    Input.auto_on: "Auto-run is on: commands run without asking, and the agent may conclude.",
    Input.auto_off: "Auto-run is off: the next command waits for you.",
    Input.goal_edit: "The goal is replaced; the agent reads it at its next turn.",
    Input.goal_regenerate: "A new goal is being drafted.",
    Input.retry_turn: "The model call was cancelled and runs again.",
    Input.conclude: "The verdict is recorded and the sandbox is being removed.",
    Input.conclude_again: "The new verdict is recorded; the earlier one stays on record.",
    Input.reopen: "Reopened; the verdict is withdrawn and kept on record. Reply in the thread to start.",
    Input.restart: "A fresh session is open; reply in its thread to start it.",
    Input.end: "Ended without a verdict; the sandbox is being removed.",
    Input.hand_over: "Handed over.",
    Input.edit_message: "The queued message is changed.",
    Input.withdraw_message: "The queued message is withdrawn.",
    Input.add_operator: "Added; they may operate this session too.",
}

_MESSAGE: Mapping[State, str] = {
    State.idle: "Starting the sandbox; the agent reads your message first.",
    State.stopped: "Resumed with your message.",
    State.awaiting_operator: "The agent is reading your message.",
    State.working: "Queued; the agent reads it at its next turn.",
    State.awaiting_command: "Queued; it goes along with your decision on the waiting command.",
    State.concluded: "This session is concluded, so your message is kept as a note. "
    "Reopen it or Restart it to go on.",
    State.ended: "This session is ended, so your message is kept as a note. Restart it to go on.",
}

_When = Callable[[Situation, Situation], bool]


def _opens_gate(before: Situation, after: Situation) -> bool:
    return before.gate is Gate.held and after.gate is Gate.open


def _rebuilds(before: Situation, after: Situation) -> bool:
    return before.state is not State.idle and after.activity is Activity.provisioning


def _had_none(before: Situation, _: Situation) -> bool:
    return not before.sandbox and before.activity is not Activity.provisioning


_VARIANTS: tuple[tuple[Input, _When, str], ...] = (
    (
        Input.message,
        _opens_gate,
        "Resumed: the held command waits for your decision, and your message goes along with it.",
    ),
    (
        Input.message,
        lambda before, _: before.stop_requested,
        "Queued; the session is about to stop, so the agent reads it once you resume.",
    ),
    (
        Input.message,
        lambda before, after: before.state is not State.working and _rebuilds(before, after),
        "A new sandbox is being built; the agent reads your message then.",
    ),
    (
        Input.approve,
        lambda before, _: before.operator_command,
        "Approved; it runs once the operator's own command has ended.",
    ),
    (
        Input.edit,
        lambda before, _: before.operator_command,
        "Approved as edited; it runs once the operator's own command has ended.",
    ),
    (
        Input.run_again,
        lambda _, after: after.activity is Activity.provisioning,
        "A new sandbox is being built; the command runs in it then.",
    ),
    (
        Input.stop,
        lambda _, after: after.stop_requested,
        "Stopping: what is running finishes and is recorded first.",
    ),
    (
        Input.stop,
        lambda _, after: after.gate is Gate.held,
        "Stopped; the command is held and the sandbox stays alive. Reply in the thread to go on.",
    ),
    (Input.stop, _had_none, "Stopped. Reply in the thread to go on."),
    (Input.resume, _opens_gate, "Resumed; the held command waits for your decision."),
    (
        Input.resume,
        lambda before, _: before.gate is Gate.held,
        "Resumed; the held command runs now, since Auto-run is on.",
    ),
    (
        Input.auto_on,
        lambda before, _: before.gate is Gate.open,
        "Auto-run is on: the waiting command runs now, later ones without asking, "
        "and the agent may conclude.",
    ),
    (Input.conclude, _had_none, "The verdict is recorded."),
    (Input.end, _had_none, "Ended without a verdict."),
)

_DECIDED: Mapping[CommandState, str] = {
    CommandState.held: "is held while the session is stopped; reply in the thread to open it again",
    CommandState.approved: "is already approved",
    CommandState.claimed: "is already approved and running",
    CommandState.running: "is already approved and running",
    CommandState.unknown: "was approved, and nobody knows whether it ran",
    CommandState.rejected: "was already rejected",
    CommandState.withdrawn: "was set aside",
    CommandState.finished: "was approved and has run",
    CommandState.timed_out: "was approved and ran into its time limit",
    CommandState.killed: "was approved and was killed",
    CommandState.failed: "was approved and could not be started",
    CommandState.repeated: "was run again as a command of its own",
    CommandState.not_run: "was marked as not run",
}


def done(before: Situation, after: Situation, given: Input) -> str:
    """The sentence for an action that was taken."""
    for variant, when, sentence in _VARIANTS:
        if given is variant and when(before, after):
            return sentence
    return _MESSAGE[before.state] if given is Input.message else DONE[given]


def decided(command: CommandView) -> str:
    """Why a proposal can no longer be decided."""
    return f"C-{command.id} {_DECIDED.get(command.state, 'is not waiting')}."


def not_running(command: CommandView) -> str:
    """Why a command cannot be killed."""
    how = _DECIDED.get(command.state, "still waits for a decision")
    return f"C-{command.id} {how}, so there is nothing to kill."
