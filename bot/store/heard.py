"""How far each live thread was read: what came before is in the inbox."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import select

from bot.store.tables import HeardRow, PlaceRow
from engine.lifecycle import LIVE
from engine.store.database import Database
from engine.store.tables import SessionRow


@dataclass(frozen=True, kw_only=True)
class LiveThread:
    """The thread of a live session."""

    session_id: int
    channel: str
    root: str
    read: str
    """Time stamp of the last message that was read; at first the root's."""


class Heard:
    """The table of marks. Raises `StoreError` kinds only."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def live(self) -> Sequence[LiveThread]:
        """The threads of all live sessions."""
        query = (
            select(PlaceRow.session_id, PlaceRow.channel, PlaceRow.thread_ts, HeardRow.ts)
            .join(SessionRow, SessionRow.id == PlaceRow.session_id)
            .outerjoin(HeardRow, HeardRow.session_id == PlaceRow.session_id)
            .where(SessionRow.state.in_(sorted(LIVE)), PlaceRow.thread_ts.is_not(None))
            .order_by(PlaceRow.session_id)
        )
        async with self._db.read() as tx:
            return [
                LiveThread(session_id=session_id, channel=channel, root=root, read=read or root)
                for session_id, channel, root, read in await tx.execute(query)
                if root is not None
            ]

    async def move(self, session_id: int, ts: str) -> None:
        """Everything up to there is in the inbox."""
        async with self._db.begin() as tx:
            await tx.merge(HeardRow(session_id=session_id, ts=ts))
