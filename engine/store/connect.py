"""The SQLAlchemy engine behind a database address, with what SQLite needs to be told."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing

from sqlalchemy import Connection, event
from sqlalchemy.engine import make_url
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

BUSY_SECONDS = 10.0
"""How long a writer waits for another process."""


def is_memory(url: str) -> bool:
    """Whether the address names SQLite's memory database."""
    parsed = make_url(url)
    return parsed.get_backend_name() == "sqlite" and parsed.database in {None, "", ":memory:"}


async def probe(url: str) -> None:
    """Open a SQLite file once and let go of it; raises `sqlite3.Error` when that is not possible.

    The driver would leave a thread behind that reports to a loop which may be closed by then.
    """
    parsed = make_url(url)
    if parsed.get_backend_name() == "sqlite":
        await asyncio.to_thread(_open_once, parsed.database or "")


def _open_once(path: str) -> None:
    with closing(sqlite3.connect(path, timeout=BUSY_SECONDS)) as connection:
        connection.execute("PRAGMA schema_version")


def engine_for(url: str, *, foreign_keys: bool = True, durable: bool = True) -> AsyncEngine:
    """An engine for the address. Its transactions are `BEGIN IMMEDIATE` under `immediate=True`.

    `durable=False` trades the last commits before a power cut for speed.
    """
    if make_url(url).get_backend_name() != "sqlite":
        return create_async_engine(url)
    engine = create_async_engine(url, connect_args={"timeout": BUSY_SECONDS})

    def connected(connection: DBAPIConnection, _record: object) -> None:
        # Without this the driver opens transactions by itself, and too late for IMMEDIATE.
        connection.isolation_level = None
        cursor = connection.cursor()
        # With a write-ahead log readers and the writer do not block each other.
        cursor.execute("PRAGMA journal_mode=WAL")
        # FULL: a command that was claimed must still be claimed after a power cut, or it could run twice.
        cursor.execute(f"PRAGMA synchronous={'FULL' if durable else 'OFF'}")
        # SQLite has them off on every new connection.
        cursor.execute(f"PRAGMA foreign_keys={'ON' if foreign_keys else 'OFF'}")
        cursor.close()

    def began(connection: Connection) -> None:
        immediate = connection.get_execution_options().get("immediate", False)
        # A transaction that reads first and writes later fails at once when another wrote in between.
        connection.exec_driver_sql("BEGIN IMMEDIATE" if immediate else "BEGIN")

    event.listen(engine.sync_engine, "connect", connected)
    event.listen(engine.sync_engine, "begin", began)
    return engine
