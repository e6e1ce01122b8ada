"""Remember which message in Slack is which of the engine's."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "spoken",
        sa.Column("channel", sa.String(length=32), primary_key=True),
        sa.Column("ts", sa.String(length=32), primary_key=True),
        sa.Column("session_id", sa.Integer(), nullable=False),
        sa.Column("message_id", sa.Integer(), nullable=False),
    )


def downgrade() -> None:
    """Drop the table; edits of what was written before then change nothing."""
    op.drop_table("spoken")
