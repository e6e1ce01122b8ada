"""The bot's tables. Session ids are the engine's; there are no foreign keys between the two sets."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, Index, String, UniqueConstraint
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

from engine.store.tables import Instant


class Base(DeclarativeBase):
    """All tables of the bot."""

    type_annotation_map = {datetime: Instant, dict[str, Any]: JSON}  # noqa: RUF012


class InboxRow(Base):
    """One delivery of Slack's. The body is forgotten once it was acted upon."""

    __tablename__ = "inbox"
    __table_args__ = (Index("ix_inbox_done", "done"), Index("ix_inbox_received", "received"))

    number: Mapped[int] = mapped_column(primary_key=True)
    key: Mapped[str] = mapped_column(String(255), unique=True)
    """The same for every delivery of the same thing."""
    kind: Mapped[str] = mapped_column(String(32))
    body: Mapped[dict[str, Any]]
    received: Mapped[datetime]
    done: Mapped[datetime | None]


class PlaceRow(Base):
    """Where a session lives in Slack. `thread_ts` is the root card's, once it was posted."""

    __tablename__ = "places"
    __table_args__ = (UniqueConstraint("team", "channel", "thread_ts", name="uq_places_thread"),)

    session_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    team: Mapped[str] = mapped_column(String(32))
    channel: Mapped[str] = mapped_column(String(32))
    thread_ts: Mapped[str | None] = mapped_column(String(32))


class PostRow(Base):
    """One message that the publisher posted."""

    __tablename__ = "posts"

    session_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    slot: Mapped[str] = mapped_column(String(64), primary_key=True)
    """`root`, `event:N`, `command:ID`, `verdict:ID` and the like."""
    channel: Mapped[str] = mapped_column(String(32))
    ts: Mapped[str] = mapped_column(String(32))
    """Slack's time stamp of the message; of a file, its id."""
    shown: Mapped[str] = mapped_column(String(64))
    """Fingerprint of what it shows now."""


class IntentRow(Base):
    """A message or file that is being posted: until it is remembered, whether Slack has it is in doubt."""

    __tablename__ = "intents"

    session_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    slot: Mapped[str] = mapped_column(String(64), primary_key=True)
    after: Mapped[str] = mapped_column(String(32))
    """A time stamp of Slack's that is older than what was posted, newer than what was there before."""


class CursorRow(Base):
    """How far a session's transcript is published."""

    __tablename__ = "cursors"

    session_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    event: Mapped[int]
    """Number of the last event that is wholly shown."""
    recommended: Mapped[int | None]
    """Number of the recommendation whose button still stands."""
    trouble: Mapped[str | None] = mapped_column(String(64))
    """Slack's code for why the thread cannot be brought up to date; none while it can."""
    trouble_since: Mapped[datetime | None]


class HeardRow(Base):
    """How far a session's thread was read. Moves only once everything before is in the inbox."""

    __tablename__ = "heard"

    session_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    ts: Mapped[str] = mapped_column(String(32))


class SpokenRow(Base):
    """A message in Slack that the engine took."""

    __tablename__ = "spoken"

    channel: Mapped[str] = mapped_column(String(32), primary_key=True)
    ts: Mapped[str] = mapped_column(String(32), primary_key=True)
    session_id: Mapped[int]
    message_id: Mapped[int]
    """The engine's."""
