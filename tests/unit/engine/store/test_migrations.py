from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Connection, MetaData

from engine.scope import Scope
from engine.store import findings, sessions
from engine.store.connect import engine_for
from engine.store.database import Database, migrate
from engine.store.errors import StoreDamaged
from engine.store.migrate import ENGINE_MIGRATIONS, ENGINE_VERSION_TABLE
from engine.store.tables import Base
from tests.unit.engine.store.conftest import NOW, sample_finding

OTHERS = """
import sqlalchemy as sa
from alembic import op
revision, down_revision = "b1", None
def upgrade():
    op.create_table("posts", sa.Column("id", sa.Integer, primary_key=True))
def downgrade():
    op.drop_table("posts")
"""


def tables(path: Path) -> set[str]:
    with sqlite3.connect(path) as raw:
        names = {name for (name,) in raw.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    raw.close()
    return names


async def test_the_migrations_make_the_tables_of_the_models(url: str) -> None:
    await migrate(url, ENGINE_MIGRATIONS, ENGINE_VERSION_TABLE)

    def differences(connection: Connection) -> object:
        context = MigrationContext.configure(connection, opts={"version_table": ENGINE_VERSION_TABLE})
        return compare_metadata(context, Base.metadata)

    engine = engine_for(url)
    async with engine.connect() as connection:
        assert await connection.run_sync(differences) == []
    await engine.dispose()


async def test_the_comparison_notices_a_difference(url: str) -> None:
    await migrate(url, ENGINE_MIGRATIONS, ENGINE_VERSION_TABLE)

    def differences(connection: Connection) -> int:
        context = MigrationContext.configure(connection, opts={"version_table": ENGINE_VERSION_TABLE})
        return len(compare_metadata(context, MetaData()))

    engine = engine_for(url)
    async with engine.connect() as connection:
        assert await connection.run_sync(differences) > len(Base.metadata.tables)
    await engine.dispose()


async def test_down_to_nothing_and_up_again(url: str, tmp_path: Path) -> None:
    path = tmp_path / "revalid.db"
    db = await Database.open(url)
    async with db.begin() as tx:
        found, _ = await findings.add(tx, sample_finding(), by="U1", at=NOW)
        await sessions.insert(tx, finding_id=found.id, operator="U1", goal=(), scope=Scope(), at=NOW)
    await db.close()
    full = tables(path)
    await migrate(url, ENGINE_MIGRATIONS, ENGINE_VERSION_TABLE, to="base")
    assert tables(path) == {ENGINE_VERSION_TABLE}
    db = await Database.open(url)
    async with db.begin() as tx:
        assert await findings.search(tx) == ()
        assert (await findings.add(tx, sample_finding(), by="U1", at=NOW))[1]
    await db.close()
    assert tables(path) == full == {ENGINE_VERSION_TABLE, *Base.metadata.tables}


async def test_two_sets_of_tables_share_a_database(url: str, tmp_path: Path) -> None:
    others = tmp_path / "100% others"
    (others / "versions").mkdir(parents=True)
    (others / "versions" / "b1.py").write_text(OTHERS)
    await (await Database.open(url)).close()
    await migrate(url, others, "others_version")
    await migrate(url, others, "others_version")
    assert {"posts", "others_version", "sessions"} <= tables(tmp_path / "revalid.db")
    await migrate(url, others, "others_version", to="base")
    after = tables(tmp_path / "revalid.db")
    assert "posts" not in after
    assert "sessions" in after


async def test_a_migration_that_fails_changes_nothing(url: str, tmp_path: Path) -> None:
    others = tmp_path / "others"
    (others / "versions").mkdir(parents=True)
    broken = OTHERS.replace("def downgrade", "    op.execute('SELECT * FROM nowhere')\ndef downgrade")
    (others / "versions" / "b1.py").write_text(broken)
    await (await Database.open(url)).close()
    before = tables(tmp_path / "revalid.db")
    with pytest.raises(Exception, match="nowhere"):
        await migrate(url, others, "others_version")
    assert tables(tmp_path / "revalid.db") == before


async def test_rows_that_refer_to_nothing_are_found(url: str, tmp_path: Path) -> None:
    await (await Database.open(url)).close()
    with sqlite3.connect(tmp_path / "revalid.db") as raw:
        raw.execute("INSERT INTO withdrawals (verdict_id, by, at) VALUES (5, 'U1', '2031-01-01 00:00:00')")
    raw.close()
    others = tmp_path / "others"
    (others / "versions").mkdir(parents=True)
    (others / "versions" / "b1.py").write_text(OTHERS)
    with pytest.raises(StoreDamaged, match="rows that are not there"):
        await migrate(url, others, "others_version")
    assert "posts" not in tables(tmp_path / "revalid.db")
