"""The bot's tables and the engine's go down and up with data in them, without touching each other's."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import MetaData, insert, select

from bot.store.migrate import BOT_MIGRATIONS, BOT_VERSION_TABLE, migrate_bot
from bot.store.tables import Base as BotBase
from engine.store.database import Database
from engine.store.migrate import ENGINE_MIGRATIONS, ENGINE_VERSION_TABLE, migrate
from engine.store.tables import Base as EngineBase

NOW = datetime(2031, 5, 1, tzinfo=UTC)


def sample(metadata: MetaData, name: str) -> dict[str, object]:
    """A row of that table with every column set."""
    row: dict[str, object] = {}
    for column in metadata.tables[name].columns:
        kind = column.type.python_type if column.type.__class__.__name__ != "Instant" else datetime
        samples: dict[type, object] = {int: 1, float: 1.0, str: "x", bool: True, bytes: b"x", datetime: NOW}
        row[column.name] = samples.get(kind, {"a": 1})
    return row


async def counts(db: Database, metadata: MetaData) -> dict[str, int]:
    async with db.read() as tx:
        return {name: len((await tx.execute(select(table))).all()) for name, table in metadata.tables.items()}


@pytest.mark.parametrize("moving", ["bot", "engine"])
async def test_one_set_goes_down_and_up_and_the_other_keeps_its_rows(tmp_path: Path, moving: str) -> None:
    db = await Database.open(f"sqlite+aiosqlite:///{tmp_path / 'revalid.db'}")
    await migrate_bot(db)
    async with db.begin() as tx:
        for metadata in (EngineBase.metadata, BotBase.metadata):
            for table in metadata.sorted_tables:
                await tx.execute(insert(table).values(**sample(metadata, table.name)))
    location, table = {
        "bot": (BOT_MIGRATIONS, BOT_VERSION_TABLE),
        "engine": (ENGINE_MIGRATIONS, ENGINE_VERSION_TABLE),
    }[moving]
    gone, stays = BotBase.metadata, EngineBase.metadata
    if moving == "engine":
        gone, stays = stays, gone
    before = await counts(db, stays)
    assert set(before.values()) == {1}
    await migrate(db.url, location, table, to="base")
    await migrate(db.url, location, table)

    assert await counts(db, stays) == before
    assert set((await counts(db, gone)).values()) == {0}
    await db.close()
