"""What was asked before, known by the key it was asked with: a repeat changes nothing and is answered alike.

Whoever asks keeps the answer in the very transaction that has the effect.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import TypedDict, cast

from sqlalchemy import delete
from sqlalchemy.ext.asyncio import AsyncSession

from engine.store.tables import AskedRow

KEPT = timedelta(days=90)
"""Longer than anybody would still repeat what they asked."""


class Kept(TypedDict, total=False):
    """What it takes to answer again; ids stand for what is read anew."""

    done: bool
    sentence: str
    session: int
    """open: the session."""
    fresh: int | None
    message: int | None
    new: Sequence[int]
    known: Sequence[int]
    """import: the findings."""


async def recall(tx: AsyncSession, key: str) -> Kept | None:
    """The answer given to this key; None when it was never asked, and for no key at all."""
    row = await tx.get(AskedRow, key) if key else None
    return cast("Kept", row.answer) if row else None


async def keep(tx: AsyncSession, key: str, answer: Kept, at: datetime) -> None:
    """Remember the answer; without a key there is nothing to know it by."""
    if key:
        tx.add(AskedRow(key=key, answer=dict(answer), at=at))


async def forget(tx: AsyncSession, before: datetime) -> None:
    """Drop what was asked before a moment."""
    await tx.execute(delete(AskedRow).where(AskedRow.at < before))
