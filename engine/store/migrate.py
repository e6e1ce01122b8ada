"""Bring a set of tables to its newest shape, in this process and in one transaction."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, text
from sqlalchemy.exc import SQLAlchemyError

from engine.store.connect import engine_for, probe
from engine.store.errors import StoreDamaged, StoreNewer, from_sqlalchemy, from_sqlite

ENGINE_MIGRATIONS = Path(__file__).parent / "migrations"
ENGINE_VERSION_TABLE = "engine_version"


async def migrate(url: str, location: Path, version_table: str, *, to: str = "head") -> None:
    """Apply the migrations in `location`/versions that the database lacks.

    `version_table` remembers how far this set of tables is; sets do not know of each other. `to` is a
    `head`, or the older revision to go back to (`base`: none). Raises `StoreNewer` when the database has a
    revision that `location` does not know, and the other kinds of `StoreError`.
    """
    try:
        # Before Alembic, whose errors hide what is wrong with the file.
        await probe(url)
    except sqlite3.Error as error:
        raise from_sqlite(error) from error
    # Foreign keys are off: SQLite alters a table by making it anew, which would trip over them.
    engine = engine_for(url, foreign_keys=False).execution_options(immediate=True)
    try:
        async with engine.begin() as connection:
            await connection.run_sync(_apply, location, version_table, to)
    except SQLAlchemyError as error:
        raise from_sqlalchemy(error) from error
    finally:
        await engine.dispose()


def _apply(connection: Connection, location: Path, version_table: str, to: str) -> None:
    config = Config()
    # The options pass through Python's config parser, where a percent sign in a path is a reference.
    config.set_main_option("script_location", str(ENGINE_MIGRATIONS).replace("%", "%%"))
    config.set_main_option("version_locations", str(location / "versions").replace("%", "%%"))
    # The default would cut a folder's name at its spaces or commas.
    config.set_main_option("path_separator", "newline")
    config.attributes.update(connection=connection, version_table=version_table)
    script = ScriptDirectory.from_config(config)
    known = {revision.revision for revision in script.walk_revisions()}
    current = MigrationContext.configure(
        connection, opts={"version_table": version_table}
    ).get_current_heads()
    # A later version may have changed what this one would misread, so it does not even look.
    if not set(current) <= known:
        raise StoreNewer
    # The normal start, which needs nothing of what Alembic's own run would set up.
    if to == "head" and set(current) == set(script.get_heads()):
        return
    (command.upgrade if to == "head" else command.downgrade)(config, to)
    # Foreign keys were off meanwhile; a broken one rolls the whole migration back.
    if connection.dialect.name == "sqlite" and connection.execute(text("PRAGMA foreign_key_check")).first():
        raise StoreDamaged("The database refers to rows that are not there; restore it from a backup.")
