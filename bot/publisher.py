"""Shows every session that lives in Slack: one worker per thread, woken by the engine's feed.

All truth is in the database: what was posted is remembered right after it was, and how far a transcript is
shown moves on only when an event is wholly shown. So a publisher that starts again goes on where it stopped.
"""

from __future__ import annotations

import asyncio
import time

import structlog

from bot.facts import Transcripts
from bot.pacing import Pacing
from bot.running import Running
from bot.slack import Slack, SlackError, SlackRefused
from bot.store.places import Place, Places
from bot.store.posts import Posts
from bot.thread import Means, SessionThread
from engine.errors import RevalidError
from engine.feed import Watch
from engine.lifecycle import TERMINAL
from engine.store.database import Database

log = structlog.get_logger(__name__)

PAUSE = 0.1
"""Seconds between two looks at a session whose output pours in."""
_DRAIN_SECONDS = 10.0
_BACK_OFF, _LONGEST_BACK_OFF = 1.0, 60.0
_HOPELESS = frozenset(
    {"channel_not_found", "not_in_channel", "is_archived", "account_inactive", "token_revoked"}
)


class Publisher:
    """The outbound side of the bot."""

    def __init__(
        self, retests: Transcripts, slack: Slack, db: Database, *, pacing: Pacing | None = None
    ) -> None:
        self._places = Places(db)
        self._posts = Posts(db)
        self._slack = slack
        self._retests = retests
        self._running = Running()
        self._means = Means(
            retests=retests,
            slack=slack,
            pacing=pacing or Pacing(),
            places=self._places,
            posts=self._posts,
            running=self._running,
            monotonic=time.monotonic,
        )
        self._threads: dict[int, SessionThread] = {}
        self._workers: dict[int, asyncio.Task[None]] = {}
        self._wakes: dict[int, asyncio.Event] = {}
        self._addresses: dict[int, str] = {}
        self._watching: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Go on where the last process stopped, and follow the feed from now on."""
        watch = self._retests.feed.watch()
        self._watching = asyncio.create_task(self._watch(watch))
        for session_id in await self._posts.unfinished():
            watch.touch(session_id)

    async def close(self) -> None:
        """Stop posting; what is not shown yet is shown by the next `start`."""
        tasks = [task for task in (self._watching, *self._workers.values()) if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._running.drain(_DRAIN_SECONDS)
        self._workers.clear()
        self._watching = None

    async def place(self, session_id: int, team: str, channel: str) -> Place:
        """Give a session its thread: the root card is posted when this returns. Safe to call again.

        Raises `SlackRefused` when the channel cannot be posted to, and other `RevalidError` kinds.
        """
        place = await self._places.add(session_id, team, channel)
        placed = await self._thread(place).rooted()
        self._wake(placed)
        return placed

    async def place_of(self, session_id: int) -> Place | None:
        """Where a session lives in Slack."""
        return await self._places.of(session_id)

    async def session_at(self, team: str, channel: str, thread_ts: str) -> int | None:
        """The session whose thread that is."""
        return await self._places.session_at(team, channel, thread_ts)

    async def address(self, session_id: int) -> str:
        """The address of a session's thread; empty when it has none or Slack does not tell."""
        if session_id not in self._addresses:
            place = await self._places.of(session_id)
            if place is None or place.thread_ts is None:
                return ""
            channel, ts = place.channel, place.thread_ts
            try:
                self._addresses[session_id] = await self._slack.permalink(channel=channel, ts=ts)
            except SlackRefused:
                self._addresses[session_id] = ""
            except SlackError:
                return ""
        return self._addresses[session_id]

    async def _watch(self, watch: Watch) -> None:
        try:
            while True:
                changed = await watch.next()
                unknown = [session_id for session_id in changed if session_id not in self._threads]
                for place in (await self._known_places(unknown)).values():
                    self._thread(place)
                for session_id in changed & self._threads.keys():
                    self._wake(self._threads[session_id].place)
        finally:
            self._retests.feed.unwatch(watch)

    async def _known_places(self, session_ids: list[int]) -> dict[int, Place]:
        wait = _BACK_OFF
        while session_ids:
            try:
                return await self._places.of_many(session_ids)
            except RevalidError as error:
                log.warning("places_unknown", error=str(error), again_in=wait)
                await asyncio.sleep(wait)
                wait = min(wait * 2, _LONGEST_BACK_OFF)
        return {}

    def _thread(self, place: Place) -> SessionThread:
        thread = self._threads.get(place.session_id)
        if thread is None:
            thread = SessionThread(place, self._means, follow=self._follow, address=self.address)
            self._threads[place.session_id] = thread
        return thread

    async def _follow(self, session_id: int, place: Place) -> None:
        await self.place(session_id, place.team, place.channel)

    def _wake(self, place: Place) -> None:
        session_id = place.session_id
        self._wakes.setdefault(session_id, asyncio.Event()).set()
        if session_id not in self._workers:
            self._workers[session_id] = asyncio.create_task(self._work(session_id))

    async def _work(self, session_id: int) -> None:
        """Until there is nothing left to show and nothing that changes by itself."""
        thread, wake = self._threads[session_id], self._wakes[session_id]
        failures = 0
        while True:
            wake.clear()
            wait: float | None = None
            try:
                session = await thread.catch_up()
                wait = await thread.refresh(session)
                failures = 0
            except SlackRefused as refused:
                failures += 1
                log.warning("not_shown", session=session_id, code=refused.code)
                wait = None if refused.code in _HOPELESS else _back_off(failures)
            except Exception as error:  # whatever it was, the thread must not fall silent
                failures += 1
                log.warning("not_shown", session=session_id, exc_info=error)
                wait = _back_off(failures)
            if wait is None and not wake.is_set():
                break
            await asyncio.sleep(PAUSE)
            if not failures or wait is None:
                await _first(wake, wait)
            else:
                await asyncio.sleep(wait)
        self._forget(session_id, over=not failures and session.state in TERMINAL)

    def _forget(self, session_id: int, *, over: bool) -> None:
        del self._workers[session_id]
        if over:
            del self._threads[session_id], self._wakes[session_id]


def _back_off(failures: int) -> float:
    return min(_BACK_OFF * 2.0 ** (failures - 1), _LONGEST_BACK_OFF)


async def _first(wake: asyncio.Event, seconds: float | None) -> None:
    """Until woken, or for so long."""
    try:
        async with asyncio.timeout(seconds):
            await wake.wait()
    except TimeoutError:
        pass
