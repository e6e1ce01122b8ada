"""A session whose proposals and messages are followed one by one beside the counts in its situation."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from engine.lifecycle import (
    TERMINAL,
    Activity,
    Effect,
    Gate,
    Input,
    Move,
    Refusal,
    Situation,
    State,
    decide,
)

REPORTS = {
    Activity.provisioning: [Input.provisioned, Input.provisioned, Input.provision_failed],
    Activity.turn: [
        Input.proposed,
        Input.proposed,
        Input.proposed,
        Input.said,
        Input.determined,
        Input.undetermined,
        Input.turn_failed,
    ],
    Activity.command: [Input.command_done, Input.command_done, Input.command_lost],
    Activity.nothing: [],
}
EVERY_REPORT = [given for reports in REPORTS.values() for given in reports]

PROPOSAL_ENDS = {
    Effect.withdraw: "withdrawn",
    Effect.post_advice: "advised",
    Effect.drop_proposal: "dropped",
    Effect.record_reject: "rejected",
}
PROPOSAL_WAITS = {
    Effect.open_gate: "open",
    Effect.hold: "held",
    Effect.approve_by_person: "approved",
    Effect.approve_by_machine: "approved",
}
STANDING = {"open": Gate.open, "held": Gate.held, "approved": Gate.approved}
MESSAGE_MOVES = {
    Effect.deliver: ("carried", "delivered"),
    Effect.take_back: ("carried", "queued"),
    Effect.cancel_turn: ("carried", "queued"),
}


WAS = {gate: state for state, gate in STANDING.items()}


class Followed:
    """Gives inputs to `decide` and fails when a proposal or a message gets lost."""

    def __init__(self, now: Situation | None = None) -> None:
        super().__init__()
        self.now = now or Situation()
        self.proposals = [WAS[self.now.gate]] if self.now.gate in WAS else []
        self.messages = ["queued"] * self.now.queued + ["carried"] * self.now.carried
        self.standing = self.now.state is State.concluded

    def give(self, given: Input, situation: Situation | None = None) -> None:
        before = situation or self.now
        answer = decide(before, given)
        if isinstance(answer, Refusal):
            assert answer.reason.endswith(".")
            return
        if given is Input.proposed:
            self.proposals.append("new")
        for effect in answer.effects:
            self.follow(effect, before, answer)
        self.check_verdict(given, before, answer)
        self.check_end(given, before, answer)
        self.now = replace(answer.after, verdict_allowed=False)
        if given is Input.restart and before.state in TERMINAL:
            self.go_to_the_fresh_one()

    def go_to_the_fresh_one(self) -> None:
        self.now, self.proposals, self.messages, self.standing = Situation(), [], [], False

    def follow(self, effect: Effect, before: Situation, move: Move) -> None:
        if effect in PROPOSAL_ENDS:
            self.settle(PROPOSAL_ENDS[effect])
        elif effect in PROPOSAL_WAITS:
            assert self.proposals[-1] in {"new", "open", "held"}
            self.proposals[-1] = PROPOSAL_WAITS[effect]
        elif effect is Effect.execute:
            assert self.proposals[-1] == "approved"
        elif effect is Effect.queue_message:
            self.messages.append("queued")
        elif effect is Effect.withdraw_message:
            self.messages.remove("queued")
            self.messages.append("withdrawn")
        elif effect is Effect.note_message:
            assert before.state in TERMINAL
            self.messages.append("noted")
        elif effect in MESSAGE_MOVES:
            self.move_messages(*MESSAGE_MOVES[effect])
        elif effect is Effect.run_turn and move.after.activity is Activity.turn:
            self.move_messages("queued", "carried")

    def settle(self, end: str) -> None:
        if self.proposals and self.proposals[-1] in {"new", *STANDING}:
            was_running = self.proposals[-1] == "approved"
            self.proposals[-1] = "killed" if was_running else end

    def move_messages(self, before: str, after: str) -> None:
        self.messages = [after if state == before else state for state in self.messages]

    def check_verdict(self, given: Input, before: Situation, move: Move) -> None:
        if Effect.write_agent_verdict in move.effects:
            assert before.auto_run
            assert before.verdict_allowed
            assert not before.stop_requested
            assert before.queued == 0
            self.standing = True
        if {Effect.write_verdict, Effect.supersede_verdict} & set(move.effects):
            assert given in {Input.conclude, Input.conclude_again}
            self.standing = True
        if Effect.withdraw_verdict in move.effects:
            assert given is Input.reopen
            self.standing = False

    def check_end(self, given: Input, before: Situation, move: Move) -> None:
        if before.state is State.ended:
            assert move.after.state is State.ended
            assert given in {Input.message, Input.restart}
        if before.state is State.concluded and move.after.state is not State.concluded:
            assert given is Input.reopen
            assert move.after.state is State.idle
        if move.after.state in TERMINAL and before.state not in TERMINAL:
            by_agent = given is Input.determined and before.auto_run
            assert by_agent or given in {Input.conclude, Input.end, Input.restart}
            assert Effect.remove_sandbox in move.effects

    def end(self, given: Input, *, evidence: bool) -> None:
        situation = replace(self.now, verdict_allowed=evidence)
        if given is Input.provisioned:
            situation = replace(situation, sandbox=True)
        elif given is Input.command_done:
            self.proposals[-1] = "ran"
        elif given is Input.command_lost:
            self.proposals[-1] = "lost"
            situation = replace(situation, sandbox=False)
        self.give(given, situation)

    def check(self) -> None:
        self.no_message_is_lost()
        self.no_proposal_is_lost()
        self.the_state_says_what_goes_on()
        self.a_verdict_stands_exactly_when_concluded()
        self.nothing_is_left_when_it_is_over()
        self.a_message_always_has_a_way_to_the_agent()

    def no_message_is_lost(self) -> None:
        counts = Counter(self.messages)
        assert counts["queued"] == self.now.queued
        assert counts["carried"] == self.now.carried
        assert set(counts) <= {"queued", "carried", "delivered", "noted", "withdrawn"}
        if self.now.activity is not Activity.turn:
            assert counts["carried"] == 0

    def no_proposal_is_lost(self) -> None:
        *earlier, latest = self.proposals or ["none"]
        assert not set(earlier) & {"new", *STANDING}
        assert self.now.gate is STANDING.get(latest, Gate.empty)
        assert latest != "new"

    def the_state_says_what_goes_on(self) -> None:
        now = self.now
        assert (now.state is State.working) is (now.activity is not Activity.nothing)
        assert (now.state is State.awaiting_command) is (now.gate is Gate.open)
        assert (now.gate is Gate.approved) is (now.activity is Activity.command)
        if now.gate is Gate.held:
            assert now.state is State.stopped
        if now.stop_requested:
            assert now.state is State.working
        if now.activity is Activity.turn:
            assert now.sandbox

    def a_verdict_stands_exactly_when_concluded(self) -> None:
        assert self.standing is (self.now.state is State.concluded)

    def nothing_is_left_when_it_is_over(self) -> None:
        if self.now.state in TERMINAL:
            assert not self.now.sandbox
            assert not self.now.operator_command
            assert self.now.gate is Gate.empty

    def a_message_always_has_a_way_to_the_agent(self) -> None:
        after = decide(self.now, Input.message)
        assert isinstance(after, Move)
        if self.now.state in {State.idle, State.awaiting_operator}:
            assert after.after.state is State.working
