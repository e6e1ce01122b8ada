from __future__ import annotations

import asyncio
import sqlite3
from pathlib import Path

import pytest
from sqlalchemy import text

from engine.store import connect, findings
from engine.store.database import Database
from engine.store.errors import StoreDamaged, StoreFull, StoreLocked, StoreMissing, StoreNewer, StoreReadOnly
from tests.unit.engine.store.conftest import NOW, sample_finding


async def test_what_was_committed_is_there_after_opening_again(url: str) -> None:
    first = await Database.open(url)
    async with first.begin() as tx:
        await findings.add(tx, sample_finding(), by="U1", at=NOW)
    await first.close()

    second = await Database.open(url)
    async with second.read() as tx:
        assert await findings.count(tx) == 1
    await second.close()


async def test_an_exception_takes_everything_back(db: Database) -> None:
    async def fail() -> None:
        async with db.begin() as tx:
            await findings.add(tx, sample_finding(), by="U1", at=NOW)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await fail()
    async with db.read() as tx:
        assert await findings.count(tx) == 0


async def test_a_reader_sees_the_state_before_a_write_that_is_not_committed(db: Database) -> None:
    async with db.begin() as tx:
        await findings.add(tx, sample_finding(), by="U1", at=NOW)
        async with db.read() as other:
            assert await findings.count(other) == 0


async def test_writers_take_turns(db: Database) -> None:
    async def add(number: int) -> None:
        async with db.begin() as tx:
            seen = await findings.count(tx)
            await findings.add(tx, sample_finding(f"Finding {number}"), by="U1", at=NOW)
            assert await findings.count(tx) == seen + 1

    await asyncio.gather(*(add(number) for number in range(20)))
    async with db.read() as tx:
        assert await findings.count(tx) == 20


async def test_a_cancelled_writer_leaves_nothing_and_blocks_no_one(db: Database) -> None:
    inside = asyncio.Event()

    async def write() -> None:
        async with db.begin() as tx:
            await findings.add(tx, sample_finding(), by="U1", at=NOW)
            inside.set()
            await asyncio.Event().wait()

    task = asyncio.create_task(write())
    await inside.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    async with db.begin() as tx:
        assert await findings.count(tx) == 0
        await findings.add(tx, sample_finding(), by="U1", at=NOW)


@pytest.mark.parametrize(
    ("pragma", "value"), [("journal_mode", "wal"), ("foreign_keys", 1), ("synchronous", 2)]
)
async def test_sqlite_is_told_to_be_safe(url: str, pragma: str, value: object) -> None:
    db = await Database.open(url)
    async with db.read() as tx:
        assert (await tx.execute(text(f"PRAGMA {pragma}"))).scalar_one() == value
    await db.close()


async def test_another_program_that_holds_the_lock_is_named(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connect, "BUSY_SECONDS", 0.01)
    db = await Database.open(url)
    other = sqlite3.connect(tmp_path / "revalid.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreLocked, match="Another program keeps the database locked"):
        async with db.begin() as tx:
            await findings.add(tx, sample_finding(), by="U1", at=NOW)
    other.close()
    await db.close()


async def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(StoreMissing, match="its folder exists"):
        await Database.open(f"sqlite+aiosqlite:///{tmp_path / 'nowhere' / 'revalid.db'}")


async def test_a_file_that_is_no_database_is_named(tmp_path: Path) -> None:
    (tmp_path / "revalid.db").write_bytes(b"PK\x03\x04 not a database at all" * 40)
    with pytest.raises(StoreDamaged, match="restore it from a backup"):
        await Database.open(f"sqlite+aiosqlite:///{tmp_path / 'revalid.db'}")


async def test_a_database_of_a_later_version_is_left_alone(url: str, tmp_path: Path) -> None:
    await (await Database.open(url)).close()
    with sqlite3.connect(tmp_path / "revalid.db") as raw:
        raw.execute("UPDATE engine_version SET version_num = '9999'")
    raw.close()
    with pytest.raises(StoreNewer, match="update Revalid"):
        await Database.open(url)


async def test_a_full_disk_is_named_and_changes_nothing(url: str) -> None:
    db = await Database.open(url)
    async with db.read() as tx:
        pages = (await tx.execute(text("PRAGMA page_count"))).scalar_one()
    big = sample_finding().model_copy(update={"description": "x" * 1_000_000})

    async def add() -> None:
        async with db.begin() as tx:
            await tx.execute(text(f"PRAGMA max_page_count={pages}"))
            await findings.add(tx, big, by="U1", at=NOW)

    with pytest.raises(StoreFull, match="make room"):
        await add()
    async with db.read() as tx:
        assert await findings.count(tx) == 0
    await db.close()


async def test_a_database_opened_read_only_says_so(db: Database) -> None:
    async def add() -> None:
        async with db.begin() as tx:
            await tx.execute(text("PRAGMA query_only=ON"))
            await findings.add(tx, sample_finding(), by="U1", at=NOW)

    with pytest.raises(StoreReadOnly, match="cannot be written"):
        await add()


async def test_a_memory_database_leaves_no_file(db: Database) -> None:
    other = await Database.open("sqlite+aiosqlite:///:memory:")
    folder = Path(other.url.removeprefix("sqlite+aiosqlite:///")).parent
    assert folder.is_dir()
    await other.close()
    assert not folder.exists()
