"""Remember what became of a command whose outcome was unknown."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Add the columns."""
    with op.batch_alter_table("commands") as table:
        table.add_column(sa.Column("repeats", sa.Integer(), nullable=True))
        table.add_column(sa.Column("resolved_by", sa.String(length=128), nullable=True))


def downgrade() -> None:
    """Drop them; to the earlier version such a command is unknown still."""
    op.execute("UPDATE commands SET state = 'unknown' WHERE state IN ('repeated', 'not_run')")
    with op.batch_alter_table("commands") as table:
        table.drop_column("resolved_by")
        table.drop_column("repeats")
