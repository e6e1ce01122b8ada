"""Findings as imported, each with its current determination."""

from __future__ import annotations

import hashlib
from datetime import datetime

from sqlalchemy import func, insert, or_, select
from sqlalchemy.ext.asyncio import AsyncSession

from engine.findings.model import Finding
from engine.store import verdicts
from engine.store.missing import no_finding
from engine.store.tables import FindingRow
from engine.views import FindingView, VerdictView


async def add(tx: AsyncSession, finding: Finding, *, by: str, at: datetime) -> tuple[FindingView, bool]:
    """Keep a finding; one with the same key is already there and stays as it is. True: it is new."""
    # Hashed, since a key holds a title and a path of any length and an index wants a short one.
    key = hashlib.sha256(finding.key.encode("utf-8", "surrogatepass")).hexdigest()
    known = (await tx.execute(select(FindingRow).where(FindingRow.key == key))).scalar_one_or_none()
    # Nothing is updated: a second import must not change what a session was opened on.
    if known:
        return _view(known, await verdicts.current(tx, known.id)), False
    given = insert(FindingRow).values(
        key=key,
        title=finding.title,
        severity=finding.severity.value,
        # Kept beside the JSON, so that the search works the same in every database.
        addresses=" ".join(endpoint.address for endpoint in finding.endpoints if endpoint.address),
        data=finding.model_dump(mode="json"),
        imported_by=by,
        imported=at,
    )
    row = (await tx.execute(given.returning(FindingRow))).scalar_one()
    return _view(row, None), True


async def load(tx: AsyncSession, finding_id: int) -> FindingView:
    """One finding."""
    row = await tx.get(FindingRow, finding_id)
    if row is None:
        raise no_finding(finding_id)
    return _view(row, await verdicts.current(tx, finding_id))


async def search(
    tx: AsyncSession, *, text: str = "", limit: int = 100, offset: int = 0
) -> tuple[FindingView, ...]:
    """Findings whose title or address contains the text, newest first."""
    query = select(FindingRow).order_by(FindingRow.id.desc()).limit(limit).offset(offset)
    if text:
        query = query.where(
            or_(
                FindingRow.title.icontains(text, autoescape=True),
                FindingRow.addresses.icontains(text, autoescape=True),
            )
        )
    rows = (await tx.execute(query)).scalars().all()
    # One query for all of them, or a list of a hundred findings would cost a hundred.
    standing = await verdicts.current_of(tx, [row.id for row in rows])
    return tuple(_view(row, standing.get(row.id)) for row in rows)


async def count(tx: AsyncSession) -> int:
    """How many findings there are."""
    return (await tx.execute(select(func.count()).select_from(FindingRow))).scalar_one()


def _view(row: FindingRow, verdict: VerdictView | None) -> FindingView:
    return FindingView(
        id=row.id,
        finding=Finding.model_validate(row.data),
        imported_by=row.imported_by,
        imported=row.imported,
        verdict=verdict,
    )
