from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from engine.lifecycle import (
    CHANGES,
    CONDITIONS,
    LIVE,
    TABLE,
    TERMINAL,
    Effect,
    Input,
    Move,
    Refusal,
    Situation,
    State,
    decide,
)
from tests.unit.engine.lifecycle.actions import ACTIONS
from tests.unit.engine.lifecycle.lines import (
    CONCLUDED,
    ENDED,
    GATE,
    HANDED_BACK,
    HOLDING,
    IDLE,
    PROVISIONING,
    RUNNING,
    STOPPED,
    TURN,
    TURN_AUTO,
    Line,
)
from tests.unit.engine.lifecycle.turns import MESSAGES, OUTPUTS, REPORTS

AT_REST = {
    State.idle: IDLE,
    State.working: TURN,
    State.awaiting_command: GATE,
    State.awaiting_operator: HANDED_BACK,
    State.stopped: STOPPED,
    State.concluded: CONCLUDED,
    State.ended: ENDED,
}


def walked(one: Line) -> None:
    move = decide(one.before, one.given)
    assert isinstance(move, Move), move
    assert move.effects == one.effects
    assert move.after == replace(one.before, state=one.state, **one.changed)


@pytest.mark.parametrize("one", MESSAGES, ids=lambda one: one.name)
def test_what_a_message_does(one: Line) -> None:
    walked(one)


@pytest.mark.parametrize("one", OUTPUTS, ids=lambda one: one.name)
def test_what_the_output_of_a_turn_does(one: Line) -> None:
    walked(one)


@pytest.mark.parametrize("one", REPORTS, ids=lambda one: one.name)
def test_what_the_end_of_something_in_flight_does(one: Line) -> None:
    walked(one)


@pytest.mark.parametrize("one", ACTIONS, ids=lambda one: one.name)
def test_what_an_action_does(one: Line) -> None:
    walked(one)


def test_every_row_is_walked_above() -> None:
    lines = [*MESSAGES, *OUTPUTS, *REPORTS, *ACTIONS]
    first = {
        next(
            row
            for row in TABLE
            if row.given is one.given
            and one.before.state in row.states
            and all(CONDITIONS[name](one.before) for name in row.when)
        )
        for one in lines
    }
    assert set(TABLE) == first


OVER = "This session is concluded; Reopen it, conclude it again or Restart it."
GONE = "This session is ended; Restart it to go on."
NO_COMMAND = "No command is waiting for a decision."
NOTHING_QUEUED = "No message is queued, so there is nothing to set the command aside for."
NO_SANDBOX = "There is no sandbox now; reply in the thread to have one built."
BUILDING = "The sandbox is still being built; send the command again once it is ready."
NOT_RUNNING = "No command is running."
NO_CALL = "No model call is in flight."
ASKED_FOR = "Stop was asked for already; what is running finishes first."
IN_FORCE = "This session is stopped already; reply in the thread to go on."
HELD = "The command is held while the session is stopped; reply in the thread to decide on it."
IS = {
    State.idle: "has not started",
    State.working: "is working",
    State.awaiting_command: "waits for a decision on a command",
    State.awaiting_operator: "waits for you",
    State.stopped: "is stopped",
}


def only(what: str, where: str, *states: State) -> dict[State, str]:
    live_ones = {state: f"{what} is only possible {where}; this session {IS[state]}." for state in states}
    return {State.concluded: OVER, State.ended: GONE, **live_ones}


def live(sentence: str, *states: State) -> dict[State, str]:
    return {**dict.fromkeys(states, sentence), State.concluded: OVER, State.ended: GONE}


UNDER_WAY = "Something else is under way; run the command again once the agent has handed back."
ANOTHER_HELD = "Another command is held; reply in the thread to decide on it, then run this one again."
S = State
REFUSED: Mapping[Input, Mapping[State, str | None]] = {
    Input.message: {},
    **dict.fromkeys(
        (Input.approve, Input.edit, Input.reject),
        live(NO_COMMAND, S.idle, S.working, S.awaiting_operator, S.stopped),
    ),
    Input.set_aside: {**live(NO_COMMAND, *LIVE), S.awaiting_command: NOTHING_QUEUED},
    Input.operator_command: live(NO_SANDBOX, S.idle),
    Input.stop: live(IN_FORCE, S.stopped),
    Input.kill: live(NOT_RUNNING, *LIVE),
    Input.run_again: live(UNDER_WAY, S.working, S.awaiting_command),
    Input.mark_not_run: live(""),
    Input.resume: only("Resume", "while stopped", *(LIVE - {S.stopped})),
    Input.carry_on: only("Continue", "after the agent has handed back", *(LIVE - {S.awaiting_operator})),
    Input.start: only("Start", "before it has started", *(LIVE - {S.idle})),
    Input.auto_on: live(""),
    Input.auto_off: live("Auto-run is already off.", *LIVE),
    Input.goal_edit: live(""),
    Input.goal_regenerate: live(""),
    Input.retry_turn: live(NO_CALL, *(LIVE - {S.working})),
    Input.conclude: live(""),
    Input.conclude_again: {**only("Conclude again", "once concluded", *LIVE), S.concluded: None},
    Input.reopen: {**only("Reopen", "once concluded", *LIVE), S.concluded: None},
    Input.restart: {},
    Input.end: live(""),
    Input.hand_over: live(""),
    Input.add_operator: live(""),
    Input.edit_message: live("That message has reached the agent already.", *LIVE),
    Input.withdraw_message: live("That message has reached the agent already.", *LIVE),
    **{
        given: only(name, "in another state", *(LIVE - {S.working}))
        for given, name in {
            Input.provisioned: "Sandbox ready",
            Input.provision_failed: "Sandbox failed",
            Input.proposed: "Turn: proposal",
            Input.said: "Turn: prose",
            Input.determined: "Turn: fixed or still_open",
            Input.undetermined: "Turn: inconclusive",
            Input.turn_failed: "Turn failed",
            Input.command_done: "Command ended",
            Input.command_lost: "Command lost or not started",
        }.items()
    },
}


@pytest.mark.parametrize("state", State)
@pytest.mark.parametrize("given", Input)
def test_every_input_in_every_state_is_done_or_refused_with_a_reason(given: Input, state: State) -> None:
    answer = decide(AT_REST[state], given)
    refused = REFUSED[given].get(state)
    assert (answer.reason if isinstance(answer, Refusal) else None) == refused


@pytest.mark.parametrize(
    ("before", "given", "sentence"),
    [
        (replace(TURN, stop_requested=True), Input.stop, ASKED_FOR),
        (TURN_AUTO, Input.auto_on, "Auto-run is already on."),
        (replace(GATE, auto_run=True), Input.auto_on, "Auto-run is already on."),
        (RUNNING, Input.retry_turn, NO_CALL),
        (PROVISIONING, Input.operator_command, BUILDING),
        (replace(HANDED_BACK, queued=1), Input.set_aside, NO_COMMAND),
        (HOLDING, Input.approve, HELD),
        (HOLDING, Input.run_again, ANOTHER_HELD),
        (replace(HOLDING, queued=1), Input.set_aside, HELD),
    ],
)
def test_a_condition_that_does_not_hold_is_the_reason(before: Situation, given: Input, sentence: str) -> None:
    assert decide(before, given) == Refusal(reason=sentence)


def test_a_refusal_changes_nothing_and_names_no_secret_word() -> None:
    for given in Input:
        for situation in AT_REST.values():
            answer = decide(situation, given)
            if isinstance(answer, Refusal):
                assert answer.reason.endswith(".")
                for word in ("step budget", "free-launch", "needs_guidance", "orchestrator", "payload"):
                    assert word not in answer.reason


def test_nothing_gives_up_by_itself() -> None:
    people = {
        Input.conclude,
        Input.conclude_again,
        Input.reopen,
        Input.restart,
        Input.end,
        Input.message,
    }
    for row in TABLE:
        if row.to in TERMINAL and row.given not in people:
            assert row.given is Input.determined
            assert {"Auto-run", "the evidence suffices"} <= set(row.when)


def test_every_effect_that_changes_a_situation_is_used() -> None:
    used = {effect for row in TABLE for effect in row.effects}
    assert set(CHANGES) <= used
    assert set(Effect) == used
