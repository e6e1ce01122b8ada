"""Checks what is kept: the chain of each transcript, the outputs it names, and the verdicts on it."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engine.audit import Case, problems, told
from engine.events import CommandEnded
from engine.store import commands, events, seals, verdicts
from engine.store.database import Database
from engine.store.errors import OutputMissing
from engine.store.outputs import Outputs


@dataclass(frozen=True, kw_only=True)
class Problem:
    """One thing that does not fit."""

    session_id: int
    what: str
    """A sentence."""


@dataclass(frozen=True, kw_only=True)
class Report:
    """What was looked at, and what does not fit. Whoever can rewrite everything can still fool it."""

    sessions: int
    events: int
    outputs: int
    """Distinct outputs read whole."""
    verdicts: int
    problems: tuple[Problem, ...]

    @property
    def intact(self) -> bool:
        """Nothing is wrong."""
        return not self.problems

    def as_json(self) -> dict[str, Any]:
        """What was looked at, and what does not fit.

        Shape::

            {"intact": false, "sessions": 3, "events": 67, "outputs": 9, "verdicts": 3,
             "problems": [{"session": "R-42", "what": "Event 7 was changed after it was written."}]}
        """
        return {
            "intact": self.intact,
            "sessions": self.sessions,
            "events": self.events,
            "outputs": self.outputs,
            "verdicts": self.verdicts,
            "problems": [{"session": f"R-{one.session_id}", "what": one.what} for one in self.problems],
        }


async def verify_session(db: Database, outputs: Outputs, session_id: int) -> Report:
    """Check one session. Raises `NotFound` for a number that none has."""
    case = await _read(db, session_id)
    kept = told(case.events).ended
    found = [*problems(case), *[problem async for problem in _output_problems(outputs, kept)]]
    return Report(
        sessions=1,
        events=len(case.events),
        outputs=len({digest for event in kept.values() for digest, _ in _named(event)}),
        verdicts=len(case.verdicts),
        problems=tuple(Problem(session_id=session_id, what=what) for what in found),
    )


async def verify_all(db: Database, outputs: Outputs) -> Report:
    """Check every session, one after the other."""
    async with db.read() as tx:
        every = await seals.ids(tx)
    return _together([await verify_session(db, outputs, session_id) for session_id in every])


def _together(reports: Sequence[Report]) -> Report:
    return Report(
        sessions=len(reports),
        events=sum(report.events for report in reports),
        outputs=sum(report.outputs for report in reports),
        verdicts=sum(report.verdicts for report in reports),
        problems=tuple(problem for report in reports for problem in report.problems),
    )


async def _read(db: Database, session_id: int) -> Case:
    async with db.read() as tx:
        return Case(
            seal=await seals.load(tx, session_id),
            events=await events.raw(tx, session_id),
            commands=await commands.of_session(tx, session_id),
            verdicts=await verdicts.of_session(tx, session_id),
        )


async def _output_problems(outputs: Outputs, kept: Mapping[int, CommandEnded]) -> AsyncIterator[str]:
    checked: dict[str, str] = {}
    for command_id, event in kept.items():
        for digest, size in _named(event):
            if digest not in checked:
                checked[digest] = await _damage(outputs, digest, size)
            if checked[digest]:
                yield f"The output of C-{command_id} {checked[digest]}."


def _named(event: CommandEnded) -> tuple[tuple[str, int], tuple[str, int]]:
    return (event.stdout_sha256, event.stdout_bytes), (event.stderr_sha256, event.stderr_bytes)


async def _damage(outputs: Outputs, digest: str, size: int) -> str:
    try:
        data = await outputs.read(digest)
    except OutputMissing:
        return "is gone"
    if len(data) != size:
        return f"is {len(data)} bytes long and was {size}"
    return "" if hashlib.sha256(data).hexdigest() == digest else "was changed"
