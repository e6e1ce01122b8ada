"""A session's life: states, inputs, and the two tables as data, walked by one pure function.

`decide(situation, given)` is all there is to it: it finds the first row for the input and the state whose
conditions hold and answers with the situation after it and what the conductor has to do, in order, or
with a refusal that says why. Nothing here knows a database, a model, a sandbox or a clock; the reference
page and the state diagram are written from `TABLE`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from engine.refusals import refusal
from engine.situation import (
    CONDITIONS,
    EVERY,
    LIVE,
    REJECTS_BEFORE_ASKING,
    STATE_MEANS,
    TERMINAL,
    Activity,
    Gate,
    Input,
    Situation,
    State,
)

__all__ = [
    "ACTION_TABLE",
    "CHANGES",
    "CONDITIONS",
    "EVERY",
    "LIVE",
    "MESSAGE_TABLE",
    "OUTPUT_TABLE",
    "PROGRESS_TABLE",
    "REJECTS_BEFORE_ASKING",
    "STATE_MEANS",
    "TABLE",
    "TERMINAL",
    "Activity",
    "Effect",
    "Gate",
    "Input",
    "Move",
    "Refusal",
    "Row",
    "Situation",
    "State",
    "decide",
]


class Effect(StrEnum):
    """One thing for the conductor to do, in the order of the row."""

    queue_message = "queue the message"
    change_message = "change the queued message"
    withdraw_message = "withdraw the queued message"
    note_message = "record the message as a note"
    provision = "build the sandbox"
    run_turn = "run the agent with what is queued, in a new sandbox if there is none"
    new_operator_turn = "a new operator turn begins"
    open_gate = "open the gate"
    hold = "hold the proposal"
    withdraw = "set the proposal aside"
    post_advice = "post the proposal as advice and close the call"
    post_prose = "post the prose"
    post_recommendation = "post it as a recommendation"
    post_missing = "post what a verdict still needs"
    set_aside_determination = "set the determination aside"
    ask_after_rejects = "ask how to go on"
    approve_by_person = "record who approved"
    approve_by_machine = "approve it by Auto-run"
    record_reject = "record the rejection"
    repeat = "approve it once more, as a command of its own"
    record_not_run = "record who says that it did not run"
    execute = "run the command"
    run_operator_command = "run the operator's command"
    request_stop = "stop as soon as what is in flight has ended"
    stop_now = "pause"
    auto_on = "hand the gate to the machine"
    auto_off = "take the gate back"
    replace_goal = "replace the goal"
    draft_goal = "draft a new goal"
    cancel_turn = "cancel the model call"
    kill_command = "kill the running command"
    drop_proposal = "withdraw a waiting proposal"
    write_verdict = "record the operator's verdict"
    write_agent_verdict = "record the agent's verdict"
    supersede_verdict = "record a verdict that supersedes"
    withdraw_verdict = "withdraw the verdict"
    remove_sandbox = "remove the sandbox"
    open_fresh = "open a fresh session, linked both ways"
    change_operators = "change who may operate"
    deliver = "what the turn carried is delivered"
    take_back = "what the turn carried is queued again"
    rest = "nothing is in flight"


@dataclass(frozen=True, kw_only=True)
class Row:
    """One line of a table: for this input in these states, when all conditions hold."""

    given: Input
    states: frozenset[State]
    when: tuple[str, ...] = ()
    to: State | None = None
    """None: the state stays."""
    effects: tuple[Effect, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Move:
    """The situation after an input, and what to do."""

    after: Situation
    effects: tuple[Effect, ...]


@dataclass(frozen=True, kw_only=True)
class Refusal:
    """The input is not possible now; `reason` is a sentence for the person who asked."""

    reason: str


def _deliver(s: Situation) -> Situation:
    return replace(s, carried=0)


def _take_back(s: Situation) -> Situation:
    return replace(s, queued=s.queued + s.carried, carried=0)


def _run_turn(s: Situation) -> Situation:
    """Without a sandbox the turn waits for one, and so do the messages."""
    gate = Gate.empty if s.gate is Gate.approved else s.gate
    if not s.sandbox:
        return replace(s, activity=Activity.provisioning, gate=gate)
    return replace(s, activity=Activity.turn, carried=s.carried + s.queued, queued=0, gate=gate)


def _rest(s: Situation) -> Situation:
    """A Stop that was asked for is moot once nothing is in flight."""
    gate = Gate.empty if s.gate is Gate.approved else s.gate
    return replace(s, activity=Activity.nothing, gate=gate, stop_requested=False)


CHANGES: Mapping[Effect, Callable[[Situation], Situation]] = {
    Effect.queue_message: lambda s: replace(s, queued=s.queued + 1),
    Effect.withdraw_message: lambda s: replace(s, queued=s.queued - 1),
    Effect.provision: lambda s: replace(s, activity=Activity.provisioning),
    Effect.run_turn: _run_turn,
    Effect.new_operator_turn: lambda s: replace(s, ran_command=False, rejects=0),
    Effect.open_gate: lambda s: replace(s, gate=Gate.open),
    Effect.hold: lambda s: replace(s, gate=Gate.held),
    Effect.withdraw: lambda s: replace(s, gate=Gate.empty),
    Effect.post_advice: lambda s: replace(s, gate=Gate.empty),
    Effect.drop_proposal: lambda s: replace(s, gate=Gate.empty),
    Effect.record_reject: lambda s: replace(s, gate=Gate.empty, rejects=s.rejects + 1),
    Effect.ask_after_rejects: lambda s: replace(s, rejects=0),
    Effect.approve_by_person: lambda s: replace(s, gate=Gate.approved, rejects=0),
    Effect.approve_by_machine: lambda s: replace(s, gate=Gate.approved, rejects=0),
    Effect.repeat: lambda s: replace(s, gate=Gate.approved),
    Effect.execute: lambda s: replace(s, activity=Activity.command, ran_command=True),
    Effect.run_operator_command: lambda s: replace(s, operator_command=True),
    Effect.request_stop: lambda s: replace(s, stop_requested=True, auto_run=False),
    Effect.stop_now: lambda s: replace(s, stop_requested=False, auto_run=False),
    Effect.auto_on: lambda s: replace(s, auto_run=True),
    # The next proposal waits at the gate even when the machine has just had a command run.
    Effect.auto_off: lambda s: replace(s, auto_run=False, ran_command=False),
    Effect.cancel_turn: _take_back,
    Effect.take_back: _take_back,
    Effect.deliver: _deliver,
    Effect.remove_sandbox: lambda s: replace(s, sandbox=False, operator_command=False),
    Effect.rest: _rest,
}


def _rows(given: Input, *lines: tuple[object, ...]) -> tuple[Row, ...]:
    """Rows of one input, each `(states, conditions, next state or None, effects)`."""
    return tuple(
        Row(given=given, states=states, when=when, to=to, effects=effects)  # type: ignore[arg-type]
        for states, when, to, effects in lines
    )


On, Do, S = Input, Effect, State
_IDLE, _WORKING, _GATE = frozenset({S.idle}), frozenset({S.working}), frozenset({S.awaiting_command})
_OPERATOR, _STOPPED = frozenset({S.awaiting_operator}), frozenset({S.stopped})
_CONCLUDED = frozenset({S.concluded})
_RESTING = _IDLE | _OPERATOR
_PARKED = _RESTING | _STOPPED
_CUT = (Do.cancel_turn, Do.kill_command, Do.drop_proposal, Do.rest)
_STOPS, _HEARD = "Stop was asked for", "messages came in"

MESSAGE_TABLE: tuple[Row, ...] = _rows(
    On.message,
    (_IDLE, (), S.working, (Do.queue_message, Do.new_operator_turn, Do.provision)),
    (_STOPPED, ("a proposal is held",), S.awaiting_command, (Do.queue_message, Do.open_gate)),
    (_STOPPED | _OPERATOR, (), S.working, (Do.queue_message, Do.new_operator_turn, Do.run_turn)),
    (_WORKING | _GATE, (), None, (Do.queue_message,)),
    (TERMINAL, (), None, (Do.note_message,)),
)

OUTPUT_TABLE: tuple[Row, ...] = (
    *_rows(
        On.proposed,
        (_WORKING, (_STOPS,), S.stopped, (Do.deliver, Do.hold, Do.stop_now, Do.rest)),
        (_WORKING, (_HEARD,), S.working, (Do.deliver, Do.withdraw, Do.new_operator_turn, Do.run_turn)),
        (_WORKING, ("Auto-run",), S.working, (Do.deliver, Do.approve_by_machine, Do.execute)),
        (
            _WORKING,
            ("guided", "a command ran in this operator turn"),
            S.awaiting_operator,
            (Do.deliver, Do.post_advice, Do.rest),
        ),
        (_WORKING, ("guided",), S.awaiting_command, (Do.deliver, Do.open_gate, Do.rest)),
    ),
    *_rows(
        On.said,
        (_WORKING, (_STOPS,), S.stopped, (Do.deliver, Do.post_prose, Do.stop_now, Do.rest)),
        (_WORKING, (_HEARD,), S.working, (Do.deliver, Do.post_prose, Do.new_operator_turn, Do.run_turn)),
        (_WORKING, (), S.awaiting_operator, (Do.deliver, Do.post_prose, Do.rest)),
    ),
    *_rows(
        On.determined,
        (_WORKING, (_STOPS,), S.stopped, (Do.deliver, Do.post_recommendation, Do.stop_now, Do.rest)),
        (
            _WORKING,
            ("Auto-run", _HEARD),
            S.working,
            (Do.deliver, Do.set_aside_determination, Do.new_operator_turn, Do.run_turn),
        ),
        (
            _WORKING,
            ("guided", _HEARD),
            S.working,
            (Do.deliver, Do.post_recommendation, Do.new_operator_turn, Do.run_turn),
        ),
        (
            _WORKING,
            ("Auto-run", "the evidence suffices"),
            S.concluded,
            (
                Do.deliver,
                Do.write_agent_verdict,
                Do.kill_command,
                Do.drop_proposal,
                Do.remove_sandbox,
                Do.rest,
            ),
        ),
        (_WORKING, ("Auto-run",), S.awaiting_operator, (Do.deliver, Do.post_missing, Do.rest)),
        (_WORKING, ("guided",), S.awaiting_operator, (Do.deliver, Do.post_recommendation, Do.rest)),
    ),
    *_rows(
        On.undetermined,
        (_WORKING, (_STOPS,), S.stopped, (Do.deliver, Do.post_prose, Do.stop_now, Do.rest)),
        (_WORKING, (_HEARD,), S.working, (Do.deliver, Do.post_prose, Do.new_operator_turn, Do.run_turn)),
        (_WORKING, (), S.awaiting_operator, (Do.deliver, Do.post_prose, Do.rest)),
    ),
)

PROGRESS_TABLE: tuple[Row, ...] = (
    *_rows(
        On.provisioned,
        (_WORKING, ("a command waits for the sandbox",), S.working, (Do.execute,)),
        (_WORKING, (_STOPS,), S.stopped, (Do.take_back, Do.stop_now, Do.rest)),
        (_WORKING, (), S.working, (Do.run_turn,)),
    ),
    *(
        row
        for failure in (On.provision_failed, On.turn_failed, On.command_lost)
        for row in _rows(
            failure,
            (_WORKING, (_STOPS,), S.stopped, (Do.take_back, Do.stop_now, Do.rest)),
            (_WORKING, (), S.awaiting_operator, (Do.take_back, Do.rest)),
        )
    ),
    *_rows(
        On.command_done,
        (_WORKING, (_STOPS,), S.stopped, (Do.stop_now, Do.rest)),
        (_WORKING, (), S.working, (Do.run_turn,)),
    ),
)

ACTION_TABLE: tuple[Row, ...] = (
    *_rows(On.approve, (_GATE, (), S.working, (Do.approve_by_person, Do.execute))),
    *_rows(On.edit, (_GATE, (), S.working, (Do.approve_by_person, Do.execute))),
    *_rows(
        On.reject,
        (
            _GATE,
            ("third rejection in a row", "nothing is queued"),
            S.awaiting_operator,
            (Do.record_reject, Do.ask_after_rejects, Do.rest),
        ),
        (_GATE, (), S.working, (Do.record_reject, Do.run_turn)),
    ),
    *_rows(
        On.set_aside,
        (_GATE, (_HEARD,), S.working, (Do.withdraw, Do.new_operator_turn, Do.run_turn)),
    ),
    *_rows(
        On.operator_command,
        (LIVE, ("there is a sandbox",), None, (Do.run_operator_command,)),
    ),
    *_rows(
        On.stop,
        (_WORKING, ("no Stop asked for",), None, (Do.request_stop,)),
        (_GATE, (), S.stopped, (Do.hold, Do.stop_now)),
        (_RESTING, (), S.stopped, (Do.stop_now,)),
    ),
    *_rows(On.kill, (LIVE, ("a command is running",), None, (Do.kill_command,))),
    *_rows(
        On.run_again,
        (
            _PARKED,
            ("no proposal is held", "there is a sandbox"),
            S.working,
            (Do.new_operator_turn, Do.repeat, Do.execute),
        ),
        (_PARKED, ("no proposal is held",), S.working, (Do.new_operator_turn, Do.repeat, Do.provision)),
    ),
    *_rows(On.mark_not_run, (LIVE, (), None, (Do.record_not_run,))),
    *_rows(
        On.resume,
        (
            _STOPPED,
            ("a proposal is held", "Auto-run"),
            S.working,
            (Do.approve_by_machine, Do.execute),
        ),
        (_STOPPED, ("a proposal is held",), S.awaiting_command, (Do.open_gate,)),
        (_STOPPED, (), S.working, (Do.new_operator_turn, Do.run_turn)),
    ),
    *_rows(On.carry_on, (_OPERATOR, (), S.working, (Do.new_operator_turn, Do.run_turn))),
    *_rows(On.start, (_IDLE, (), S.working, (Do.new_operator_turn, Do.provision))),
    *_rows(
        On.auto_on,
        (_GATE, ("guided",), S.working, (Do.auto_on, Do.approve_by_machine, Do.execute)),
        (LIVE - _GATE, ("guided",), None, (Do.auto_on,)),
    ),
    *_rows(On.auto_off, (LIVE, ("Auto-run",), None, (Do.auto_off,))),
    *_rows(On.goal_edit, (LIVE, (), None, (Do.replace_goal,))),
    *_rows(On.goal_regenerate, (LIVE, (), None, (Do.draft_goal,))),
    *_rows(
        On.retry_turn,
        (_WORKING, ("a model call is in flight",), None, (Do.cancel_turn, Do.run_turn)),
    ),
    *_rows(On.conclude, (LIVE, (), S.concluded, (*_CUT, Do.write_verdict, Do.remove_sandbox))),
    *_rows(On.conclude_again, (_CONCLUDED, (), None, (Do.supersede_verdict,))),
    *_rows(On.reopen, (_CONCLUDED, (), S.idle, (Do.withdraw_verdict,))),
    *_rows(
        On.restart,
        (LIVE, (), S.ended, (*_CUT, Do.remove_sandbox, Do.open_fresh)),
        (TERMINAL, (), None, (Do.open_fresh,)),
    ),
    *_rows(On.end, (LIVE, (), S.ended, (*_CUT, Do.remove_sandbox))),
    *_rows(On.hand_over, (LIVE, (), None, (Do.change_operators,))),
    *_rows(On.add_operator, (LIVE, (), None, (Do.change_operators,))),
    *_rows(On.edit_message, (LIVE, (_HEARD,), None, (Do.change_message,))),
    *_rows(On.withdraw_message, (LIVE, (_HEARD,), None, (Do.withdraw_message,))),
)

TABLE: tuple[Row, ...] = (*MESSAGE_TABLE, *OUTPUT_TABLE, *PROGRESS_TABLE, *ACTION_TABLE)
_BY_INPUT: Mapping[Input, tuple[Row, ...]] = {
    given: tuple(row for row in TABLE if row.given is given) for given in Input
}


def decide(situation: Situation, given: Input) -> Move | Refusal:
    """Answer an input: the first row whose conditions hold, or a refusal.

    The facts that a report brings with it (a sandbox that is now there, a gate that is now empty) are set
    in `situation` by the caller before asking.
    """
    for row in _BY_INPUT[given]:
        if situation.state in row.states and all(CONDITIONS[name](situation) for name in row.when):
            after = situation
            for effect in row.effects:
                after = CHANGES.get(effect, _unchanged)(after)
            return Move(after=replace(after, state=row.to or situation.state), effects=row.effects)
    return Refusal(reason=refusal(situation, given))


def _unchanged(s: Situation) -> Situation:
    return s
