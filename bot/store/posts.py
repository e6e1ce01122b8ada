"""What was posted, and how far each transcript is published."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import or_, select, update

from bot.store.tables import CursorRow, PostRow
from engine.lifecycle import LIVE
from engine.store.database import Database
from engine.store.tables import SessionRow


@dataclass(frozen=True, kw_only=True)
class Post:
    """A message in Slack, and the fingerprint of what it shows."""

    slot: str
    channel: str
    ts: str
    shown: str


@dataclass(frozen=True, kw_only=True)
class Cursor:
    """How far a transcript is published, and which recommendation still has its button."""

    event: int = 0
    recommended: int | None = None


class Posts:
    """The tables of posts and cursors. Raises `StoreError` kinds only."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def of(self, session_id: int) -> dict[str, Post]:
        """Everything posted for a session, by slot."""
        async with self._db.read() as tx:
            rows = await tx.scalars(select(PostRow).where(PostRow.session_id == session_id))
            return {
                row.slot: Post(slot=row.slot, channel=row.channel, ts=row.ts, shown=row.shown) for row in rows
            }

    async def remember(self, session_id: int, post: Post) -> None:
        """A message was posted or edited; right after it was."""
        async with self._db.begin() as tx:
            await tx.merge(
                PostRow(
                    session_id=session_id, slot=post.slot, channel=post.channel, ts=post.ts, shown=post.shown
                )
            )

    async def cursor(self, session_id: int) -> Cursor:
        """How far the session is published."""
        async with self._db.read() as tx:
            row = await tx.get(CursorRow, session_id)
            return Cursor(event=row.event, recommended=row.recommended) if row else Cursor()

    async def move(self, session_id: int, cursor: Cursor) -> None:
        """Everything up to there is shown."""
        async with self._db.begin() as tx:
            await tx.execute(
                update(CursorRow)
                .where(CursorRow.session_id == session_id)
                .values(event=cursor.event, recommended=cursor.recommended)
            )

    async def unfinished(self) -> tuple[int, ...]:
        """Sessions with events that are not shown yet, and those that are still live."""
        behind = CursorRow.event < SessionRow.event_count
        async with self._db.read() as tx:
            found = await tx.scalars(
                select(CursorRow.session_id)
                .join(SessionRow, SessionRow.id == CursorRow.session_id)
                .where(or_(behind, SessionRow.state.in_(sorted(LIVE))))
                .order_by(CursorRow.session_id)
            )
            return tuple(found)
