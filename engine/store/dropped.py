"""Outputs that were dropped on purpose, and those that may be."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from sqlalchemy import Select, case, func, select, union_all
from sqlalchemy.ext.asyncio import AsyncSession

from engine.lifecycle import TERMINAL
from engine.store.tables import CommandRow, DroppedRow, SessionRow, VerdictRow
from engine.views import IN_FLIGHT

CHUNK = 500
"""Digests per query; SQLite takes a limited number of parameters."""


async def droppable(tx: AsyncSession, before: datetime) -> frozenset[str]:
    """Outputs that only old commands of finished sessions name, and no verdict rests on.

    Old is what ended before the moment. A verdict that was withdrawn or superseded still keeps its proof.
    """
    # By digest, since the same bytes may be named by many commands of many sessions.
    named = union_all(_named("stdout_sha256"), _named("stderr_sha256")).subquery()
    old = (
        select(named.c.digest)
        .group_by(named.c.digest)
        .having(func.max(named.c.ended) < before, func.max(named.c.needed) == 0)
    )
    found = set((await tx.execute(old)).scalars())
    # In Python: exhibits are JSON, which each database queries in its own way.
    for exhibits in (await tx.execute(select(VerdictRow.exhibits))).scalars():
        for exhibit in exhibits:
            found -= {exhibit["stdout_sha256"], exhibit["stderr_sha256"]}
    return frozenset(found)


def _named(column: str) -> Select[str, datetime | None, int]:
    digest = getattr(CommandRow, column)
    # A command may still be in flight for a moment after its session is over.
    needed = SessionRow.state.not_in(TERMINAL) | CommandRow.state.in_(IN_FLIGHT)
    return (
        select(
            digest.label("digest"),
            CommandRow.ended.label("ended"),
            case((needed, 1), else_=0).label("needed"),
        )
        .join(SessionRow, SessionRow.id == CommandRow.session_id)
        .where(digest.is_not(None))
    )


async def mark(tx: AsyncSession, digests: Collection[str], at: datetime) -> None:
    """Remember that outputs are dropped now."""
    for digest in digests:
        # Merged: an output may be written again and dropped a second time.
        await tx.merge(DroppedRow(sha256=digest, at=at))


async def when(tx: AsyncSession, digests: Collection[str]) -> dict[str, datetime]:
    """When outputs were dropped, of those that were."""
    wanted = list(digests)
    found: dict[str, datetime] = {}
    for start in range(0, len(wanted), CHUNK):
        some = wanted[start : start + CHUNK]
        query = select(DroppedRow.sha256, DroppedRow.at).where(DroppedRow.sha256.in_(some))
        for digest, at in await tx.execute(query):
            found[digest] = at
    return found
