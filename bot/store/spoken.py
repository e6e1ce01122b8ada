"""Which message in Slack is which of the engine's, for those who edit or delete what they wrote."""

from __future__ import annotations

from dataclasses import dataclass

from bot.store.tables import SpokenRow
from engine.store.database import Database


@dataclass(frozen=True, kw_only=True)
class Said:
    """A message that the engine took."""

    session_id: int
    message_id: int


class Spoken:
    """The table of messages. Raises `StoreError` kinds only."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def remember(self, channel: str, ts: str, said: Said) -> None:
        """The engine took a message."""
        row = SpokenRow(channel=channel, ts=ts, session_id=said.session_id, message_id=said.message_id)
        async with self._db.begin() as tx:
            await tx.merge(row)

    async def of(self, channel: str, ts: str) -> Said | None:
        """The engine's message; None for what it never took."""
        async with self._db.read() as tx:
            row = await tx.get(SpokenRow, (channel, ts))
            return Said(session_id=row.session_id, message_id=row.message_id) if row else None
