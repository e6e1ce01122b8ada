"""One session's thread in Slack, brought up to date with its transcript and kept so while it works."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from datetime import datetime

import structlog

from bot.blocks.root import root_card
from bot.blocks.said import notice
from bot.facts import FactFinder, Transcripts, utc_now
from bot.pacing import Monotonic, Pacing
from bot.poster import Poster, RootGone, stand_in
from bot.projection import (
    ROOT,
    Effect,
    Facts,
    Show,
    card,
    command_slot,
    event_slot,
    project,
    standing_after,
)
from bot.running import Running
from bot.slack import Slack, SlackRefused
from bot.status import Status, StatusSwitch
from bot.store.places import Place, Places
from bot.store.posts import Cursor, Posts
from bot.troubles import GONE
from engine.events import CommandApproved, CommandRejected, CommandWithdrawn, Recorded, SessionRestarted
from engine.faults import reach
from engine.lifecycle import TERMINAL, State
from engine.views import IN_FLIGHT, CommandState, SessionView

log = structlog.get_logger(__name__)

PAGE = 200
CARD = "root:card"
"""The slot of the root card's twin in the thread, once Slack no longer lets the root be edited."""
EDITS_APART = 3.0
"""Seconds between two edits of a message that only show progress."""
QUIET_EDITS_APART = 15.0
"""The same for a command that wrote nothing since: only its running time changes."""
TICK = 1.0
"""Seconds between looks at what runs."""
_OPEN = IN_FLIGHT | {CommandState.proposed, CommandState.held, CommandState.approved, CommandState.unknown}
"""Commands whose cards still matter."""
_DECISIONS = (CommandApproved, CommandRejected, CommandWithdrawn)


@dataclass(frozen=True, kw_only=True)
class Means:
    """What every thread works with."""

    retests: Transcripts
    slack: Slack
    pacing: Pacing
    places: Places
    posts: Posts
    running: Running
    monotonic: Monotonic
    now: Callable[[], datetime] = utc_now
    statuses: StatusSwitch = field(default_factory=StatusSwitch)


class SessionThread:
    """The thread of one session. `follow` gives the session that took over a place in the same channel."""

    def __init__(
        self,
        place: Place,
        means: Means,
        *,
        follow: Callable[[int, Place], Awaitable[None]],
        address: Callable[[int], Awaitable[str]],
        moved: Callable[[int], None],
    ) -> None:
        self.place = place
        self._means = means
        self._follow = follow
        self._address = address
        self._moved = moved
        self._finder = FactFinder(means.retests, now=means.now)
        self._poster = Poster(
            place,
            means.slack,
            means.pacing,
            means.posts,
            means.running,
            monotonic=means.monotonic,
            now=means.now,
        )
        self._status = Status(
            means.slack, means.pacing, means.statuses, monotonic=means.monotonic, now=means.now
        )
        self._rooting = asyncio.Lock()
        self._cursor: Cursor | None = None
        self._standing: Recorded | None = None
        self._decided: dict[int, datetime] = {}
        self._recalled = False
        self._tails: dict[int, bytes] = {}
        """What the cards of running commands show of their output."""
        self._auto_run: bool | None = None

    async def rooted(self) -> Place:
        """The place with its thread: the root card is posted if it is not there yet."""
        # The listener that opens a session and its worker both come by here.
        async with self._rooting:
            if self.place.thread_ts is None:
                session = await self._means.retests.session(self.place.session_id)
                await self._show_root(session)
        return self.place

    async def catch_up(self) -> SessionView:
        """Show every event that is not shown yet, in order. The session as it was after the last of them."""
        try:
            return await self._catch_up()
        except RootGone:
            await self._root_anew()
            return await self._catch_up()

    async def refresh(self, session: SessionView) -> float | None:
        """Root card, running cards and status. Seconds until it should be called again; None: when told."""
        try:
            return await self._refresh(session)
        except RootGone:
            await self._root_anew()
            return await self._refresh(session)

    async def _catch_up(self) -> SessionView:
        await self.rooted()
        cursor = await self._resume()
        session = await self._means.retests.session(self.place.session_id)
        while session.events > cursor.event:
            page = await self._means.retests.events(session.id, after=cursor.event, limit=PAGE)
            # Read after the events, so that what is drawn is never older than what is told.
            session = await self._means.retests.session(session.id)
            for recorded in page:
                cursor = await self._publish(recorded, session)
            if not page:
                break
        return session

    async def _refresh(self, session: SessionView) -> float | None:
        if any(command.id not in self._decided for command in session.running):
            await self._recall()
        facts = self._finder.running(session, decided=self._decided)
        for command in session.running:
            slot, tail = command_slot(command.id), facts.tails[command.id]
            apart = QUIET_EDITS_APART if tail == self._tails.get(command.id) else EDITS_APART
            shown = slot in await self._poster.known()
            # The leave to stream is asked for last, because asking uses it up.
            if shown and self._poster.since_edit(slot) >= apart and self._means.pacing.may_stream():
                self._tails[command.id] = tail
                await self._poster.show(slot, card(command, facts), thread_ts=self.place.thread_ts)
        later = await self._refresh_root(session)
        if self.place.thread_ts is not None:
            delayed = self._means.retests.feed.progress(session.id).delayed
            await self._status.keep(session, self.place.channel, self.place.thread_ts, delayed=delayed)
        if session.running or session.state is State.working:
            return TICK
        return later

    async def _resume(self) -> Cursor:
        if self._cursor is None:
            cursor = await self._means.posts.cursor(self.place.session_id)
            if cursor.recommended is not None:
                found = await self._means.retests.events(
                    self.place.session_id, after=cursor.recommended - 1, limit=1
                )
                self._standing = found[0] if found else None
            self._cursor = cursor
        return self._cursor

    async def _publish(self, recorded: Recorded, session: SessionView) -> Cursor:
        event = recorded.event
        # First, so that the link to the new thread can be drawn.
        if isinstance(event, SessionRestarted):
            await self._follow(event.new_session_id, self.place)
        if isinstance(event, _DECISIONS):
            self._decided[event.command_id] = recorded.at
        if getattr(event, "command_id", None) not in self._decided:
            await self._recall()
        facts = await self._finder.about(
            recorded,
            session,
            decided=self._decided,
            links=await self._links(session),
            standing=self._standing,
        )
        for effect in self._drawn(recorded, facts):
            await self._apply(effect, recorded.number)
        self._standing = standing_after(recorded, self._standing)
        self._cursor = Cursor(
            event=recorded.number, recommended=self._standing.number if self._standing else None
        )
        reach("event shown")
        # Only when all of it is in Slack: a crash before this draws it again, into the same slots.
        await self._means.posts.move(session.id, self._cursor)
        log.debug("event_shown", session=session.id, number=recorded.number, kind=event.kind)
        reach("event marked as shown")
        return self._cursor

    async def _recall(self) -> None:
        """When commands were decided that another process showed. Read once, for the first that asks."""
        shown = (await self._resume()).event
        after = 0 if not self._recalled else shown
        while after < shown:
            page = await self._means.retests.events(self.place.session_id, after=after, limit=PAGE)
            for recorded in page:
                if isinstance(recorded.event, _DECISIONS):
                    self._decided.setdefault(recorded.event.command_id, recorded.at)
            after = page[-1].number if page else shown
        self._recalled = True

    def _drawn(self, recorded: Recorded, facts: Facts) -> tuple[Effect, ...]:
        try:
            return project(recorded, facts)
        except Exception:
            # A mistake in drawing one event must not silence all that follow it.
            log.exception("not_drawn", session=recorded.session_id, number=recorded.number)
            return (Show(slot=event_slot(recorded), message=stand_in(recorded.session_id, recorded.number)),)

    async def _apply(self, effect: Effect, event: int) -> None:
        thread_ts = self.place.thread_ts
        assert thread_ts is not None  # noqa: S101 - catch_up posts the root first
        if isinstance(effect, Show):
            posted = effect.slot in await self._poster.known()
            if (posted and not effect.edit) or (not posted and not effect.create):
                return
            where = None if effect.in_channel else thread_ts
            if await self._poster.show(effect.slot, effect.message, thread_ts=where, event=event) and where:
                self._status.cleared()
            return
        if effect.slot in await self._poster.known():
            return
        content = effect.content or await self._means.retests.output(effect.digest)
        await self._poster.upload(
            effect.slot, name=effect.name, title=effect.title, content=content, thread_ts=thread_ts
        )
        self._status.cleared()

    async def _refresh_root(self, session: SessionView) -> float | None:
        """At once when the gate changed hands or all is over, else not more often than edits may come."""
        loud = session.state in TERMINAL or session.situation.auto_run is not self._auto_run
        wait = 0.0 if loud else EDITS_APART - self._poster.since_edit(ROOT)
        if wait > 0:
            return wait
        await self._show_root(session)
        return None

    async def _show_root(self, session: SessionView) -> None:
        message = root_card(
            session,
            now=self._means.now(),
            links=await self._links(session),
            progress=self._means.retests.feed.progress(session.id),
        )
        thread_ts = self.place.thread_ts
        if CARD in await self._poster.known():
            await self._poster.show(CARD, message, thread_ts=thread_ts)
        else:
            try:
                await self._poster.show(ROOT, message, thread_ts=None, again=False)
            except SlackRefused as refused:
                if refused.code not in GONE:
                    raise
                # The root itself is gone, and with it the thread; else it merely cannot be edited any more.
                if refused.code == "message_not_found":
                    raise RootGone from refused
                await self._poster.show(CARD, message, thread_ts=thread_ts)
        await self._move(session)
        self._auto_run = session.situation.auto_run

    async def _root_anew(self) -> None:
        """Go on below a new root card: the old one was deleted."""
        session = await self._means.retests.session(self.place.session_id)
        message = root_card(session, now=self._means.now(), links=await self._links(session))
        await self._poster.show(ROOT, message, thread_ts=None)
        # Nobody noticed yet if it had nothing to change; and a process that died may have been further.
        if (await self._poster.known())[ROOT].ts == self.place.thread_ts:
            await self._poster.renew(ROOT, message, thread_ts=None)
        await self._move(session)

    async def _move(self, session: SessionView) -> None:
        """Have the thread where the root card is."""
        root_ts, before = (await self._poster.known())[ROOT].ts, self.place.thread_ts
        if root_ts == before:
            return
        if before is not None:
            log.warning("root_gone", session=session.id)
            await self._follow_root(session, root_ts)
        # After the cards have moved: a crash before this moves them again.
        await self._means.places.threaded(session.id, root_ts)
        self.place = replace(self.place, thread_ts=root_ts)
        self._moved(session.id)
        self._status.cleared()

    async def _follow_root(self, session: SessionView, root_ts: str) -> None:
        """Under the new root: why it is there, and the cards that still matter."""
        text = "The session goes on here"
        words = "The first message of the thread before was deleted, so the session goes on here."
        await self._poster.show(f"moved:{root_ts}", notice(words, text=text), thread_ts=root_ts)
        facts = self._finder.running(session, decided=self._decided)
        for command in await self._means.retests.commands(session.id):
            slot = command_slot(command.id)
            post = (await self._poster.known()).get(slot)
            # Older than the new root, so that a second try posts only what is left.
            if command.state in _OPEN and post and post.ts < root_ts:
                await self._poster.renew(slot, card(command, facts), thread_ts=root_ts)

    async def _links(self, session: SessionView) -> dict[int, str]:
        named = (session.id, session.restarted_from, session.restarted_as)
        addresses = {each: await self._address(each) for each in named if each is not None}
        return {each: address for each, address in addresses.items() if address}
