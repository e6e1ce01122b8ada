"""What operators do."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from engine.lifecycle import Activity, Gate, Input, Situation, State
from engine.lifecycle import Effect as Do
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
    line,
)

RUNS: dict[str, Any] = {"gate": Gate.approved, "activity": Activity.command, "ran_command": True}
CUT = (Do.cancel_turn, Do.kill_command, Do.drop_proposal, Do.rest)


def over(before: Situation) -> dict[str, Any]:
    return {
        "activity": Activity.nothing,
        "gate": Gate.empty,
        "stop_requested": False,
        "queued": before.queued + before.carried,
        "carried": 0,
        "sandbox": False,
        "operator_command": False,
    }


LIVE_ONES = [IDLE, PROVISIONING, TURN, RUNNING, replace(GATE, queued=1), HANDED_BACK, STOPPED, HOLDING]

ACTIONS = [
    *(
        line(
            f"{given} runs the proposal, and forgets earlier rejections",
            replace(GATE, queued=1, rejects=2),
            given,
            State.working,
            Do.approve_by_person,
            Do.execute,
            rejects=0,
            **RUNS,
        )
        for given in (Input.approve, Input.edit)
    ),
    line(
        "reject: the agent runs, with the queued message",
        replace(GATE, queued=1, rejects=1),
        Input.reject,
        State.working,
        Do.record_reject,
        Do.run_turn,
        gate=Gate.empty,
        rejects=2,
        activity=Activity.turn,
        queued=0,
        carried=1,
    ),
    line(
        "the third rejection in a row: handed back",
        replace(GATE, rejects=2),
        Input.reject,
        State.awaiting_operator,
        Do.record_reject,
        Do.ask_after_rejects,
        Do.rest,
        gate=Gate.empty,
        rejects=0,
    ),
    line(
        "the third rejection with a message queued: the agent reads the message",
        replace(GATE, rejects=2, queued=1),
        Input.reject,
        State.working,
        Do.record_reject,
        Do.run_turn,
        gate=Gate.empty,
        rejects=3,
        activity=Activity.turn,
        queued=0,
        carried=1,
    ),
    line(
        "set aside and send now: the agent runs with the queued message",
        replace(GATE, queued=1),
        Input.set_aside,
        State.working,
        Do.withdraw,
        Do.new_operator_turn,
        Do.run_turn,
        gate=Gate.empty,
        activity=Activity.turn,
        queued=0,
        carried=1,
    ),
    *(
        line(
            f"!command, {before.state}: runs beside whatever goes on",
            before,
            Input.operator_command,
            before.state,
            Do.run_operator_command,
            operator_command=True,
        )
        for before in (TURN, RUNNING, GATE, HANDED_BACK, HOLDING)
    ),
    line(
        "Stop while working: as soon as what is in flight has ended, Auto-run halted at once",
        TURN_AUTO,
        Input.stop,
        State.working,
        Do.request_stop,
        stop_requested=True,
        auto_run=False,
    ),
    line(
        "Stop at the gate: the proposal is held",
        replace(GATE, queued=1),
        Input.stop,
        State.stopped,
        Do.hold,
        Do.stop_now,
        gate=Gate.held,
    ),
    *(
        line(
            f"Stop, {before.state}: stopped, Auto-run halted",
            replace(before, auto_run=True),
            Input.stop,
            State.stopped,
            Do.stop_now,
            auto_run=False,
        )
        for before in (IDLE, HANDED_BACK)
    ),
    *(
        line(f"Kill, {before.state}", before, Input.kill, before.state, Do.kill_command)
        for before in (RUNNING, replace(HANDED_BACK, operator_command=True))
    ),
    line(
        "Resume with a held proposal: the gate opens again",
        HOLDING,
        Input.resume,
        State.awaiting_command,
        Do.open_gate,
        gate=Gate.open,
    ),
    line(
        "Resume with a held proposal under Auto-run: the machine approves it",
        replace(HOLDING, auto_run=True),
        Input.resume,
        State.working,
        Do.approve_by_machine,
        Do.execute,
        **RUNS,
    ),
    line(
        "Resume with none held: the agent runs",
        replace(STOPPED, ran_command=True),
        Input.resume,
        State.working,
        Do.new_operator_turn,
        Do.run_turn,
        activity=Activity.turn,
        ran_command=False,
    ),
    line(
        "Continue: the agent runs",
        replace(HANDED_BACK, ran_command=True),
        Input.carry_on,
        State.working,
        Do.new_operator_turn,
        Do.run_turn,
        activity=Activity.turn,
        ran_command=False,
    ),
    line(
        "Start: the sandbox is built",
        IDLE,
        Input.start,
        State.working,
        Do.new_operator_turn,
        Do.provision,
        activity=Activity.provisioning,
    ),
    line(
        "Auto-run on at the gate: the machine approves what waits",
        GATE,
        Input.auto_on,
        State.working,
        Do.auto_on,
        Do.approve_by_machine,
        Do.execute,
        auto_run=True,
        **RUNS,
    ),
    *(
        line(
            f"Auto-run on, {before.state}: nothing is woken",
            before,
            Input.auto_on,
            before.state,
            Do.auto_on,
            auto_run=True,
        )
        for before in (IDLE, TURN, HANDED_BACK, STOPPED, HOLDING)
    ),
    line(
        "Auto-run off: the next proposal waits, whatever the machine had run before",
        replace(RUNNING, auto_run=True),
        Input.auto_off,
        State.working,
        Do.auto_off,
        auto_run=False,
        ran_command=False,
    ),
    *(
        line(f"{given}, {before.state}: wakes no one", before, given, before.state, effect)
        for given, effect in (
            (Input.goal_edit, Do.replace_goal),
            (Input.goal_regenerate, Do.draft_goal),
            (Input.hand_over, Do.change_operators),
            (Input.add_operator, Do.change_operators),
        )
        for before in LIVE_ONES
    ),
    line(
        "Retry turn: the same turn with the same messages, and those that came since",
        replace(TURN, queued=1),
        Input.retry_turn,
        State.working,
        Do.cancel_turn,
        Do.run_turn,
        queued=0,
        carried=2,
    ),
    *(
        row
        for before in LIVE_ONES
        for row in (
            line(
                f"Conclude, {before.state} {before.activity}",
                before,
                Input.conclude,
                State.concluded,
                *CUT,
                Do.write_verdict,
                Do.remove_sandbox,
                **over(before),
            ),
            line(
                f"End, {before.state} {before.activity}: no verdict",
                before,
                Input.end,
                State.ended,
                *CUT,
                Do.remove_sandbox,
                **over(before),
            ),
            line(
                f"Restart, {before.state} {before.activity}",
                before,
                Input.restart,
                State.ended,
                *CUT,
                Do.remove_sandbox,
                Do.open_fresh,
                **over(before),
            ),
        )
    ),
    *(
        line(f"Restart, {before.state}: it stays so", before, Input.restart, before.state, Do.open_fresh)
        for before in (CONCLUDED, ENDED)
    ),
    line("Conclude again", CONCLUDED, Input.conclude_again, State.concluded, Do.supersede_verdict),
    line(
        "Reopen: idle, what was queued still queued",
        replace(CONCLUDED, queued=1),
        Input.reopen,
        State.idle,
        Do.withdraw_verdict,
    ),
    *(
        line(
            f"Run again, {before.state}",
            replace(before, rejects=2),
            Input.run_again,
            State.working,
            Do.new_operator_turn,
            Do.repeat,
            Do.execute,
            rejects=0,
            **RUNS,
        )
        for before in (HANDED_BACK, STOPPED)
    ),
    line(
        "Run again without a sandbox: it waits for one",
        replace(HANDED_BACK, sandbox=False, queued=1),
        Input.run_again,
        State.working,
        Do.new_operator_turn,
        Do.repeat,
        Do.provision,
        gate=Gate.approved,
        activity=Activity.provisioning,
    ),
    line(
        "what waits for the sandbox runs in it, Stop or not",
        replace(PROVISIONING, gate=Gate.approved, sandbox=True, stop_requested=True),
        Input.provisioned,
        State.working,
        Do.execute,
        activity=Activity.command,
        ran_command=True,
    ),
    *(
        line(f"Mark as not run, {before.state}", before, Input.mark_not_run, before.state, Do.record_not_run)
        for before in LIVE_ONES
    ),
    *(
        line(
            f"a queued message is changed, {before.state}",
            replace(before, queued=2),
            Input.edit_message,
            before.state,
            Do.change_message,
        )
        for before in LIVE_ONES
    ),
    *(
        line(
            f"a queued message is withdrawn, {before.state}",
            replace(before, queued=2),
            Input.withdraw_message,
            before.state,
            Do.withdraw_message,
            queued=1,
        )
        for before in LIVE_ONES
    ),
]
