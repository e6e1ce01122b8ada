"""What can be wrong with the database or the output store, each as a sentence for a person."""

from __future__ import annotations

import errno
import sqlite3

from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from engine.errors import StoreError


class StoreLocked(StoreError):
    """Another program keeps the database locked; close it, or try again in a moment."""


class StoreReadOnly(StoreError):
    """The database cannot be written; check who owns its file and folder, and the disk."""


class StoreFull(StoreError):
    """The disk that holds the database is full; make room and try again. Nothing was changed."""


class StoreMissing(StoreError):
    """The database file cannot be opened; check its address in the settings, and that its folder exists."""


class StoreDamaged(StoreError):
    """The database file is damaged or is no database; restore it from a backup."""


class StoreNewer(StoreError):
    """The database was written by a later version of Revalid; update Revalid, or restore an older backup."""


class OutputMissing(StoreError):
    """A kept output is not in the output store any more; restore its folder from a backup."""


class OutputDropped(OutputMissing):
    """This output was dropped by retention; the transcript and its digest are kept."""


# Prefixes, because the extended names also say how it came about.
_BY_SQLITE_NAME: tuple[tuple[str, type[StoreError]], ...] = (
    ("SQLITE_BUSY", StoreLocked),
    ("SQLITE_LOCKED", StoreLocked),
    ("SQLITE_READONLY", StoreReadOnly),
    ("SQLITE_PERM", StoreReadOnly),
    ("SQLITE_FULL", StoreFull),
    ("SQLITE_CANTOPEN", StoreMissing),
    ("SQLITE_CORRUPT", StoreDamaged),
    ("SQLITE_NOTADB", StoreDamaged),
)

_BY_ERRNO: dict[int, type[StoreError]] = {
    errno.ENOSPC: StoreFull,
    errno.EDQUOT: StoreFull,
    errno.EROFS: StoreReadOnly,
    errno.EACCES: StoreReadOnly,
    errno.EPERM: StoreReadOnly,
}


def from_sqlalchemy(error: SQLAlchemyError) -> StoreError:
    """The store error that tells what went wrong; the original stays its cause."""
    # Nobody holds a lock here, but what to do about it is the same.
    if isinstance(error, PoolTimeout):
        return StoreLocked("Too much is waiting for the database; try again in a moment.")
    if isinstance(error, DBAPIError) and isinstance(error.orig, sqlite3.Error):
        return from_sqlite(error.orig)
    return StoreError(f"The database did not answer: {type(error).__name__}.")


def from_sqlite(error: sqlite3.Error) -> StoreError:
    """The same for what SQLite itself says."""
    name = getattr(error, "sqlite_errorname", "")
    for prefix, kind in _BY_SQLITE_NAME:
        if name.startswith(prefix):
            return kind()
    return StoreError(f"The database refused: {error}.")


def from_os(error: OSError) -> StoreError:
    """The same for a file of the output store."""
    kind = _BY_ERRNO.get(error.errno or 0)
    return kind() if kind else StoreError(f"The output store failed: {error.strerror}.")
