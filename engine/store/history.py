"""The model's message history, a row a message, and what each turn used."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from pydantic_core import from_json, to_json
from sqlalchemy import func, insert, select
from sqlalchemy.ext.asyncio import AsyncSession

from engine.errors import RevisionConflict
from engine.store.tables import HistoryRow, TurnRow


async def load(tx: AsyncSession, session_id: int) -> bytes:
    """The whole history as a JSON array, `[]` before the first turn."""
    query = select(HistoryRow.data).where(HistoryRow.session_id == session_id).order_by(HistoryRow.number)
    # Joined as bytes: parsing every message only to write it again grows with each turn.
    return b"[" + b",".join((await tx.execute(query)).scalars()) + b"]"


async def extend(tx: AsyncSession, session_id: int, history: bytes) -> None:
    """Store what the history (a JSON array) has beyond the messages already stored.

    Raises `RevisionConflict` when it has fewer: it was built on something older.
    """
    # Only the new end is written: trimming is for the wire, so a message once stored never changes.
    stored = (await tx.execute(select(func.count()).where(HistoryRow.session_id == session_id))).scalar_one()
    messages: list[Any] = from_json(history)
    if len(messages) < stored:
        raise RevisionConflict(
            "The agent's history is behind the stored one; nothing was changed, try again."
        )
    rows = [
        {"session_id": session_id, "number": number, "data": to_json(message)}
        for number, message in enumerate(messages[stored:], start=stored + 1)
    ]
    if rows:
        await tx.execute(insert(HistoryRow), rows)


async def add_turn(
    tx: AsyncSession, *, session_id: int, model: str, usage: Mapping[str, Any], at: datetime
) -> None:
    """Note a finished turn: which model, and what it used."""
    await tx.execute(insert(TurnRow).values(session_id=session_id, model=model, usage=dict(usage), at=at))
