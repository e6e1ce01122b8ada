"""Deliveries, written down before they are acknowledged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import delete, select, update

from bot.store.tables import InboxRow
from engine.store.database import Database

KEPT = timedelta(days=7)
"""Slack gives up after minutes; a week leaves room for a look at what went wrong."""


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One delivery."""

    key: str
    kind: str
    body: dict[str, Any]


class InboxStore:
    """The inbox's table. Raises `StoreError` kinds only."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def write(self, arrived: Sequence[Entry], finished: Sequence[str] = ()) -> frozenset[str]:
        """Write entries down and mark others done in one transaction; the keys that were new.

        What is done keeps its key, to know duplicates by, and loses its body.
        """
        now = datetime.now(UTC)
        once = {entry.key: entry for entry in arrived}
        async with self._db.begin() as tx:
            if finished:
                await tx.execute(update(InboxRow).where(InboxRow.key.in_(finished)).values(done=now, body={}))
            known = set(await tx.scalars(select(InboxRow.key).where(InboxRow.key.in_(once))))
            fresh = [entry for key, entry in once.items() if key not in known]
            tx.add_all(
                InboxRow(key=entry.key, kind=entry.kind, body=entry.body, received=now) for entry in fresh
            )
        return frozenset(entry.key for entry in fresh)

    async def undone(self) -> Sequence[Entry]:
        """What was written down and never finished, oldest first."""
        async with self._db.read() as tx:
            rows = await tx.scalars(select(InboxRow).where(InboxRow.done.is_(None)).order_by(InboxRow.number))
            return [Entry(key=row.key, kind=row.kind, body=row.body) for row in rows]

    async def forget(self, before: datetime) -> None:
        """Drop what was finished and received before a moment."""
        async with self._db.begin() as tx:
            await tx.execute(delete(InboxRow).where(InboxRow.received < before, InboxRow.done.is_not(None)))
