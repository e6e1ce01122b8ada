"""Jobs by the clock, remembered in the database, so that a restart neither forgets one nor runs it twice."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass
from datetime import UTC, timedelta

import structlog
from apscheduler.executors.pool import ThreadPoolExecutor
from apscheduler.jobstores.sqlalchemy import SQLAlchemyJobStore
from apscheduler.schedulers.background import BackgroundScheduler
from apscheduler.triggers.interval import IntervalTrigger
from sqlalchemy import Engine, create_engine
from sqlalchemy.engine import make_url
from sqlalchemy.exc import SQLAlchemyError

from engine.errors import RevalidError
from engine.store.errors import from_sqlalchemy

TABLE = "scheduled_jobs"
LOCK_SECONDS = 2
"""How long the scheduler waits for a database that another process writes to."""
AGAIN_SECONDS = 30.0
"""When it looks again after the database did not answer."""

log = structlog.get_logger(__name__)


@dataclass(frozen=True, kw_only=True)
class Job:
    """Something to do again and again. It has to bear being done once too often."""

    name: str
    every: timedelta
    work: Callable[[], Awaitable[None]]


class Schedule:
    """Runs jobs on the event loop that started it, each at most once at a time.

    `url` is the database's, as SQLAlchemy writes it. One process has one of these per database.
    """

    def __init__(self, url: str, jobs: Sequence[Job]) -> None:
        self._jobs = {job.name: job for job in jobs}
        self._url = url
        self._runner: _Runner | None = None
        self._scheduler: _Scheduler | None = None

    async def start(self) -> None:
        """Take up the jobs; those that came due meanwhile run now, once. Raises `StoreError`."""
        self._runner = _runners[self._url] = _Runner(self._jobs, asyncio.get_running_loop())
        try:
            self._scheduler = await asyncio.to_thread(self._started)
        except SQLAlchemyError as error:
            raise from_sqlalchemy(error) from error
        finally:
            if self._scheduler is None:
                self._retire()

    async def look(self) -> None:
        """Look now for what is due instead of at the next time that something is; starts it."""
        if self._scheduler is not None:
            await asyncio.to_thread(self._scheduler.look)

    async def close(self) -> None:
        """Start nothing more and call off what is being done; that is done the next time."""
        if self._scheduler is None:
            return
        await asyncio.to_thread(self._scheduler.stop_looking)
        self._retire()
        await asyncio.to_thread(self._scheduler.shutdown)
        self._scheduler = None

    def _retire(self) -> None:
        if self._runner is not None:
            self._runner.close()
            if _runners.get(self._url) is self._runner:
                del _runners[self._url]

    def _started(self) -> _Scheduler:
        store = _JobStore(engine=_engine(self._url), tablename=TABLE)
        scheduler = _Scheduler(
            jobstores={"default": store},
            executors={"default": ThreadPoolExecutor(max(1, len(self._jobs)))},
            # Late is better than never, however late; and once is enough for all the times that were missed.
            job_defaults={"coalesce": True, "max_instances": 1, "misfire_grace_time": None},
            timezone=UTC,
        )
        scheduler.start(paused=True)
        try:
            self._bring_up_to_date(scheduler)
        except BaseException:
            scheduler.shutdown(wait=False)
            raise
        scheduler.resume()
        return scheduler

    def _bring_up_to_date(self, scheduler: _Scheduler) -> None:
        for known in scheduler.get_jobs():
            if known.id not in self._jobs:
                known.remove()
        for job in self._jobs.values():
            trigger = IntervalTrigger(seconds=int(job.every.total_seconds()), timezone=UTC)
            known = scheduler.get_job(job.name)
            # Adding a job anew would start its interval anew: with a restart a day, a daily one never ran.
            if known is None or known.trigger.interval != trigger.interval:
                scheduler.add_job(
                    _run, trigger, args=(self._url, job.name), id=job.name, replace_existing=True
                )


class _Scheduler(BackgroundScheduler):  # type: ignore[misc]  # the library has no types
    """In a thread of its own: its store blocks, and a loop that waits for a lock cannot let go of it."""

    def __init__(self, **options: object) -> None:
        super().__init__(**options)
        self._looking = threading.Lock()
        self._over = False

    def look(self) -> None:
        """Submit what is due, in the thread of whoever calls."""
        self._process_jobs()

    def stop_looking(self) -> None:
        """Submit nothing more. While shutting down, the library would count as done what it cannot start."""
        with self._looking:
            self._over = True

    def _process_jobs(self) -> float | None:
        with self._looking:
            if self._over:
                return None
            try:
                wait: float | None = super()._process_jobs()
            except SQLAlchemyError as error:
                # An error that left here would end the thread, and with it every job.
                log.warning("schedule_not_read", error=from_sqlalchemy(error).sentence)
                return AGAIN_SECONDS
            return wait


class _JobStore(SQLAlchemyJobStore):  # type: ignore[misc]  # the library has no types
    """Lets go of its connections when the scheduler stops."""

    def shutdown(self) -> None:
        """See the base class."""
        self.engine.dispose()


class _Runner:
    """The event loop's side of the jobs of one database."""

    def __init__(self, jobs: dict[str, Job], loop: asyncio.AbstractEventLoop) -> None:
        self._jobs = jobs
        self._loop = loop
        self._running: set[Future[None]] = set()
        self._closed = False

    def run(self, name: str) -> None:
        """Have the loop do a job, and wait; in one of the scheduler's threads."""
        job = self._jobs.get(name)
        if job is None:
            return
        running = asyncio.run_coroutine_threadsafe(_do(job), self._loop)
        self._running.add(running)
        if self._closed:
            running.cancel()
        try:
            running.result()
        except CancelledError:
            log.info("job_called_off", job=name)
        finally:
            self._running.discard(running)

    def close(self) -> None:
        """Call off what runs, and whatever begins from now on."""
        self._closed = True
        for one in tuple(self._running):
            one.cancel()


async def _do(job: Job) -> None:
    try:
        await job.work()
    except RevalidError as error:
        log.warning("job_failed", job=job.name, error=error.sentence)
    except Exception:
        log.exception("job_failed", job=job.name)


_runners: dict[str, _Runner] = {}
"""A job that is remembered names its database and itself; this finds what it stands for in this process."""


def _run(url: str, name: str) -> None:
    runner = _runners.get(url)
    if runner is not None:
        runner.run(name)


def _engine(url: str) -> Engine:
    parsed = make_url(url)
    backend = parsed.get_backend_name()
    options = {"timeout": LOCK_SECONDS} if backend == "sqlite" else {}
    return create_engine(parsed.set(drivername=backend), connect_args=options)
