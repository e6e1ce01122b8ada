"""A copy of everything kept, made while Revalid serves: the database of one moment, and its outputs.

The outputs are taken before and after the database. What the database names was written before it was
named, so that one of the two finds it; what retention drops in between, the first has found.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from engine.errors import StoreError
from engine.store.connect import BUSY_SECONDS
from engine.store.database import Database
from engine.store.errors import StoreDamaged, from_os, from_sqlite
from engine.store.outputs import FileOutputs

DATABASE = "revalid.db"
OUTPUTS = "outputs"


class BackupExists(StoreError):
    """There is something at the place of the backup already; name a new folder."""


class NoBackup(StoreError):
    """There is no backup in this folder; name one that `revalid backup` made."""


@dataclass(frozen=True, kw_only=True)
class Backup:
    """What was copied."""

    folder: Path
    database_bytes: int
    outputs: int


def back_up(database: Path, outputs: Path, folder: Path) -> Backup:
    """Copy an SQLite database and its outputs into a new folder, which appears when it is whole.

    Outputs never change once they are written, so that they are linked where the file system allows it.
    Raises `StoreError` kinds, and leaves nothing then. Blocking.
    """
    if folder.exists():
        raise BackupExists(f"There is something at {folder} already; name a new folder.")
    with _sentences():
        folder.parent.mkdir(parents=True, exist_ok=True)
        new = Path(tempfile.mkdtemp(dir=folder.parent, prefix=f".{folder.name}-"))
        try:
            _link_new(outputs, new / OUTPUTS)
            _copy_database(database, new / DATABASE)
            _link_new(outputs, new / OUTPUTS)
            _sync(new)
            new.rename(folder)
        except BaseException:
            shutil.rmtree(new, ignore_errors=True)
            raise
        _sync_one(folder.parent)
        kept = sum(1 for path in (folder / OUTPUTS).rglob("*") if path.is_file())
        return Backup(folder=folder, database_bytes=(folder / DATABASE).stat().st_size, outputs=kept)


@asynccontextmanager
async def opened_backup(folder: Path) -> AsyncIterator[tuple[Database, FileOutputs]]:
    """A backup to look into; the database is read from a copy, so that the backup stays as it is.

    Raises `NoBackup`, and `StoreDamaged` when SQLite finds fault with the database.
    """
    if not (folder / DATABASE).is_file():
        raise NoBackup(f"There is no backup in {folder}; name a folder that `revalid backup` made.")
    with tempfile.TemporaryDirectory(prefix="revalid-") as scratch:
        copy = Path(scratch) / DATABASE
        with _sentences():
            _copy_database(folder / DATABASE, copy)
            _check(copy)
        db = await Database.open(f"sqlite+aiosqlite:///{copy}")
        try:
            yield db, FileOutputs(folder / OUTPUTS)
        finally:
            await db.close()


@contextmanager
def _sentences() -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise from_sqlite(error) from error
    except OSError as error:
        raise from_os(error) from error


def _copy_database(source: Path, target: Path) -> None:
    address = f"file:{quote(str(source.absolute()))}?mode=ro"
    with (
        closing(sqlite3.connect(address, uri=True, timeout=BUSY_SECONDS)) as old,
        closing(sqlite3.connect(target)) as new,
    ):
        # In one step, because one of several begins anew whenever somebody writes in between.
        old.backup(new)
        # Without a log beside it the copy is one file, readable where nothing can be written.
        new.execute("PRAGMA journal_mode=DELETE")


def _check(database: Path) -> None:
    with closing(sqlite3.connect(database)) as copy:
        (found,) = copy.execute("PRAGMA integrity_check(1)").fetchone()
    if found != "ok":
        raise StoreDamaged(f"The database of this backup is damaged ({found}); take an older one.")


def _link_new(source: Path, target: Path) -> None:
    target.mkdir(exist_ok=True)
    for path in source.glob("??/??/*"):
        # Half-written outputs have other names.
        copy = target / path.relative_to(source)
        if path.name.startswith(".") or copy.exists():
            continue
        copy.parent.mkdir(parents=True, exist_ok=True)
        try:
            copy.hardlink_to(path)
        except FileNotFoundError:
            continue
        except OSError:
            shutil.copyfile(path, copy)


def _sync(folder: Path) -> None:
    """Onto the disk, what holds before what it is held by."""
    for path in sorted(folder.rglob("*"), reverse=True):
        _sync_one(path)
    _sync_one(folder)


def _sync_one(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
