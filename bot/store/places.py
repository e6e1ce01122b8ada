"""Where sessions live in Slack."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import select, update

from bot.store.tables import CursorRow, PlaceRow
from engine.store.database import Database


@dataclass(frozen=True, kw_only=True)
class Place:
    """A session's channel, and its thread once the root card was posted."""

    session_id: int
    team: str
    channel: str
    thread_ts: str | None


class Places:
    """The places' table. Raises `StoreError` kinds only."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def add(self, session_id: int, team: str, channel: str) -> Place:
        """Remember a session's channel; a session has one place, so a second call answers the first."""
        async with self._db.begin() as tx:
            row = await tx.get(PlaceRow, session_id)
            if row is None:
                row = PlaceRow(session_id=session_id, team=team, channel=channel, thread_ts=None)
                tx.add_all([row, CursorRow(session_id=session_id, event=0, recommended=None)])
            return _place(row)

    async def threaded(self, session_id: int, thread_ts: str) -> None:
        """The root card is up."""
        async with self._db.begin() as tx:
            await tx.execute(
                update(PlaceRow).where(PlaceRow.session_id == session_id).values(thread_ts=thread_ts)
            )

    async def of(self, session_id: int) -> Place | None:
        """Where a session lives; None for one that was not opened in Slack."""
        async with self._db.read() as tx:
            row = await tx.get(PlaceRow, session_id)
            return _place(row) if row else None

    async def of_many(self, session_ids: Sequence[int]) -> dict[int, Place]:
        """The places of those that have one."""
        async with self._db.read() as tx:
            rows = await tx.scalars(select(PlaceRow).where(PlaceRow.session_id.in_(session_ids)))
            return {row.session_id: _place(row) for row in rows}

    async def session_at(self, team: str, channel: str, thread_ts: str) -> int | None:
        """The session whose thread that is."""
        async with self._db.read() as tx:
            return await tx.scalar(
                select(PlaceRow.session_id).where(
                    PlaceRow.team == team, PlaceRow.channel == channel, PlaceRow.thread_ts == thread_ts
                )
            )


def _place(row: PlaceRow) -> Place:
    return Place(session_id=row.session_id, team=row.team, channel=row.channel, thread_ts=row.thread_ts)
