"""One database: opened at its newest shape, read from and written to in transactions."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession

from engine.store.connect import BUSY_SECONDS, engine_for, is_memory
from engine.store.errors import from_sqlalchemy, from_sqlite
from engine.store.migrate import ENGINE_MIGRATIONS, ENGINE_VERSION_TABLE, migrate

__all__ = ["Database", "migrate"]


class Database:
    """Hands out transactions. Everything raised by the database itself is a `StoreError`."""

    def __init__(self, url: str, engine: AsyncEngine, scratch: TemporaryDirectory[str] | None) -> None:
        self.url = url
        """Where it is, for `migrate`; of a memory database, where it really is."""
        self._engine = engine
        # Reads and writes share a pool; only how a transaction begins differs.
        self._writer = engine.execution_options(immediate=True)
        # SQLite has one writer at a time and waits by sleeping; queueing here is fair and wakes at once.
        self._writing = asyncio.Lock()
        self._scratch = scratch

    @classmethod
    async def open(cls, url: str) -> Database:
        """Open the database and bring its tables to the newest shape.

        `sqlite+aiosqlite:///path`, or `sqlite+aiosqlite:///:memory:` for one that is gone when closed. The
        latter is a file in a temporary folder: SQLite's own memory databases cannot be read while they are
        written, so that they would not behave like a real one.
        """
        scratch = TemporaryDirectory(prefix="revalid-") if is_memory(url) else None
        if scratch:
            url = f"sqlite+aiosqlite:///{Path(scratch.name) / 'memory.db'}"
        # At every start: there is no separate step that an upgrade could forget.
        await migrate(url, ENGINE_MIGRATIONS, ENGINE_VERSION_TABLE)
        return cls(url, engine_for(url, durable=scratch is None), scratch)

    @asynccontextmanager
    async def begin(self) -> AsyncIterator[AsyncSession]:
        """A write transaction: commits at the end, rolls back on any exception. Not to be nested."""
        async with self._writing, self._transaction(self._writer) as session:
            yield session

    @asynccontextmanager
    async def read(self) -> AsyncIterator[AsyncSession]:
        """A read transaction: one unchanging view of the database, never blocked by a writer."""
        async with self._transaction(self._engine) as session:
            yield session

    @asynccontextmanager
    async def _transaction(self, engine: AsyncEngine) -> AsyncIterator[AsyncSession]:
        try:
            # Rows are read after the commit too, where loading them again would need another transaction.
            async with AsyncSession(engine, expire_on_commit=False) as session, session.begin():
                yield session
        except SQLAlchemyError as error:
            raise from_sqlalchemy(error) from error

    async def tidy(self) -> None:
        """Move the write-ahead log into the database and refresh what queries are planned by (SQLite only).

        Gives way to whoever reads just now: the next time does.
        """
        if self._engine.dialect.name != "sqlite":
            return
        try:
            async with self._writing, self._engine.connect() as connection:
                # Past SQLAlchemy, which would open a transaction, and no checkpoint runs inside one.
                driver = (await connection.get_raw_connection()).driver_connection
                if driver is None:
                    return
                # Waiting for a reader here would keep every writer waiting.
                await driver.execute("PRAGMA busy_timeout=0")
                try:
                    await driver.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                    await driver.execute("PRAGMA optimize")
                finally:
                    await driver.execute(f"PRAGMA busy_timeout={int(BUSY_SECONDS * 1000)}")
        except SQLAlchemyError as error:
            raise from_sqlalchemy(error) from error
        except sqlite3.Error as error:
            raise from_sqlite(error) from error

    async def close(self) -> None:
        """Let go of the database; a memory database is gone."""
        await self._engine.dispose()
        if self._scratch:
            self._scratch.cleanup()
