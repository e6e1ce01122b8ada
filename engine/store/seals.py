"""What a session's row says of its transcript, for the verifier."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from engine.store.missing import no_session
from engine.store.tables import SessionRow


@dataclass(frozen=True, kw_only=True)
class Seal:
    """The facts of a session's row that its events must bear out."""

    session_id: int
    finding_id: int
    state: str
    verdict_id: int | None
    event_count: int
    chain_head: str


async def ids(tx: AsyncSession) -> tuple[int, ...]:
    """Every session's number, in order."""
    return tuple((await tx.execute(select(SessionRow.id).order_by(SessionRow.id))).scalars())


async def load(tx: AsyncSession, session_id: int) -> Seal:
    """The seal of one session."""
    query = select(
        SessionRow.id.label("session_id"),
        SessionRow.finding_id,
        SessionRow.state,
        SessionRow.verdict_id,
        SessionRow.event_count,
        SessionRow.chain_head,
    ).where(SessionRow.id == session_id)
    row = (await tx.execute(query)).one_or_none()
    if row is None:
        raise no_session(session_id)
    return Seal(**row._mapping)
