"""What was posted, and how far each transcript is published."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import delete, or_, select, update

from bot.store.tables import CursorRow, IntentRow, PostRow
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


@dataclass(frozen=True, kw_only=True)
class Trouble:
    """A thread that Slack does not take, and since when."""

    session_id: int
    code: str
    since: datetime


class Posts:
    """The tables of posts, intents and cursors. Raises `StoreError` kinds only."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def of(self, session_id: int) -> dict[str, Post]:
        """Everything posted for a session, by slot."""
        async with self._db.read() as tx:
            rows = await tx.scalars(select(PostRow).where(PostRow.session_id == session_id))
            return {
                row.slot: Post(slot=row.slot, channel=row.channel, ts=row.ts, shown=row.shown) for row in rows
            }

    async def has(self, session_id: int, slot: str) -> bool:
        """Whether something was posted in a slot."""
        async with self._db.read() as tx:
            return await tx.get(PostRow, (session_id, slot)) is not None

    async def intend(self, session_id: int, slot: str, after: str) -> None:
        """Something is about to be posted; right before it is. `after`: what was there before is not it."""
        async with self._db.begin() as tx:
            await tx.merge(IntentRow(session_id=session_id, slot=slot, after=after))

    async def intents(self, session_id: int) -> dict[str, str]:
        """By slot, what was about to be posted and never remembered; the value is `after`."""
        async with self._db.read() as tx:
            rows = await tx.scalars(select(IntentRow).where(IntentRow.session_id == session_id))
            return {row.slot: row.after for row in rows}

    async def remember(self, session_id: int, post: Post) -> None:
        """A message was posted or edited; right after it was. Nothing is in doubt about it any more."""
        async with self._db.begin() as tx:
            await tx.merge(
                PostRow(
                    session_id=session_id, slot=post.slot, channel=post.channel, ts=post.ts, shown=post.shown
                )
            )
            await tx.execute(
                delete(IntentRow).where(IntentRow.session_id == session_id, IntentRow.slot == post.slot)
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

    async def trouble(self, session_id: int, code: str | None) -> None:
        """Slack does not take the session's thread; None: it does again."""
        since = datetime.now(UTC) if code else None
        async with self._db.begin() as tx:
            await tx.execute(
                update(CursorRow)
                .where(CursorRow.session_id == session_id)
                .values(trouble=code, trouble_since=since)
            )

    async def troubles(self) -> tuple[Trouble, ...]:
        """Every thread that Slack does not take."""
        async with self._db.read() as tx:
            rows = await tx.scalars(
                select(CursorRow).where(CursorRow.trouble.is_not(None)).order_by(CursorRow.session_id)
            )
            return tuple(
                Trouble(session_id=row.session_id, code=row.trouble, since=row.trouble_since)
                for row in rows
                if row.trouble and row.trouble_since
            )
