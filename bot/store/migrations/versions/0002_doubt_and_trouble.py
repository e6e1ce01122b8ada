"""What is being posted right now, and which threads Slack does not take."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Make the table of intents; a cursor knows its trouble."""
    op.create_table(
        "intents",
        sa.Column("session_id", sa.Integer(), primary_key=True, autoincrement=False),
        sa.Column("slot", sa.String(length=64), primary_key=True),
        sa.Column("after", sa.String(length=32), nullable=False),
    )
    with op.batch_alter_table("cursors") as cursors:
        cursors.add_column(sa.Column("trouble", sa.String(length=64)))
        cursors.add_column(sa.Column("trouble_since", sa.DateTime(timezone=True)))


def downgrade() -> None:
    """Forget both."""
    with op.batch_alter_table("cursors") as cursors:
        cursors.drop_column("trouble_since")
        cursors.drop_column("trouble")
    op.drop_table("intents")
