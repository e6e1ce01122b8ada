"""Remember how far each thread was read."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "heard",
        sa.Column("session_id", sa.Integer(), primary_key=True, autoincrement=False),
        sa.Column("ts", sa.String(length=32), nullable=False),
    )


def downgrade() -> None:
    """Drop the table; threads are then read from their beginning, and the inbox knows what it has."""
    op.drop_table("heard")
