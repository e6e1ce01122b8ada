"""The first tables: findings, sessions, commands, messages, history, turns, events, verdicts."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make every table."""
    _findings()
    _sessions()
    _commands()
    _conversation()
    _transcript()
    _verdicts()


def downgrade() -> None:
    """Drop every table, those that refer to others first."""
    for table in (
        "withdrawals",
        "verdicts",
        "events",
        "turns",
        "history",
        "messages",
        "commands",
        "sessions",
        "findings",
    ):
        op.drop_table(table)


def _findings() -> None:
    op.create_table(
        "findings",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("key", sa.String(length=64), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("severity", sa.String(length=16), nullable=False),
        sa.Column("addresses", sa.Text(), nullable=False),
        sa.Column("data", sa.JSON(), nullable=False),
        sa.Column("imported_by", sa.String(length=128), nullable=False),
        sa.Column("imported", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_findings"),
        sa.UniqueConstraint("key", name="uq_findings_key"),
    )


def _sessions() -> None:
    op.create_table(
        "sessions",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("finding_id", sa.Integer(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(length=24), nullable=False),
        sa.Column("situation", sa.JSON(), nullable=False),
        sa.Column("operator", sa.String(length=128), nullable=False),
        sa.Column("others", sa.JSON(), nullable=False),
        sa.Column("goal", sa.JSON(), nullable=False),
        sa.Column("scope", sa.JSON(), nullable=False),
        sa.Column("sandbox", sa.JSON(), nullable=True),
        sa.Column("notices", sa.JSON(), nullable=False),
        sa.Column("restarted_from", sa.Integer(), nullable=True),
        sa.Column("restarted_as", sa.Integer(), nullable=True),
        sa.Column("verdict_id", sa.Integer(), nullable=True),
        sa.Column("working_since", sa.DateTime(timezone=True), nullable=True),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.Column("event_count", sa.Integer(), nullable=False),
        sa.Column("chain_head", sa.String(length=64), nullable=False),
        sa.ForeignKeyConstraint(["finding_id"], ["findings.id"], name="fk_sessions_finding_id_findings"),
        sa.ForeignKeyConstraint(["restarted_as"], ["sessions.id"], name="fk_sessions_restarted_as_sessions"),
        sa.ForeignKeyConstraint(
            ["restarted_from"], ["sessions.id"], name="fk_sessions_restarted_from_sessions"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_sessions"),
    )
    op.create_index("ix_sessions_finding_id", "sessions", ["finding_id"])
    op.create_index("ix_sessions_state", "sessions", ["state"])


def _commands() -> None:
    op.create_table(
        "commands",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("session_id", sa.Integer(), nullable=False),
        sa.Column("origin", sa.String(length=16), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("rationale", sa.Text(), nullable=False),
        sa.Column("said", sa.Text(), nullable=False),
        sa.Column("timeout_seconds", sa.Integer(), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("edited_from", sa.Text(), nullable=True),
        sa.Column("decided_by", sa.String(length=128), nullable=True),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("tool_call_id", sa.String(length=256), nullable=True),
        sa.Column("told", sa.Boolean(), nullable=False),
        sa.Column("outcome", sa.String(length=24), nullable=True),
        sa.Column("exit_code", sa.Integer(), nullable=True),
        sa.Column("elapsed_seconds", sa.Double(), nullable=True),
        sa.Column("stdout_sha256", sa.String(length=64), nullable=True),
        sa.Column("stderr_sha256", sa.String(length=64), nullable=True),
        sa.Column("stdout_bytes", sa.Integer(), nullable=False),
        sa.Column("stderr_bytes", sa.Integer(), nullable=False),
        sa.Column("denied", sa.JSON(), nullable=False),
        sa.Column("out_of_memory", sa.Boolean(), nullable=False),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.Column("started", sa.DateTime(timezone=True), nullable=True),
        sa.Column("ended", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["session_id"], ["sessions.id"], name="fk_commands_session_id_sessions"),
        sa.PrimaryKeyConstraint("id", name="pk_commands"),
    )
    op.create_index("ix_commands_session_id_state", "commands", ["session_id", "state"])


def _conversation() -> None:
    op.create_table(
        "messages",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("session_id", sa.Integer(), nullable=False),
        sa.Column("by", sa.String(length=128), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["session_id"], ["sessions.id"], name="fk_messages_session_id_sessions"),
        sa.PrimaryKeyConstraint("id", name="pk_messages"),
    )
    op.create_index("ix_messages_session_id_state", "messages", ["session_id", "state"])
    op.create_table(
        "history",
        sa.Column("session_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("data", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["session_id"], ["sessions.id"], name="fk_history_session_id_sessions"),
        sa.PrimaryKeyConstraint("session_id", "number", name="pk_history"),
    )
    op.create_table(
        "turns",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("session_id", sa.Integer(), nullable=False),
        sa.Column("model", sa.String(length=128), nullable=False),
        sa.Column("usage", sa.JSON(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["session_id"], ["sessions.id"], name="fk_turns_session_id_sessions"),
        sa.PrimaryKeyConstraint("id", name="pk_turns"),
    )
    op.create_index("ix_turns_session_id", "turns", ["session_id"])


def _transcript() -> None:
    op.create_table(
        "events",
        sa.Column("session_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("actor", sa.String(length=128), nullable=False),
        sa.Column("kind", sa.String(length=40), nullable=False),
        sa.Column("data", sa.Text(), nullable=False),
        sa.Column("previous", sa.String(length=64), nullable=False),
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.ForeignKeyConstraint(["session_id"], ["sessions.id"], name="fk_events_session_id_sessions"),
        sa.PrimaryKeyConstraint("session_id", "number", name="pk_events"),
    )


def _verdicts() -> None:
    op.create_table(
        "verdicts",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("finding_id", sa.Integer(), nullable=False),
        sa.Column("session_id", sa.Integer(), nullable=False),
        sa.Column("status", sa.String(length=16), nullable=False),
        sa.Column("reason", sa.String(length=32), nullable=False),
        sa.Column("rationale", sa.Text(), nullable=False),
        sa.Column("by", sa.String(length=128), nullable=False),
        sa.Column("supersedes", sa.Integer(), nullable=True),
        sa.Column("exhibits", sa.JSON(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["finding_id"], ["findings.id"], name="fk_verdicts_finding_id_findings"),
        sa.ForeignKeyConstraint(["session_id"], ["sessions.id"], name="fk_verdicts_session_id_sessions"),
        sa.ForeignKeyConstraint(["supersedes"], ["verdicts.id"], name="fk_verdicts_supersedes_verdicts"),
        sa.PrimaryKeyConstraint("id", name="pk_verdicts"),
    )
    op.create_index("ix_verdicts_finding_id", "verdicts", ["finding_id"])
    op.create_table(
        "withdrawals",
        sa.Column("verdict_id", sa.Integer(), nullable=False),
        sa.Column("by", sa.String(length=128), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["verdict_id"], ["verdicts.id"], name="fk_withdrawals_verdict_id_verdicts"),
        sa.PrimaryKeyConstraint("verdict_id", name="pk_withdrawals"),
    )
