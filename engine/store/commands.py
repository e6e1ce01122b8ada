"""Commands. Every change of state names the states it may start from, so that a claim is given once."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Literal, TypedDict, Unpack, cast

from sqlalchemy import select, update
from sqlalchemy.ext.asyncio import AsyncSession

from engine.store.missing import no_command
from engine.store.tables import CommandRow
from engine.views import IN_FLIGHT, RAN, CommandState, CommandView

TELLABLE = RAN | {
    CommandState.rejected,
    CommandState.withdrawn,
    CommandState.failed,
    CommandState.unknown,
    CommandState.not_run,
}
"""States with an outcome for the agent; an unknown one is told as unknown."""


class Change(TypedDict, total=False):
    """What may change along with a command's state; named as in `CommandView`."""

    text: str
    digest: str
    timeout_seconds: int
    edited_from: str | None
    decided_by: str | None
    resolved_by: str | None
    reason: str
    tool_call_id: str | None
    told: bool
    outcome: str | None
    exit_code: int | None
    elapsed_seconds: float | None
    stdout_sha256: str | None
    stderr_sha256: str | None
    stdout_bytes: int
    stderr_bytes: int
    denied: Sequence[str]
    out_of_memory: bool
    started: datetime | None
    ended: datetime | None


async def insert(
    tx: AsyncSession,
    *,
    session_id: int,
    origin: Literal["agent", "operator"],
    text: str,
    rationale: str = "",
    said: str = "",
    timeout_seconds: int,
    digest: str,
    state: CommandState,
    tool_call_id: str | None = None,
    decided_by: str | None = None,
    repeats: int | None = None,
    at: datetime,
) -> CommandView:
    """A new command, in its first state."""
    row = CommandRow(
        session_id=session_id,
        origin=origin,
        text=text,
        rationale=rationale,
        said=said,
        timeout_seconds=timeout_seconds,
        digest=digest,
        state=state.value,
        tool_call_id=tool_call_id,
        decided_by=decided_by,
        repeats=repeats,
        denied=[],
        created=at,
    )
    tx.add(row)
    # The id is needed at once, for the events of this same transaction.
    await tx.flush()
    return view(row)


async def load(tx: AsyncSession, command_id: int) -> CommandView:
    """One command."""
    row = await tx.get(CommandRow, command_id)
    if row is None:
        raise no_command(command_id)
    return view(row)


async def move(
    tx: AsyncSession,
    command_id: int,
    expected: frozenset[CommandState],
    to: CommandState,
    **fields: Unpack[Change],
) -> CommandView | None:
    """Change a command's state if it is in one of the expected ones; None, and no change, if it is not."""
    # The one way to another state: who loses a race for a claim gets None and must not run anything.
    values = {**fields, "state": to.value}
    if "denied" in fields:
        values["denied"] = list(fields["denied"])
    changed = (
        update(CommandRow)
        .where(CommandRow.id == command_id, CommandRow.state.in_([state.value for state in expected]))
        .values(values)
        .returning(CommandRow)
        # The returned row is the truth; what the session loaded before this change is not.
        .execution_options(synchronize_session=False, populate_existing=True)
    )
    row = (await tx.execute(changed)).scalar_one_or_none()
    return view(row) if row else None


async def of_session(tx: AsyncSession, session_id: int) -> tuple[CommandView, ...]:
    """Every command of a session, oldest first."""
    query = select(CommandRow).where(CommandRow.session_id == session_id).order_by(CommandRow.id)
    return tuple(view(row) for row in (await tx.execute(query)).scalars())


async def in_states(
    tx: AsyncSession, session_ids: Collection[int], states: Collection[CommandState]
) -> tuple[CommandView, ...]:
    """The commands of some sessions that are in one of the states, oldest first."""
    query = (
        select(CommandRow)
        .where(CommandRow.session_id.in_(session_ids), CommandRow.state.in_([s.value for s in states]))
        .order_by(CommandRow.id)
    )
    return tuple(view(row) for row in (await tx.execute(query)).scalars())


async def in_flight(tx: AsyncSession, session_id: int) -> tuple[CommandView, ...]:
    """The commands of a session that are claimed or running."""
    return await in_states(tx, (session_id,), IN_FLIGHT)


async def untold(tx: AsyncSession, session_id: int) -> tuple[CommandView, ...]:
    """The commands with an outcome that the agent has not been given, oldest first."""
    query = (
        select(CommandRow)
        .where(
            CommandRow.session_id == session_id,
            CommandRow.state.in_([state.value for state in TELLABLE]),
            CommandRow.told.is_(False),
        )
        .order_by(CommandRow.id)
    )
    return tuple(view(row) for row in (await tx.execute(query)).scalars())


async def mark_told(tx: AsyncSession, ids: Collection[int]) -> None:
    """The agent has been given the outcome of these."""
    if ids:
        await tx.execute(update(CommandRow).where(CommandRow.id.in_(ids)).values(told=True))


def view(row: CommandRow) -> CommandView:
    """A row as a value."""
    return CommandView(
        id=row.id,
        session_id=row.session_id,
        origin=cast("Literal['agent', 'operator']", row.origin),
        text=row.text,
        rationale=row.rationale,
        said=row.said,
        timeout_seconds=row.timeout_seconds,
        digest=row.digest,
        state=CommandState(row.state),
        edited_from=row.edited_from,
        decided_by=row.decided_by,
        reason=row.reason,
        tool_call_id=row.tool_call_id,
        told=row.told,
        outcome=row.outcome,
        exit_code=row.exit_code,
        elapsed_seconds=row.elapsed_seconds,
        stdout_sha256=row.stdout_sha256,
        stderr_sha256=row.stderr_sha256,
        stdout_bytes=row.stdout_bytes,
        stderr_bytes=row.stderr_bytes,
        denied=tuple(row.denied),
        out_of_memory=row.out_of_memory,
        repeats=row.repeats,
        resolved_by=row.resolved_by,
        created=row.created,
        started=row.started,
        ended=row.ended,
    )
