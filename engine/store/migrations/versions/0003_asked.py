"""Remember what was asked, so that a repeat does nothing twice."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "asked",
        sa.Column("key", sa.String(length=255), nullable=False),
        sa.Column("answer", sa.JSON(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("key", name="pk_asked"),
    )
    op.create_index("ix_asked_at", "asked", ["at"])


def downgrade() -> None:
    """Drop the table; whatever is repeated then is done again."""
    op.drop_table("asked")
