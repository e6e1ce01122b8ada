"""Checks what is kept: the chain of each transcript, the outputs it names, and the verdicts on it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from engine.audit import Case, problems, told
from engine.events import CommandEnded
from engine.store import commands, dropped, events, seals, verdicts
from engine.store.database import Database
from engine.store.errors import OutputMissing
from engine.store.outputs import Outputs

_GONE = "is gone"


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
    dropped: tuple[str, ...] = ()
    """A sentence for each output that is not there on purpose."""
    problems: tuple[Problem, ...]

    @property
    def intact(self) -> bool:
        """Nothing is wrong."""
        return not self.problems

    def as_json(self) -> dict[str, Any]:
        """What was looked at, and what does not fit.

        Shape::

            {"intact": false, "sessions": 3, "events": 67, "outputs": 9, "verdicts": 3,
             "dropped": ["R-42: the output of C-7 was dropped by retention on 2031-05-01."],
             "problems": [{"session": "R-42", "what": "Event 7 was changed after it was written."}]}
        """
        return {
            "intact": self.intact,
            "sessions": self.sessions,
            "events": self.events,
            "outputs": self.outputs,
            "verdicts": self.verdicts,
            "dropped": list(self.dropped),
            "problems": [{"session": f"R-{one.session_id}", "what": one.what} for one in self.problems],
        }


async def verify_session(db: Database, outputs: Outputs, session_id: int) -> Report:
    """Check one session. Raises `NotFound` for a number that none has."""
    case = await _read(db, session_id)
    kept = told(case.events).ended
    digests = {digest for event in kept.values() for digest, _ in _named(event)}
    checked = await _outputs(db, outputs, case, kept)
    return Report(
        sessions=1,
        events=len(case.events),
        outputs=len(digests),
        verdicts=len(case.verdicts),
        dropped=tuple(f"R-{session_id}: {sentence}" for sentence in checked.dropped),
        problems=tuple(
            Problem(session_id=session_id, what=what) for what in (*problems(case), *checked.problems)
        ),
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
        dropped=tuple(sentence for report in reports for sentence in report.dropped),
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


@dataclass(frozen=True, kw_only=True)
class _Checked:
    problems: tuple[str, ...]
    dropped: tuple[str, ...]


async def _outputs(db: Database, outputs: Outputs, case: Case, kept: Mapping[int, CommandEnded]) -> _Checked:
    sizes = {digest: size for event in kept.values() for digest, size in _named(event)}
    damage = {digest: await _damage(outputs, digest, size) for digest, size in sizes.items()}
    async with db.read() as tx:
        dropped_at = await dropped.when(tx, [digest for digest, found in damage.items() if found == _GONE])
    wrong, on_purpose = [], []
    for command_id, event in kept.items():
        for digest in dict.fromkeys(digest for digest, _ in _named(event) if damage[digest]):
            at = dropped_at.get(digest)
            if at is not None and _might_be_dropped(case, command_id, digest, at):
                on_purpose.append(f"the output of C-{command_id} was dropped by retention on {at:%Y-%m-%d}.")
            else:
                wrong.append(f"The output of C-{command_id} {damage[digest]}.")
    return _Checked(problems=tuple(wrong), dropped=tuple(on_purpose))


def _might_be_dropped(case: Case, command_id: int, digest: str, at: datetime) -> bool:
    """Retention takes neither what was not there yet nor what a verdict rested on already."""
    ended = next((one.ended for one in case.commands if one.id == command_id), None)
    exhibits = (exhibit for verdict in case.verdicts if verdict.at <= at for exhibit in verdict.exhibits)
    return (
        ended is not None
        and ended <= at
        and all(digest not in (exhibit.stdout_sha256, exhibit.stderr_sha256) for exhibit in exhibits)
    )


def _named(event: CommandEnded) -> tuple[tuple[str, int], tuple[str, int]]:
    return (event.stdout_sha256, event.stdout_bytes), (event.stderr_sha256, event.stderr_bytes)


async def _damage(outputs: Outputs, digest: str, size: int) -> str:
    try:
        data = await outputs.read(digest)
    except OutputMissing:
        return _GONE
    if len(data) != size:
        return f"is {len(data)} bytes long and was {size}"
    return "" if hashlib.sha256(data).hexdigest() == digest else "was changed"
