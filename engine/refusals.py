"""Why an input is not possible now, as a sentence for the person who asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from engine.situation import CONDITIONS, TERMINAL, Input, Situation, State

GO_ON: Mapping[State, str] = {
    State.concluded: "Reopen it, conclude it again or Restart it",
    State.ended: "Restart it to go on",
}

STATE_IS: Mapping[State, str] = {
    State.idle: "has not started",
    State.working: "is working",
    State.awaiting_command: "waits for a decision on a command",
    State.awaiting_operator: "waits for you",
    State.stopped: "is stopped",
}

ONLY_IN: Mapping[Input, str] = {
    Input.resume: "while stopped",
    Input.carry_on: "after the agent has handed back",
    Input.start: "before it has started",
    Input.conclude_again: "once concluded",
    Input.reopen: "once concluded",
}


@dataclass(frozen=True, kw_only=True)
class Reason:
    """A sentence for some inputs, when the condition holds or there is none."""

    inputs: tuple[Input, ...]
    when: str | None = None
    sentence: str


REACHED = "That message has reached the agent already."
_ABOUT_THE_GATE = (Input.approve, Input.edit, Input.reject, Input.set_aside)

REASONS: tuple[Reason, ...] = (
    Reason(
        inputs=_ABOUT_THE_GATE,
        when="a proposal is held",
        sentence="The command is held while the session is stopped; reply in the thread to decide on it.",
    ),
    Reason(
        inputs=(Input.set_aside,),
        when="a proposal is at the gate",
        sentence="No message is queued, so there is nothing to set the command aside for.",
    ),
    Reason(inputs=_ABOUT_THE_GATE, sentence="No command is waiting for a decision."),
    Reason(
        inputs=(Input.operator_command,),
        when="the sandbox is being built",
        sentence="The sandbox is still being built; send the command again once it is ready.",
    ),
    Reason(
        inputs=(Input.operator_command,),
        sentence="There is no sandbox now; reply in the thread to have one built.",
    ),
    Reason(inputs=(Input.edit_message, Input.withdraw_message), sentence=REACHED),
    Reason(inputs=(Input.kill,), sentence="No command is running."),
    Reason(
        inputs=(Input.run_again,),
        when="a proposal is held",
        sentence="Another command is held; reply in the thread to decide on it, then run this one again.",
    ),
    Reason(
        inputs=(Input.run_again,),
        sentence="Something else is under way; run the command again once the agent has handed back.",
    ),
    Reason(inputs=(Input.retry_turn,), sentence="No model call is in flight."),
    Reason(
        inputs=(Input.stop,),
        when="Stop was asked for",
        sentence="Stop was asked for already; what is running finishes first.",
    ),
    Reason(inputs=(Input.stop,), sentence="This session is stopped already; reply in the thread to go on."),
    Reason(inputs=(Input.auto_on,), sentence="Auto-run is already on."),
    Reason(inputs=(Input.auto_off,), sentence="Auto-run is already off."),
)
"""For a live session, the first that fits."""


def refusal(situation: Situation, given: Input) -> str:
    """The sentence for an input that no row of the lifecycle takes."""
    state = situation.state
    if state in TERMINAL:
        return f"This session is {state}; {GO_ON[state]}."
    for reason in REASONS:
        if given in reason.inputs and (reason.when is None or CONDITIONS[reason.when](situation)):
            return reason.sentence
    named, where = f"{given.value[:1].upper()}{given.value[1:]}", ONLY_IN.get(given, "in another state")
    return f"{named} is only possible {where}; this session {STATE_IS[state]}."
