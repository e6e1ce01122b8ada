"""The first tables: inbox, places, posts, cursors."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make every table."""
    op.create_table(
        "inbox",
        sa.Column("number", sa.Integer(), primary_key=True),
        sa.Column("key", sa.String(length=255), nullable=False, unique=True),
        sa.Column("kind", sa.String(length=32), nullable=False),
        sa.Column("body", sa.JSON(), nullable=False),
        sa.Column("received", sa.DateTime(timezone=True), nullable=False),
        sa.Column("done", sa.DateTime(timezone=True)),
    )
    op.create_index("ix_inbox_done", "inbox", ["done"])
    op.create_index("ix_inbox_received", "inbox", ["received"])
    op.create_table(
        "places",
        sa.Column("session_id", sa.Integer(), primary_key=True, autoincrement=False),
        sa.Column("team", sa.String(length=32), nullable=False),
        sa.Column("channel", sa.String(length=32), nullable=False),
        sa.Column("thread_ts", sa.String(length=32)),
        sa.UniqueConstraint("team", "channel", "thread_ts", name="uq_places_thread"),
    )
    op.create_table(
        "posts",
        sa.Column("session_id", sa.Integer(), primary_key=True, autoincrement=False),
        sa.Column("slot", sa.String(length=64), primary_key=True),
        sa.Column("channel", sa.String(length=32), nullable=False),
        sa.Column("ts", sa.String(length=32), nullable=False),
        sa.Column("shown", sa.String(length=64), nullable=False),
    )
    op.create_table(
        "cursors",
        sa.Column("session_id", sa.Integer(), primary_key=True, autoincrement=False),
        sa.Column("event", sa.Integer(), nullable=False),
        sa.Column("recommended", sa.Integer()),
    )


def downgrade() -> None:
    """Drop every table."""
    for table in ("cursors", "posts", "places", "inbox"):
        op.drop_table(table)
