"""Verdicts: rows appended and never changed. A withdrawal is a row of its own."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import cast

from pydantic import TypeAdapter
from sqlalchemy import Select, func, insert, select
from sqlalchemy.ext.asyncio import AsyncSession

from engine.store.missing import no_verdict
from engine.store.tables import VerdictRow, WithdrawalRow
from engine.views import Exhibit, Status, VerdictView

# Exhibits are copied into the verdict: it must stand as given whatever becomes of its commands.
_EXHIBITS = TypeAdapter(tuple[Exhibit, ...])


async def append(
    tx: AsyncSession,
    *,
    finding_id: int,
    session_id: int,
    status: Status,
    reason: str,
    rationale: str,
    by: str,
    supersedes: int | None,
    exhibits: Sequence[Exhibit],
    at: datetime,
) -> VerdictView:
    """Record a verdict; it is the finding's current determination from now on."""
    given = insert(VerdictRow).values(
        finding_id=finding_id,
        session_id=session_id,
        status=status,
        reason=reason,
        rationale=rationale,
        by=by,
        supersedes=supersedes,
        exhibits=_EXHIBITS.dump_python(tuple(exhibits), mode="json"),
        at=at,
    )
    row = (await tx.execute(given.returning(VerdictRow))).scalar_one()
    return view(row, None)


async def withdraw(tx: AsyncSession, verdict_id: int, *, by: str, at: datetime) -> None:
    """Mark a verdict as withdrawn, and with it those of the same session that it superseded.

    Otherwise an earlier word of a session would stand again the moment its last one is taken back.
    """
    verdict: VerdictView | None = await load(tx, verdict_id)
    session_id = verdict.session_id if verdict else None
    while verdict and verdict.session_id == session_id:
        # Reopened twice, a session has verdicts that were withdrawn before; they keep who did it and when.
        if verdict.withdrawn_by is None:
            await tx.execute(insert(WithdrawalRow).values(verdict_id=verdict.id, by=by, at=at))
        verdict = await load(tx, verdict.supersedes) if verdict.supersedes else None


async def load(tx: AsyncSession, verdict_id: int) -> VerdictView:
    """One verdict."""
    found = await _views(tx, _all().where(VerdictRow.id == verdict_id))
    if not found:
        raise no_verdict(verdict_id)
    return found[0]


async def of_finding(tx: AsyncSession, finding_id: int) -> tuple[VerdictView, ...]:
    """Every verdict ever given on a finding, oldest first, withdrawn ones too."""
    return await _views(tx, _all().where(VerdictRow.finding_id == finding_id).order_by(VerdictRow.id))


async def of_session(tx: AsyncSession, session_id: int) -> tuple[VerdictView, ...]:
    """Every verdict that a session gave, oldest first."""
    return await _views(tx, _all().where(VerdictRow.session_id == session_id).order_by(VerdictRow.id))


async def current(tx: AsyncSession, finding_id: int) -> VerdictView | None:
    """The finding's determination: the newest verdict that is not withdrawn."""
    return (await current_of(tx, (finding_id,))).get(finding_id)


async def current_of(tx: AsyncSession, finding_ids: Collection[int]) -> Mapping[int, VerdictView]:
    """The determinations of many findings in one query; those without one are left out."""
    if not finding_ids:
        return {}
    newest = (
        # The newest by id and not by time: clocks go back, numbers of the database do not.
        select(func.max(VerdictRow.id))
        .outerjoin(WithdrawalRow, WithdrawalRow.verdict_id == VerdictRow.id)
        .where(VerdictRow.finding_id.in_(finding_ids), WithdrawalRow.verdict_id.is_(None))
        .group_by(VerdictRow.finding_id)
    )
    return {found.finding_id: found for found in await _views(tx, _all().where(VerdictRow.id.in_(newest)))}


def view(row: VerdictRow, withdrawn_by: str | None) -> VerdictView:
    """A row as a value."""
    return VerdictView(
        id=row.id,
        finding_id=row.finding_id,
        session_id=row.session_id,
        status=cast("Status", row.status),
        reason=row.reason,
        rationale=row.rationale,
        by=row.by,
        supersedes=row.supersedes,
        withdrawn_by=withdrawn_by,
        exhibits=_EXHIBITS.validate_python(row.exhibits),
        at=row.at,
    )


def _all() -> Select[VerdictRow, str | None]:
    return select(VerdictRow, WithdrawalRow.by).outerjoin(
        WithdrawalRow, WithdrawalRow.verdict_id == VerdictRow.id
    )


async def _views(tx: AsyncSession, query: Select[VerdictRow, str | None]) -> tuple[VerdictView, ...]:
    return tuple(view(row, by) for row, by in await tx.execute(query))
