from __future__ import annotations

from dataclasses import replace

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from engine.lifecycle import Activity, Gate, Input, Move, Refusal, Situation, State, decide
from tests.unit.engine.lifecycle.model import EVERY_REPORT, REPORTS, Followed

STEERING = [
    Input.message,
    Input.approve,
    Input.edit,
    Input.reject,
    Input.set_aside,
    Input.stop,
    Input.resume,
    Input.carry_on,
    Input.start,
    Input.auto_on,
    Input.auto_off,
    Input.retry_turn,
]
BESIDE = [
    Input.operator_command,
    Input.kill,
    Input.goal_edit,
    Input.goal_regenerate,
    Input.hand_over,
    Input.add_operator,
    Input.edit_message,
    Input.withdraw_message,
]
OVER = [Input.conclude, Input.conclude_again, Input.reopen, Input.restart, Input.end]


class Session(Followed, RuleBasedStateMachine):
    """Walks a session at random: people who do anything at any time, and what is in flight ending somehow."""

    def __init__(self) -> None:
        super().__init__()
        self.patience = 0

    @invariant()
    def nothing_is_lost(self) -> None:
        self.check()

    def possible(self, among: list[Input]) -> list[Input]:
        return [given for given in among if isinstance(decide(self.now, given), Move)]

    @initialize(patience=st.integers(1, 25), auto_run=st.booleans())
    def a_person_begins(self, patience: int, auto_run: bool) -> None:
        self.patience = patience
        if auto_run:
            self.give(Input.auto_on)

    @rule(data=st.data())
    def a_person_steers(self, data: st.DataObject) -> None:
        self.patience -= 1
        if possible := self.possible(STEERING):
            self.give(data.draw(st.sampled_from(possible)))

    @rule(given=st.sampled_from([*STEERING, *BESIDE]))
    def a_person_asks_for_anything(self, given: Input) -> None:
        self.give(given)

    @precondition(lambda self: self.patience <= 0)
    @rule(data=st.data())
    def a_person_ends_it_or_goes_on(self, data: st.DataObject) -> None:
        self.patience += 2
        self.give(data.draw(st.sampled_from(self.possible(OVER))))

    @precondition(lambda self: self.now.gate is Gate.open and not self.now.auto_run)
    @rule()
    def a_person_rejects_whatever_is_proposed(self) -> None:
        while self.now.gate is Gate.open:
            self.give(Input.reject)
            if self.now.activity is Activity.turn:
                self.give(Input.proposed)
        assert self.now.state is not State.awaiting_command

    @precondition(lambda self: self.now.state is State.working)
    @rule(given=st.sampled_from([Input.message, Input.stop]))
    def a_person_does_not_wait(self, given: Input) -> None:
        self.give(given)

    @precondition(lambda self: self.now.state is State.ended)
    @rule()
    def a_person_starts_over(self) -> None:
        self.give(Input.restart)

    @precondition(lambda self: self.now.activity is not Activity.nothing)
    @rule(data=st.data(), times=st.integers(1, 5), evidence=st.booleans())
    def what_is_in_flight_ends(self, data: st.DataObject, times: int, evidence: bool) -> None:
        for _ in range(times):
            if possible := REPORTS[self.now.activity]:
                self.end(data.draw(st.sampled_from(possible)), evidence=evidence)

    @precondition(lambda self: self.now.activity is Activity.nothing)
    @rule(given=st.sampled_from(EVERY_REPORT))
    def something_ends_too_late(self, given: Input) -> None:
        assert isinstance(decide(replace(self.now, verdict_allowed=True), given), Refusal)

    @rule()
    def the_operators_command_ends(self) -> None:
        self.now = replace(self.now, operator_command=False)


TestSession = Session.TestCase
TestSession.settings = settings(max_examples=100, stateful_step_count=60, deadline=None)

MOST = 2
"""Messages in one place; more of them change nothing that a rule could see."""


def after_each_input(before: Situation) -> list[Situation]:
    """Where everything that may happen leads to, with all of it checked on the way."""
    reached = []
    for given in [*STEERING, *BESIDE, *OVER]:
        session = Followed(before)
        session.give(given)
        session.check()
        reached.append(session.now)
    for given in REPORTS[before.activity]:
        for evidence in (True, False):
            session = Followed(before)
            session.end(given, evidence=evidence)
            session.check()
            reached.append(session.now)
    if before.activity is Activity.nothing:
        for given in EVERY_REPORT:
            assert isinstance(decide(replace(before, verdict_allowed=True), given), Refusal)
    if before.operator_command:
        reached.append(replace(before, operator_command=False))
    return reached


def test_nothing_is_lost_in_any_situation_that_can_be_reached() -> None:
    seen, to_do = {Situation()}, [Situation()]
    while to_do:
        for after in after_each_input(to_do.pop()):
            bounded = replace(
                after,
                queued=min(after.queued, MOST),
                carried=min(after.carried, MOST),
                rejects=min(after.rejects, 3),
            )
            if bounded not in seen:
                seen.add(bounded)
                to_do.append(bounded)
    assert {situation.state for situation in seen} == set(State)
    assert {situation.gate for situation in seen} == set(Gate)
    assert {situation.activity for situation in seen} == set(Activity)
