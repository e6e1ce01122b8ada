"""Who holds the gate, what the goal is, who operates, and what comes after this session."""

from __future__ import annotations

from collections.abc import Mapping

from engine.events import (
    AutoRunChanged,
    GoalChanged,
    OperatorsChanged,
    SessionOpened,
    SessionRestarted,
    StopRequested,
)
from engine.ledger.book import Ledger, Step
from engine.lifecycle import Effect, Input
from engine.scope import labels
from engine.store import events, sessions
from engine.views import SessionView


async def _stop_requested(book: Ledger) -> None:
    book.note(StopRequested())
    await _gate_back(book)


async def _gate_back(book: Ledger) -> None:
    if book.view.situation.auto_run:
        book.note(AutoRunChanged(on=False))


async def _auto_on(book: Ledger) -> None:
    book.note(AutoRunChanged(on=True))


async def _replace_goal(book: Ledger) -> None:
    set_goal(book, book.asked.goal, regenerated=False)


def set_goal(book: Ledger, goal: tuple[str, ...], *, regenerated: bool) -> None:
    """Replace the goal; the agent reads it at its next turn."""
    book.changes["goal"] = goal
    book.tell_agent("The operator set the goal to: " + ("; ".join(goal) or "no steps"))
    book.note(GoalChanged(goal=goal, regenerated=regenerated))


async def _open_fresh(book: Ledger) -> None:
    old = book.view
    fresh = await sessions.insert(
        book.tx,
        finding_id=old.finding_id,
        operator=old.operator,
        goal=old.goal,
        scope=old.scope,
        restarted_from=old.id,
        others=old.others,
        at=book.at,
    )
    await events.append(book.tx, fresh.id, book.actor, [opened(fresh)], book.at)
    book.changes["restarted_as"] = fresh.id
    book.note(SessionRestarted(new_session_id=fresh.id))
    book.fresh = await sessions.load(book.tx, fresh.id)


def opened(view: SessionView) -> SessionOpened:
    """The first event of a session."""
    return SessionOpened(
        finding_id=view.finding_id,
        title=view.title,
        goal=view.goal,
        scope=tuple(label for target in view.scope.targets for label in labels(target)),
        restarted_from=view.restarted_from,
    )


async def _operators(book: Ledger) -> None:
    ask, view = book.asked, book.view
    handed = ask.given is Input.hand_over
    operator = ask.person if handed else view.operator
    people = (*view.others, view.operator if handed else ask.person)
    others = tuple(person for person in dict.fromkeys(people) if person != operator)
    book.changes |= sessions.Change(operator=operator, others=others)
    book.note(OperatorsChanged(operator=operator, others=others))


STEPS: Mapping[Effect, Step] = {
    Effect.request_stop: _stop_requested,
    Effect.stop_now: _gate_back,
    Effect.auto_on: _auto_on,
    Effect.auto_off: _gate_back,
    Effect.replace_goal: _replace_goal,
    Effect.open_fresh: _open_fresh,
    Effect.change_operators: _operators,
}
