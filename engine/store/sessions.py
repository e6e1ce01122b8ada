"""Sessions. A change names the revision it was made on, and is refused when that is no longer the newest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypedDict, Unpack

from pydantic import TypeAdapter
from sqlalchemy import Select, and_, or_, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from engine.errors import RevisionConflict
from engine.events import CHAIN_START
from engine.lifecycle import LIVE, TERMINAL, Situation, State
from engine.sandbox.port import Handle
from engine.scope import Scope
from engine.store import commands, verdicts
from engine.store.missing import no_finding, no_session
from engine.store.tables import CommandRow, FindingRow, SessionRow, VerdictRow, WithdrawalRow
from engine.views import IN_FLIGHT, CommandState, CommandView, SessionView, VerdictView

# Built once: making an adapter costs far more than using it.
_SITUATION = TypeAdapter(Situation)
_HANDLE = TypeAdapter(Handle)
_WAITING = frozenset({CommandState.proposed, CommandState.held})


@dataclass(frozen=True, kw_only=True)
class Details:
    """What the conductor needs of a session beyond its view."""

    handle: Handle | None
    notices: tuple[str, ...]


class Change(TypedDict, total=False):
    """What may change along with a session's situation; named as in `SessionView`."""

    operator: str
    others: Sequence[str]
    goal: Sequence[str]
    sandbox: Handle | None
    notices: Sequence[str]
    restarted_as: int | None
    verdict_id: int | None
    working_since: datetime | None


async def insert(
    tx: AsyncSession,
    *,
    finding_id: int,
    operator: str,
    goal: Sequence[str],
    scope: Scope,
    restarted_from: int | None = None,
    others: Sequence[str] = (),
    at: datetime,
) -> SessionView:
    """Open a session, `idle`."""
    if await tx.get(FindingRow, finding_id) is None:
        raise no_finding(finding_id)
    situation = Situation()
    row = SessionRow(
        finding_id=finding_id,
        state=situation.state.value,
        situation=_stored(situation),
        operator=operator,
        others=list(others),
        goal=list(goal),
        scope=scope.model_dump(mode="json"),
        notices=[],
        restarted_from=restarted_from,
        created=at,
        chain_head=CHAIN_START,
    )
    tx.add(row)
    await tx.flush()
    return await load(tx, row.id)


async def load(tx: AsyncSession, session_id: int) -> SessionView:
    """A session as it is now, in two queries."""
    view, _ = await read(tx, session_id)
    return view


async def read(tx: AsyncSession, session_id: int) -> tuple[SessionView, Details]:
    """A session with what only the conductor needs of it, in two queries."""
    found = (await tx.execute(_all().where(SessionRow.id == session_id))).one_or_none()
    if found is None:
        raise no_session(session_id)
    row, title, severity, verdict = found
    kept = verdicts.view(verdict, None) if verdict else None
    view = _view(row, title, severity, kept, await _open_commands(tx, row.id))
    return view, Details(handle=_handle(row.sandbox), notices=tuple(row.notices))


async def change(
    tx: AsyncSession, view: SessionView, *, situation: Situation, **fields: Unpack[Change]
) -> SessionView:
    """Move a session on from the revision that `view` was read at; the view after.

    Raises `RevisionConflict`, and changes nothing, when somebody was faster.
    """
    values: dict[str, Any] = {**fields, "state": situation.state.value, "situation": _stored(situation)}
    # JSON knows no tuples, and a value compared later must be what was stored.
    for name in ("others", "goal", "notices"):
        if name in values:
            values[name] = list(values[name])
    if handle := fields.get("sandbox"):
        values["sandbox"] = _HANDLE.dump_python(handle, mode="json")
    changed = (
        update(SessionRow)
        .where(SessionRow.id == view.id, SessionRow.revision == view.revision)
        .values(**values, revision=view.revision + 1)
        .returning(SessionRow)
        .execution_options(synchronize_session=False, populate_existing=True)
    )
    row = (await tx.execute(changed)).scalar_one_or_none()
    if row is None:
        raise RevisionConflict
    # Only then is the verdict in `view` another one; everything else is known without a query.
    if "verdict_id" in fields:
        return await load(tx, view.id)
    return _view(row, view.title, view.severity, view.verdict, await _open_commands(tx, row.id))


async def details(tx: AsyncSession, session_id: int) -> Details:
    """The sandbox's handle, and what the agent must be told with its next turn."""
    query = select(SessionRow.sandbox, SessionRow.notices).where(SessionRow.id == session_id)
    row = (await tx.execute(query)).one_or_none()
    if row is None:
        raise no_session(session_id)
    handle, notices = row
    return Details(handle=_handle(handle), notices=tuple(notices))


async def live(tx: AsyncSession) -> tuple[SessionView, ...]:
    """Every session that is neither concluded nor ended, oldest first."""
    return await _views(tx, _all().where(SessionRow.state.in_(LIVE)).order_by(SessionRow.id))


async def sandboxes(tx: AsyncSession) -> dict[int, Handle]:
    """The sandboxes that sessions count on, by session."""
    # An idle session has none to count on: what it may still hold is left over from its first life.
    states = LIVE - {State.idle}
    query = select(SessionRow.id, SessionRow.sandbox).where(
        SessionRow.state.in_(states), SessionRow.sandbox.is_not(None)
    )
    return {row.id: _HANDLE.validate_python(row.sandbox) for row in await tx.execute(query)}


async def unfinished(tx: AsyncSession) -> tuple[int, ...]:
    """The sessions that a start has to go on with: something is in flight, or a sandbox is to be removed."""
    unended = (CommandState.approved, *IN_FLIGHT)
    in_flight = select(CommandRow.session_id).where(CommandRow.state.in_(unended))
    # An idle session was reopened before the sandbox of its first life was gone.
    without = (*TERMINAL, State.idle)
    left_over = and_(SessionRow.state.in_(without), SessionRow.sandbox.is_not(None))
    query = select(SessionRow.id).where(
        or_(SessionRow.state == State.working, left_over, SessionRow.id.in_(in_flight))
    )
    return tuple((await tx.execute(query.order_by(SessionRow.id))).scalars())


async def search(
    tx: AsyncSession,
    *,
    live: bool | None = None,
    operator: str | None = None,
    finding_id: int | None = None,
    limit: int = 100,
) -> tuple[SessionView, ...]:
    """Sessions, newest first. `live` False: only those that are over."""
    query = _all().order_by(SessionRow.id.desc()).limit(limit)
    if live is not None:
        query = query.where(SessionRow.state.in_(LIVE if live else TERMINAL))
    if operator is not None:
        query = query.where(SessionRow.operator == operator)
    if finding_id is not None:
        query = query.where(SessionRow.finding_id == finding_id)
    return await _views(tx, query)


_Found = Select[SessionRow, str, str, VerdictRow | None]


def _all() -> _Found:
    stands = and_(VerdictRow.id == SessionRow.verdict_id, WithdrawalRow.verdict_id.is_(None))
    return (
        select(SessionRow, FindingRow.title, FindingRow.severity, VerdictRow)
        .join(FindingRow, FindingRow.id == SessionRow.finding_id)
        # Outer joins: most sessions have no verdict, and a withdrawn one shows as none.
        .outerjoin(WithdrawalRow, WithdrawalRow.verdict_id == SessionRow.verdict_id)
        .outerjoin(VerdictRow, stands)
        # A row loaded earlier in the same transaction must not hide what was changed since.
        .execution_options(populate_existing=True)
    )


async def _views(tx: AsyncSession, query: _Found) -> tuple[SessionView, ...]:
    rows = (await tx.execute(query)).all()
    if not rows:
        return ()
    by_session: dict[int, list[CommandView]] = {row.id: [] for row, *_ in rows}
    # One query for all sessions of the list, whatever its length.
    for command in await commands.in_states(tx, by_session, _WAITING | IN_FLIGHT):
        by_session[command.session_id].append(command)
    return tuple(
        _view(row, title, severity, verdicts.view(verdict, None) if verdict else None, by_session[row.id])
        for row, title, severity, verdict in rows
    )


async def _open_commands(tx: AsyncSession, session_id: int) -> tuple[CommandView, ...]:
    return await commands.in_states(tx, (session_id,), _WAITING | IN_FLIGHT)


def _view(
    row: SessionRow, title: str, severity: str, verdict: VerdictView | None, open_: Sequence[CommandView]
) -> SessionView:
    handle = _handle(row.sandbox)
    return SessionView(
        id=row.id,
        finding_id=row.finding_id,
        title=title,
        severity=severity,
        situation=_SITUATION.validate_python({**row.situation, "state": row.state}),
        revision=row.revision,
        operator=row.operator,
        others=tuple(row.others),
        goal=tuple(row.goal),
        scope=Scope.model_validate(row.scope),
        pinned=handle.pinned if handle else None,
        restarted_from=row.restarted_from,
        restarted_as=row.restarted_as,
        verdict=verdict,
        waiting=next((c for c in open_ if c.state in _WAITING), None),
        running=tuple(c for c in open_ if c.state in IN_FLIGHT),
        working_since=row.working_since,
        created=row.created,
        events=row.event_count,
    )


def _stored(situation: Situation) -> dict[str, Any]:
    stored: dict[str, Any] = _SITUATION.dump_python(situation, mode="json")
    # The state has a column of its own for queries; kept twice, the two could disagree.
    del stored["state"]
    return stored


def _handle(stored: dict[str, Any] | None) -> Handle | None:
    return _HANDLE.validate_python(stored) if stored else None
