"""The bot's own tables, beside the engine's in the same database."""

from __future__ import annotations

from pathlib import Path

from engine.store.database import Database, migrate

BOT_MIGRATIONS = Path(__file__).parent / "migrations"
BOT_VERSION_TABLE = "alembic_version_bot"


async def migrate_bot(db: Database) -> None:
    """Bring the bot's tables to their newest shape. Raises `StoreError` kinds only."""
    await migrate(db.url, BOT_MIGRATIONS, BOT_VERSION_TABLE)
