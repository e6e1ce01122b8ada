"""Remember which outputs retention dropped, and when."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "dropped_outputs",
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("sha256", name="pk_dropped_outputs"),
    )


def downgrade() -> None:
    """Drop the table; what was dropped then counts as lost."""
    op.drop_table("dropped_outputs")
