"""Situations to begin from, and how a line of a table is written down."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from engine.lifecycle import Activity, Effect, Gate, Input, Situation, State

IDLE = Situation()
PROVISIONING = Situation(state=State.working, activity=Activity.provisioning)
TURN = Situation(state=State.working, activity=Activity.turn, sandbox=True, carried=1)
RUNNING = Situation(
    state=State.working, activity=Activity.command, sandbox=True, gate=Gate.approved, ran_command=True
)
GATE = Situation(state=State.awaiting_command, sandbox=True, gate=Gate.open)
HANDED_BACK = Situation(state=State.awaiting_operator, sandbox=True)
STOPPED = Situation(state=State.stopped, sandbox=True)
HOLDING = replace(STOPPED, gate=Gate.held)
TURN_AUTO = replace(TURN, auto_run=True)
CONCLUDED = Situation(state=State.concluded)
ENDED = Situation(state=State.ended)


@dataclass(frozen=True)
class Line:
    """One line of a table of the contract: what happens to this situation, and what it is then."""

    name: str
    before: Situation
    given: Input
    state: State
    effects: tuple[Effect, ...]
    changed: dict[str, Any]


def line(name: str, before: Situation, given: Input, state: State, *effects: Effect, **changed: Any) -> Line:
    return Line(name, before, given, state, effects, changed)
