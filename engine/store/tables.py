"""The tables. Times are UTC; JSON columns hold the values named beside them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    JSON,
    DateTime,
    ForeignKey,
    Index,
    LargeBinary,
    MetaData,
    String,
    Text,
    TypeDecorator,
)
from sqlalchemy.engine import Dialect
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

# Every constraint has a name, since SQLite's migrations can only change what they can name.
NAMES = MetaData(
    naming_convention={
        "ix": "ix_%(column_0_label)s",
        "uq": "uq_%(table_name)s_%(column_0_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)


# None is stored as SQL's NULL: JSON's own null would not be found by IS NULL.
NULLABLE_JSON = JSON(none_as_null=True)


class Instant(TypeDecorator[datetime]):
    """A UTC time; SQLite forgets the zone, so it is put back."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Store in UTC."""
        return value.astimezone(UTC) if value else None

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Read as UTC."""
        return value.replace(tzinfo=UTC) if value and value.tzinfo is None else value


class Base(DeclarativeBase):
    """All tables of the engine."""

    metadata = NAMES
    type_annotation_map = {datetime: Instant, dict[str, Any]: NULLABLE_JSON, list[Any]: NULLABLE_JSON}  # noqa: RUF012


class FindingRow(Base):
    """One finding as imported; `key` makes a second import change nothing."""

    __tablename__ = "findings"

    id: Mapped[int] = mapped_column(primary_key=True)
    # Unique in the database too: two imports at once could both find the finding missing.
    key: Mapped[str] = mapped_column(String(64), unique=True)
    """SHA-256 of `Finding.key`."""
    title: Mapped[str] = mapped_column(Text)
    severity: Mapped[str] = mapped_column(String(16))
    addresses: Mapped[str] = mapped_column(Text)
    """Every `host:port` of its endpoints, for the search."""
    data: Mapped[dict[str, Any]]
    """`Finding`."""
    imported_by: Mapped[str] = mapped_column(String(128))
    imported: Mapped[datetime]


class SessionRow(Base):
    """One retest. `revision` grows with every change; a writer names the one it read."""

    __tablename__ = "sessions"
    __table_args__ = (Index("ix_sessions_state", "state"), Index("ix_sessions_finding_id", "finding_id"))

    id: Mapped[int] = mapped_column(primary_key=True)
    finding_id: Mapped[int] = mapped_column(ForeignKey("findings.id"))
    revision: Mapped[int] = mapped_column(default=0)
    state: Mapped[str] = mapped_column(String(24))
    situation: Mapped[dict[str, Any]]
    """`Situation` but for `state`."""
    operator: Mapped[str] = mapped_column(String(128))
    others: Mapped[list[Any]]
    goal: Mapped[list[Any]]
    scope: Mapped[dict[str, Any]]
    """`Scope`."""
    sandbox: Mapped[dict[str, Any] | None]
    """`Handle`, once there is one."""
    notices: Mapped[list[Any]]
    """What the agent must be told with its next turn."""
    restarted_from: Mapped[int | None] = mapped_column(ForeignKey("sessions.id"))
    restarted_as: Mapped[int | None] = mapped_column(ForeignKey("sessions.id"))
    # No foreign key: verdicts refer to sessions, and the two tables would need each other first.
    verdict_id: Mapped[int | None]
    """The session's standing verdict."""
    working_since: Mapped[datetime | None]
    created: Mapped[datetime]
    # Count and head stand here as well, so that events cut off at the end are noticed.
    event_count: Mapped[int] = mapped_column(default=0)
    chain_head: Mapped[str] = mapped_column(String(64))


class EventRow(Base):
    """One transcript event; never updated, never deleted."""

    __tablename__ = "events"

    session_id: Mapped[int] = mapped_column(ForeignKey("sessions.id"), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True)
    at: Mapped[datetime]
    actor: Mapped[str] = mapped_column(String(128))
    kind: Mapped[str] = mapped_column(String(40))
    # Text and not JSON: a database may reorder JSON, and the hash would no longer fit.
    data: Mapped[str] = mapped_column(Text)
    """The event as JSON text, exactly as hashed."""
    previous: Mapped[str] = mapped_column(String(64))
    hash: Mapped[str] = mapped_column(String(64))


class CommandRow(Base):
    """One command, proposed by the agent or typed by the operator."""

    __tablename__ = "commands"
    __table_args__ = (Index("ix_commands_session_id_state", "session_id", "state"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    session_id: Mapped[int] = mapped_column(ForeignKey("sessions.id"))
    origin: Mapped[str] = mapped_column(String(16))
    text: Mapped[str] = mapped_column(Text)
    rationale: Mapped[str] = mapped_column(Text, default="")
    said: Mapped[str] = mapped_column(Text, default="")
    timeout_seconds: Mapped[int]
    digest: Mapped[str] = mapped_column(String(64))
    state: Mapped[str] = mapped_column(String(16))
    edited_from: Mapped[str | None] = mapped_column(Text)
    decided_by: Mapped[str | None] = mapped_column(String(128))
    reason: Mapped[str] = mapped_column(Text, default="")
    tool_call_id: Mapped[str | None] = mapped_column(String(256))
    # Set only with a turn that succeeded, so that after a failed one it is told again.
    told: Mapped[bool] = mapped_column(default=False)
    outcome: Mapped[str | None] = mapped_column(String(24))
    exit_code: Mapped[int | None]
    elapsed_seconds: Mapped[float | None]
    stdout_sha256: Mapped[str | None] = mapped_column(String(64))
    stderr_sha256: Mapped[str | None] = mapped_column(String(64))
    stdout_bytes: Mapped[int] = mapped_column(default=0)
    stderr_bytes: Mapped[int] = mapped_column(default=0)
    denied: Mapped[list[Any]]
    out_of_memory: Mapped[bool] = mapped_column(default=False)
    repeats: Mapped[int | None]
    resolved_by: Mapped[str | None] = mapped_column(String(128))
    created: Mapped[datetime]
    started: Mapped[datetime | None]
    ended: Mapped[datetime | None]


class MessageRow(Base):
    """One message of a person to the agent.

    `queued`, `carried` by the turn in flight, `delivered`, or `noted` once the session is over.
    """

    __tablename__ = "messages"
    __table_args__ = (Index("ix_messages_session_id_state", "session_id", "state"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    session_id: Mapped[int] = mapped_column(ForeignKey("sessions.id"))
    by: Mapped[str] = mapped_column(String(128))
    text: Mapped[str] = mapped_column(Text)
    state: Mapped[str] = mapped_column(String(16))
    at: Mapped[datetime]


class HistoryRow(Base):
    """One message of the model's history, as pydantic-ai serialises it. Appended after each turn."""

    __tablename__ = "history"

    session_id: Mapped[int] = mapped_column(ForeignKey("sessions.id"), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True)
    data: Mapped[bytes] = mapped_column(LargeBinary)


class TurnRow(Base):
    """One finished model turn: which model, and what it used."""

    __tablename__ = "turns"
    __table_args__ = (Index("ix_turns_session_id", "session_id"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    session_id: Mapped[int] = mapped_column(ForeignKey("sessions.id"))
    model: Mapped[str] = mapped_column(String(128))
    usage: Mapped[dict[str, Any]]
    at: Mapped[datetime]


class VerdictRow(Base):
    """One verdict; appended, never changed. One not superseded and not withdrawn stands per finding."""

    __tablename__ = "verdicts"
    __table_args__ = (Index("ix_verdicts_finding_id", "finding_id"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    finding_id: Mapped[int] = mapped_column(ForeignKey("findings.id"))
    session_id: Mapped[int] = mapped_column(ForeignKey("sessions.id"))
    status: Mapped[str] = mapped_column(String(16))
    reason: Mapped[str] = mapped_column(String(32))
    rationale: Mapped[str] = mapped_column(Text)
    by: Mapped[str] = mapped_column(String(128))
    supersedes: Mapped[int | None] = mapped_column(ForeignKey("verdicts.id"))
    exhibits: Mapped[list[Any]]
    """`Exhibit`s, as they were when the verdict was given."""
    at: Mapped[datetime]


class WithdrawalRow(Base):
    """A verdict that no longer stands; the verdict's own row stays as it was."""

    __tablename__ = "withdrawals"

    verdict_id: Mapped[int] = mapped_column(ForeignKey("verdicts.id"), primary_key=True)
    by: Mapped[str] = mapped_column(String(128))
    at: Mapped[datetime]


class DroppedRow(Base):
    """An output that retention removed; the events and commands that name it stay."""

    __tablename__ = "dropped_outputs"

    sha256: Mapped[str] = mapped_column(String(64), primary_key=True)
    at: Mapped[datetime]


class AskedRow(Base):
    """One thing that was asked, and how it was answered."""

    __tablename__ = "asked"
    __table_args__ = (Index("ix_asked_at", "at"),)

    key: Mapped[str] = mapped_column(String(255), primary_key=True)
    """Opaque; the same for every repeat."""
    answer: Mapped[dict[str, Any]]
    """`Kept`."""
    at: Mapped[datetime]
