"""What people wrote to the agent: queued, carried by the turn in flight, delivered."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from sqlalchemy import select, update
from sqlalchemy.ext.asyncio import AsyncSession

from engine.store.tables import MessageRow

MessageState = Literal["queued", "carried", "delivered", "noted", "withdrawn"]


@dataclass(frozen=True, kw_only=True)
class QueuedMessage:
    """A message on its way to the agent."""

    id: int
    by: str
    text: str


async def add(
    tx: AsyncSession, *, session_id: int, by: str, text: str, state: MessageState, at: datetime
) -> int:
    """Keep a message; its id."""
    row = MessageRow(session_id=session_id, by=by, text=text, state=state, at=at)
    tx.add(row)
    await tx.flush()
    return row.id


async def carry(tx: AsyncSession, session_id: int) -> tuple[QueuedMessage, ...]:
    """Give what is queued to the turn about to start; all that it carries, oldest first."""
    # Together with what a broken turn left carried, so that no message is ever lost between two turns.
    await _move(tx, session_id, "queued", "carried")
    return await _in_state(tx, session_id, "carried")


async def deliver(tx: AsyncSession, session_id: int) -> tuple[int, ...]:
    """The turn succeeded: what it carried has reached the agent; the ids, oldest first."""
    return await _move(tx, session_id, "carried", "delivered")


async def take_back(tx: AsyncSession, session_id: int) -> None:
    """The turn came to nothing: what it carried is queued again."""
    await _move(tx, session_id, "carried", "queued")


async def queued(tx: AsyncSession, session_id: int) -> tuple[QueuedMessage, ...]:
    """What waits for the next turn boundary, oldest first."""
    return await _in_state(tx, session_id, "queued")


async def change(tx: AsyncSession, message_id: int, text: str) -> None:
    """Give a message other words."""
    await tx.execute(update(MessageRow).where(MessageRow.id == message_id).values(text=text))


async def withdraw(tx: AsyncSession, message_id: int) -> None:
    """A message is not for the agent any more."""
    await tx.execute(update(MessageRow).where(MessageRow.id == message_id).values(state="withdrawn"))


async def carried(tx: AsyncSession, session_id: int) -> tuple[QueuedMessage, ...]:
    """What the turn in flight took along, oldest first."""
    return await _in_state(tx, session_id, "carried")


async def _move(
    tx: AsyncSession, session_id: int, before: MessageState, after: MessageState
) -> tuple[int, ...]:
    moved = (
        update(MessageRow)
        .where(MessageRow.session_id == session_id, MessageRow.state == before)
        .values(state=after)
        .returning(MessageRow.id)
        .execution_options(synchronize_session=False)
    )
    # A database returns changed rows in any order.
    return tuple(sorted((await tx.execute(moved)).scalars()))


async def _in_state(tx: AsyncSession, session_id: int, state: MessageState) -> tuple[QueuedMessage, ...]:
    query = (
        select(MessageRow.id, MessageRow.by, MessageRow.text)
        .where(MessageRow.session_id == session_id, MessageRow.state == state)
        .order_by(MessageRow.id)
    )
    return tuple(QueuedMessage(id=id_, by=by, text=text) for id_, by, text in await tx.execute(query))
