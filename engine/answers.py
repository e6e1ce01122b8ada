"""What a person is told when an action was done. Refusals come from `lifecycle`."""

from __future__ import annotations

from collections.abc import Mapping

from engine.lifecycle import Input, Situation, State
from engine.views import CommandState, CommandView

DONE: Mapping[Input, str] = {
    Input.approve: "Approved; it runs now.",
    Input.edit: "Approved as edited; it runs now.",
    Input.reject: "Rejected; nothing ran.",
    Input.set_aside: "The command was set aside and your message is with the agent.",
    Input.operator_command: "Your command runs as soon as the sandbox is free.",
    Input.stop: "Stopped; the sandbox stays alive. Reply in the thread to go on.",
    Input.kill: "The running command is being killed.",
    Input.resume: "Resumed.",
    Input.carry_on: "The agent goes on.",
    Input.start: "Started.",
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
    Input.add_operator: "Added; they may operate this session too.",
}

STOP_LATER = "Stopping: what is running finishes and is recorded first."

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
}


def done(before: Situation, after: Situation, given: Input) -> str:
    """The sentence for an action that was taken."""
    if given is Input.message:
        if before.state is State.stopped and after.state is State.awaiting_command:
            return "Resumed: the held command waits for your decision, and your message goes along with it."
        return _MESSAGE[before.state]
    if given is Input.stop and after.stop_requested:
        return STOP_LATER
    return DONE[given]


def decided(command: CommandView) -> str:
    """Why a proposal can no longer be decided."""
    return f"C-{command.id} {_DECIDED.get(command.state, 'is not waiting')}."


def not_running(command: CommandView) -> str:
    """Why a command cannot be killed."""
    how = _DECIDED.get(command.state, "still waits for a decision")
    return f"C-{command.id} {how}, so there is nothing to kill."
