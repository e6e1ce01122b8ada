"""The kept findings, sessions and verdicts, for commands that need neither Slack, Docker nor a model."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from engine.errors import NotFound, StoreError

if TYPE_CHECKING:
    from bot.settings import Settings
    from engine.archive import Archive
    from engine.store.database import Database
    from engine.store.outputs import FileOutputs

T = TypeVar("T")

# At most eighteen digits, which is what the database can hold.
_ID = re.compile(r"(?:[Rr]-?)?(\d{1,18})")


class NothingKept(StoreError):
    """There is no database yet; `revalid import FILE` or `revalid serve` makes it."""


@dataclass(frozen=True, kw_only=True)
class Kept:
    """What is open while a command looks at it."""

    archive: Archive
    db: Database
    outputs: FileOutputs


def with_kept(look: Callable[[Kept], Coroutine[None, None, T]], *, make: bool = False) -> T:
    """Open what the settings name, run `look` on it and close it again.

    Raises `NothingKept` when there is no database and `make` does not ask for one.
    """
    from bot.settings import load_settings

    settings = load_settings()

    async def run() -> T:
        async with _opened(settings, make=make) as kept:
            return await look(kept)

    return asyncio.run(run())


def with_backup(folder: Path, look: Callable[[Kept], Coroutine[None, None, T]]) -> T:
    """The same for a backup. Raises `NoBackup`, and `StoreDamaged` when its database is."""
    from engine.archive import Archive
    from engine.backup import opened_backup

    async def run() -> T:
        async with opened_backup(folder) as (db, outputs):
            return await look(Kept(archive=Archive(db=db, outputs=outputs), db=db, outputs=outputs))

    return asyncio.run(run())


@asynccontextmanager
async def _opened(settings: Settings, *, make: bool) -> AsyncIterator[Kept]:
    from bot.wiring import database_file, open_database
    from engine.archive import Archive
    from engine.store.outputs import FileOutputs

    file = database_file(settings.database_url)
    # To look must not leave an empty database behind in the wrong folder.
    if file is not None and not make and not file.exists():
        raise NothingKept(
            f"There is no database at {file} yet; `revalid import FILE` or `revalid serve` makes it."
        )
    db = await open_database(settings.database_url)
    try:
        outputs = FileOutputs(Path(settings.outputs))
        yield Kept(archive=Archive(db=db, outputs=outputs), db=db, outputs=outputs)
    finally:
        await db.close()


def session_number(text: str) -> int:
    """The number in `R-42` or `42`. Raises `NotFound`."""
    if found := _ID.fullmatch(text.strip()):
        return int(found[1])
    raise NotFound(f"{text.strip()!r} is no session; sessions are written like R-42.")
