"""Jobs by a clock that the test moves, remembered in a real database across restarts."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from apscheduler.events import EVENT_JOB_EXECUTED
from freezegun import freeze_time
from freezegun.api import FrozenDateTimeFactory

from engine import schedule
from engine.errors import StoreError
from engine.schedule import Job, Schedule
from engine.store.database import Database

DAY = timedelta(days=1)
START = datetime(2031, 5, 1, tzinfo=UTC)


class Work:
    """Counts its runs; may be made to hang or to fail."""

    def __init__(self) -> None:
        self.runs = 0
        self.error: Exception | None = None
        self.hold: asyncio.Event | None = None
        self._ran = asyncio.Condition()

    async def __call__(self) -> None:
        async with self._ran:
            self.runs += 1
            self._ran.notify_all()
        if self.hold is not None:
            await self.hold.wait()
        if self.error is not None:
            raise self.error

    async def times(self, count: int) -> None:
        async with asyncio.timeout(30), self._ran:
            await self._ran.wait_for(lambda: self.runs >= count)


@pytest.fixture
def clock() -> AsyncIterator[FrozenDateTimeFactory]:
    with freeze_time(START, real_asyncio=True) as frozen:
        yield frozen


@pytest.fixture
async def url(tmp_path: Path) -> str:
    url = f"sqlite+aiosqlite:///{tmp_path / 'revalid.db'}"
    await (await Database.open(url)).close()
    return url


@asynccontextmanager
async def running(url: str, **jobs: tuple[timedelta, Work]) -> AsyncIterator[Schedule]:
    made = Schedule(url, [Job(name=name, every=every, work=work) for name, (every, work) in jobs.items()])
    await made.start()
    try:
        yield made
    finally:
        await made.close()


async def run_due(jobs: Schedule) -> None:
    """Let what is due run, to its end."""
    loop, ended = asyncio.get_running_loop(), asyncio.Event()
    scheduler = jobs._scheduler
    assert scheduler is not None
    scheduler.add_listener(lambda _: loop.call_soon_threadsafe(ended.set), EVENT_JOB_EXECUTED)
    await jobs.look()
    async with asyncio.timeout(30):
        await ended.wait()


async def test_a_job_runs_when_its_time_has_come_and_again_after_that(
    url: str, clock: FrozenDateTimeFactory
) -> None:
    work = Work()
    async with running(url, daily=(DAY, work)) as jobs:
        clock.tick(DAY - timedelta(seconds=1))
        await jobs.look()
        assert work.runs == 0
        for day in (1, 2, 3):
            clock.tick(DAY)
            await run_due(jobs)
            assert work.runs == day
    assert work.runs == 3


async def test_many_times_that_were_missed_while_it_was_down_are_made_up_for_once(
    url: str, clock: FrozenDateTimeFactory
) -> None:
    work = Work()
    async with running(url, daily=(DAY, work)):
        pass
    clock.tick(10 * DAY)
    async with running(url, daily=(DAY, work)) as jobs:
        await work.times(1)
        await jobs.look()
    assert work.runs == 1


async def test_restarts_do_not_put_a_job_off(url: str, clock: FrozenDateTimeFactory) -> None:
    work = Work()
    for _ in range(5):
        async with running(url, daily=(DAY, work)):
            clock.tick(DAY / 4)
    async with running(url, daily=(DAY, work)):
        await work.times(1)
    assert work.runs == 1


async def test_a_new_interval_takes_the_place_of_the_old_one(url: str, clock: FrozenDateTimeFactory) -> None:
    work = Work()
    async with running(url, job=(30 * DAY, work)):
        pass
    async with running(url, job=(DAY, work)) as jobs:
        clock.tick(DAY)
        await jobs.look()
        await work.times(1)


async def test_a_job_that_is_no_more_is_forgotten(url: str, clock: FrozenDateTimeFactory) -> None:
    old, new = Work(), Work()
    async with running(url, old=(DAY, old), new=(DAY, new)):
        pass
    clock.tick(2 * DAY)
    async with running(url, new=(DAY, new)):
        await new.times(1)
    assert old.runs == 0


async def test_a_job_that_still_runs_is_not_run_beside_itself(url: str, clock: FrozenDateTimeFactory) -> None:
    work = Work()
    work.hold = asyncio.Event()
    async with running(url, daily=(DAY, work)) as jobs:
        clock.tick(DAY)
        await jobs.look()
        await work.times(1)
        clock.tick(DAY)
        await jobs.look()
    assert work.runs == 1


async def test_a_job_that_fails_runs_again_the_next_time(url: str, clock: FrozenDateTimeFactory) -> None:
    work = Work()
    async with running(url, daily=(DAY, work)) as jobs:
        for error in (StoreError(), ZeroDivisionError()):
            work.error = error
            clock.tick(DAY)
            await run_due(jobs)
        work.error = None
        clock.tick(DAY)
        await run_due(jobs)
    assert work.runs == 3


async def test_a_database_that_is_locked_puts_jobs_off_and_ends_nothing(
    url: str, clock: FrozenDateTimeFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(schedule, "LOCK_SECONDS", 0)
    work = Work()
    async with running(url, daily=(DAY, work)) as jobs:
        with sqlite3.connect(url.partition("///")[2], isolation_level=None) as other:
            other.execute("BEGIN IMMEDIATE")
            clock.tick(DAY)
            await jobs.look()
            other.execute("ROLLBACK")
        other.close()
        # It ran although that could not be written down, so it runs once more: jobs have to bear that.
        await work.times(1)
        clock.tick(DAY)
        await run_due(jobs)
    assert work.runs >= 2


async def test_a_database_that_cannot_be_opened_is_one_sentence(tmp_path: Path) -> None:
    work = Work()
    jobs = Schedule(f"sqlite+aiosqlite:///{tmp_path / 'no' / 'x.db'}", [Job(name="a", every=DAY, work=work)])
    with pytest.raises(StoreError, match="cannot be opened"):
        await jobs.start()
    await jobs.close()
