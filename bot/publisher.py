"""Shows every session that lives in Slack: one worker per thread, woken by the engine's feed.

All truth is in the database: what was posted is remembered right after it was, and how far a transcript is
shown moves on only when an event is wholly shown. So a publisher that starts again goes on where it stopped.
"""

from __future__ import annotations

import asyncio

import structlog

from bot.facts import Transcripts
from bot.pacing import Pacing
from bot.patience import Timing
from bot.projection import command_slot
from bot.running import Running
from bot.slack import Slack, SlackBusy, SlackError, SlackRefused, SlackUnreachable
from bot.store.places import Place, Places
from bot.store.posts import Posts
from bot.thread import Means, SessionThread
from bot.troubles import PARKED, UNREACHABLE
from engine.errors import RevalidError
from engine.feed import Watch
from engine.lifecycle import TERMINAL
from engine.store.database import Database

log = structlog.get_logger(__name__)

PAUSE = 0.1
"""Seconds between two looks at a session whose output pours in."""
_DRAIN_SECONDS = 10.0
_BLIPS = 3
"""Failures in a row without an answer before anybody is told; a lost call now and then is no trouble."""


class Publisher:
    """The outbound side of the bot."""

    def __init__(
        self,
        retests: Transcripts,
        slack: Slack,
        db: Database,
        *,
        pacing: Pacing | None = None,
        timing: Timing | None = None,
    ) -> None:
        self._timing = timing or Timing()
        self._places = Places(db)
        self._posts = Posts(db)
        self._slack = slack
        self._retests = retests
        self._running = Running()
        self._means = Means(
            retests=retests,
            slack=slack,
            pacing=pacing or Pacing(monotonic=self._timing.monotonic, sleep=self._timing.sleep),
            places=self._places,
            posts=self._posts,
            running=self._running,
            monotonic=self._timing.monotonic,
        )
        self._threads: dict[int, SessionThread] = {}
        self._workers: dict[int, asyncio.Task[None]] = {}
        self._wakes: dict[int, asyncio.Event] = {}
        self._addresses: dict[int, str] = {}
        self._troubles: dict[int, str] = {}
        """By session, Slack's code for why its thread is not brought up to date, as stored."""
        self._watching: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Go on where the last process stopped, and follow the feed from now on."""
        # Before anything is read, so that what happens meanwhile is not missed.
        watch = self._retests.feed.watch()
        self._troubles = {trouble.session_id: trouble.code for trouble in await self._posts.troubles()}
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
        # Written down first, so that a crash now still gives the session its thread.
        place = await self._places.add(session_id, team, channel)
        try:
            placed = await self._thread(place).rooted()
        except SlackUnreachable:
            # It may be there, and if not it will be: the session is open either way.
            self._wake(place)
            raise
        self._wake(placed)
        return placed

    async def shows(self, session_id: int, command_id: int) -> bool:
        """Whether a command's card is in its thread."""
        return await self._posts.has(session_id, command_slot(command_id))

    async def place_of(self, session_id: int) -> Place | None:
        """Where a session lives in Slack."""
        return await self._places.of(session_id)

    async def session_at(self, team: str, channel: str, thread_ts: str) -> int | None:
        """The session whose thread that is."""
        return await self._places.session_at(team, channel, thread_ts)

    async def address(self, session_id: int) -> str:
        """The address of a session's thread; empty when it has none or Slack does not tell."""
        # Asked once: a message's address never changes.
        if session_id not in self._addresses:
            place = await self._places.of(session_id)
            if place is None or place.thread_ts is None:
                return ""
            channel, ts = place.channel, place.thread_ts
            try:
                self._addresses[session_id] = await self._slack.permalink(channel=channel, ts=ts)
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
        failures = 0
        while session_ids:
            try:
                return await self._places.of_many(session_ids)
            except RevalidError as error:
                failures += 1
                log.warning("places_unknown", error=str(error))
                await self._timing.rest(asyncio.Event(), failures, parked=False)
        return {}

    def _thread(self, place: Place) -> SessionThread:
        thread = self._threads.get(place.session_id)
        if thread is None:
            thread = SessionThread(
                place, self._means, follow=self._follow, address=self.address, moved=self._moved
            )
            self._threads[place.session_id] = thread
        return thread

    async def _follow(self, session_id: int, place: Place) -> None:
        await self.place(session_id, place.team, place.channel)

    def _moved(self, session_id: int) -> None:
        self._addresses.pop(session_id, None)

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
            # Before looking: what comes while it looks sets it again.
            wake.clear()
            try:
                session = await thread.catch_up()
                wait = await thread.refresh(session)
                await self._taken(session_id)
            except Exception as error:  # whatever it was, the thread must not fall silent
                failures += 1
                await self._failed(session_id, error, failures)
                parked = isinstance(error, SlackRefused) and error.code in PARKED
                await self._timing.rest(wake, failures, parked=parked)
                continue
            failures = 0
            # Idle sessions cost no task; the next wake begins one.
            if wait is None and not wake.is_set():
                break
            await self._timing.sleep(PAUSE)
            await self._timing.until(wake, wait)
        self._forget(session_id, over=session.state in TERMINAL)

    async def _failed(self, session_id: int, error: Exception, failures: int) -> None:
        """Have it told once: here, in `sessions` and by the doctor."""
        code = _code(error)
        if code is None:
            log.warning("not_shown", session=session_id, exc_info=error)
        elif code != self._troubles.get(session_id) and (code != UNREACHABLE or failures >= _BLIPS):
            log.warning("not_shown", session=session_id, code=code)
            await self._tell(session_id, code)

    async def _taken(self, session_id: int) -> None:
        if session_id in self._troubles:
            log.info("shown_again", session=session_id)
            await self._tell(session_id, None)

    async def _tell(self, session_id: int, code: str | None) -> None:
        try:
            await self._posts.trouble(session_id, code)
        except RevalidError as error:
            log.warning("trouble_not_stored", session=session_id, error=str(error))
            return
        self._troubles.pop(session_id, None)
        if code is not None:
            self._troubles[session_id] = code

    def _forget(self, session_id: int, *, over: bool) -> None:
        del self._workers[session_id]
        if over:
            del self._threads[session_id], self._wakes[session_id]


def _code(error: Exception) -> str | None:
    """Slack's code; None for what is not Slack's doing."""
    if isinstance(error, SlackRefused):
        return error.code
    return UNREACHABLE if isinstance(error, SlackUnreachable | SlackBusy) else None
