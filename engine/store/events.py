"""The transcript: events appended, numbered by the database, chained by hash, never changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import insert, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from engine.events import AnyEvent, Recorded, link, parse
from engine.store.missing import no_session
from engine.store.tables import EventRow, SessionRow


@dataclass(frozen=True, kw_only=True)
class RawEvent:
    """An event exactly as stored, for the verifier."""

    number: int
    at: datetime
    actor: str
    kind: str
    data: str
    previous: str
    hash: str


async def append(
    tx: AsyncSession, session_id: int, actor: str, events: Sequence[AnyEvent], at: datetime
) -> tuple[Recorded, ...]:
    """Add events of one actor to a session's transcript."""
    return await append_all(tx, session_id, [(actor, event) for event in events], at)


async def append_all(
    tx: AsyncSession, session_id: int, events: Sequence[tuple[str, AnyEvent]], at: datetime
) -> tuple[Recorded, ...]:
    """Add events, each with its actor, in order. Costs the same however long the transcript already is."""
    if not events:
        return ()
    # The link covers the time as text, so it must be written one way only.
    at = at.astimezone(UTC)
    # The update locks the session's row first, so that two writers can never be given the same number.
    numbered = (
        update(SessionRow)
        .where(SessionRow.id == session_id)
        .values(event_count=SessionRow.event_count + len(events))
        .returning(SessionRow.event_count, SessionRow.chain_head)
        .execution_options(synchronize_session=False)
    )
    # One statement, since a number that was read first could be given twice.
    row = (await tx.execute(numbered)).one_or_none()
    if row is None:
        raise no_session(session_id)
    count, head = row
    chained = _chain(session_id, at, events, first=count - len(events) + 1, head=head)
    rows = [
        {**one.model_dump(exclude={"event"}), "kind": one.event.kind, "data": data} for one, data in chained
    ]
    await tx.execute(insert(EventRow), rows)
    await tx.execute(
        update(SessionRow)
        .where(SessionRow.id == session_id)
        .values(chain_head=rows[-1]["hash"])
        .execution_options(synchronize_session=False)
    )
    return tuple(one for one, _ in chained)


def _chain(
    session_id: int, at: datetime, events: Sequence[tuple[str, AnyEvent]], *, first: int, head: str
) -> list[tuple[Recorded, str]]:
    """Each event with its number, its link and the JSON text that the link covers."""
    chained: list[tuple[Recorded, str]] = []
    for number, (actor, event) in enumerate(events, start=first):
        # Serialised once: the text that is hashed is the very text that is stored.
        data = event.model_dump_json()
        after = link(previous=head, session_id=session_id, number=number, at=at, actor=actor, data=data)
        one = Recorded(
            session_id=session_id,
            number=number,
            at=at,
            actor=actor,
            event=event,
            previous=head,
            hash=after,
        )
        chained.append((one, data))
        head = after
    return chained


async def read(
    tx: AsyncSession, session_id: int, *, after: int = 0, limit: int = 500
) -> tuple[Recorded, ...]:
    """Events numbered above `after`, in order, at most `limit`."""
    query = (
        select(EventRow)
        .where(EventRow.session_id == session_id, EventRow.number > after)
        .order_by(EventRow.number)
        .limit(limit)
    )
    return tuple(
        Recorded(
            session_id=session_id,
            number=row.number,
            at=row.at,
            actor=row.actor,
            event=parse(row.kind, row.data),
            previous=row.previous,
            hash=row.hash,
        )
        for row in (await tx.execute(query)).scalars()
    )


# Not parsed: a verifier must see what is stored, also where it was tampered with.
async def raw(tx: AsyncSession, session_id: int) -> tuple[RawEvent, ...]:
    """Every event as stored, in the order of their numbers."""
    columns = (
        EventRow.number,
        EventRow.at,
        EventRow.actor,
        EventRow.kind,
        EventRow.data,
        EventRow.previous,
        EventRow.hash,
    )
    query = select(*columns).where(EventRow.session_id == session_id).order_by(EventRow.number)
    return tuple(RawEvent(**row._mapping) for row in await tx.execute(query))
