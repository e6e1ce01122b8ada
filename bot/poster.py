"""Has the messages of one session in Slack, each once: posts, edits, and remembers right after.

Before a post the intent is written down. Where it is not known whether Slack took it (no answer, an error of
Slack's own, a process that died), Slack is looked at before anything is posted again.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Coroutine
from datetime import datetime, timedelta
from typing import Any

import structlog

from bot.blocks.message import Json, Message
from bot.blocks.said import notice
from bot.blocks.smaller import plain_words, smaller
from bot.facts import utc_now
from bot.pacing import Monotonic, Pacing
from bot.running import Running
from bot.slack import Seen, Slack, SlackBusy, SlackError, SlackRefused, SlackStrayed
from bot.store.places import Place
from bot.store.posts import Post, Posts
from bot.troubles import GONE, ROOT_GONE, UNSHOWABLE
from engine.faults import reach

log = structlog.get_logger(__name__)

METADATA = "revalid_post"
CLOCKS_APART = timedelta(minutes=10)
"""How far Slack's clock may be behind ours. After the first post only Slack's counts."""
_ELSEWHERE = "`revalid transcript R-{}` has it."


class RootGone(SlackError):
    """The first message of the thread was deleted, so nothing can be posted under it."""


class Poster:
    """One session's messages. Raises `SlackError` and `StoreError` kinds, and `RootGone`."""

    def __init__(
        self,
        place: Place,
        slack: Slack,
        pacing: Pacing,
        posts: Posts,
        running: Running,
        *,
        monotonic: Monotonic = time.monotonic,
        now: Callable[[], datetime] = utc_now,
    ) -> None:
        self._session_id = place.session_id
        self._channel = place.channel
        self._slack = slack
        self._pacing = pacing
        self._posts = posts
        self._running = running
        self._monotonic = monotonic
        self._now = now
        self._known: dict[str, Post] | None = None
        self._doubts: dict[str, str] = {}
        """Slots whose message may or may not be in Slack; the value is older than that message."""
        self._edited: dict[str, float] = {}

    async def known(self) -> dict[str, Post]:
        """What was posted, by slot."""
        if self._known is None:
            # The doubts first: a message that is remembered in between has to be in one of the two.
            self._doubts = await self._posts.intents(self._session_id)
            self._known = await self._posts.of(self._session_id)
        return self._known

    def since_edit(self, slot: str) -> float:
        """Seconds since a message was last edited by this process."""
        return self._monotonic() - self._edited.get(slot, float("-inf"))

    async def show(
        self, slot: str, message: Message, *, thread_ts: str | None, event: int = 0, again: bool = True
    ) -> bool:
        """Have the message in its slot. True when something new was posted.

        Where Slack does not let the old one be edited any more it is posted `again`, or else that is raised.
        """
        post = (await self.known()).get(slot)
        if slot in self._doubts:
            post = await self._found(slot, thread_ts, lambda seen: self._is_ours(seen, slot)) or post
        if post is None:
            await self.renew(slot, message, thread_ts=thread_ts, event=event)
            return True
        # Most events change nothing on a card, and an edit costs one of fifty a minute.
        if post.shown == message.fingerprint:
            return False
        try:
            await self._update(post, message, thread_ts, event)
        except SlackRefused as refused:
            if not again or refused.code not in GONE:
                raise
            await self.renew(slot, message, thread_ts=thread_ts, event=event)
            return True
        await self._remember(Post(slot=slot, channel=post.channel, ts=post.ts, shown=message.fingerprint))
        self._edited[slot] = self._monotonic()
        return False

    async def renew(self, slot: str, message: Message, *, thread_ts: str | None, event: int = 0) -> None:
        """Post it, whether or not its slot has a message already."""
        # Read back by whoever wonders, after a crash, whether this was posted already.
        metadata: Json = {
            "event_type": METADATA,
            "event_payload": {"session": self._session_id, "slot": slot, "event": event},
        }
        shown = message.fingerprint

        async def send(each: Message) -> None:
            ts = await self._slack.post(
                channel=self._channel, message=each, thread_ts=thread_ts, metadata=metadata
            )
            reach("message posted")
            await self._remember(Post(slot=slot, channel=self._channel, ts=ts, shown=shown))

        await self._fitting(
            slot, message, lambda each: self._sent(slot, lambda: send(each)), thread_ts, event
        )

    async def upload(self, slot: str, *, name: str, title: str, content: bytes, thread_ts: str) -> None:
        """Have the file in the thread."""
        if slot in await self.known():
            return
        if slot in self._doubts and await self._found(slot, thread_ts, lambda seen: _has_file(seen, name)):
            return

        async def send() -> None:
            file_id = await self._slack.upload(
                channel=self._channel, thread_ts=thread_ts, name=name, title=title, content=content
            )
            reach("file posted")
            await self._remember(Post(slot=slot, channel=self._channel, ts=file_id, shown=""))

        try:
            await self._sent(slot, send)
        except SlackRefused as refused:
            # The card already speaks of the file, so its absence has to be said.
            log.error("upload_refused", session=self._session_id, slot=slot, code=refused.code)
            elsewhere = _ELSEWHERE.format(self._session_id)
            words = f"⚠️ Slack did not take the file {name} ({refused.code}). {elsewhere}"
            await self.show(slot, notice(words, text="A file is missing"), thread_ts=thread_ts)

    async def _update(self, post: Post, message: Message, thread_ts: str | None, event: int) -> None:
        async def edit(each: Message) -> None:
            await self._pacing.calm(
                "update", lambda: self._slack.update(channel=post.channel, ts=post.ts, message=each)
            )

        await self._fitting(post.slot, message, edit, thread_ts, event)

    async def _fitting(
        self,
        slot: str,
        message: Message,
        take: Callable[[Message], Awaitable[None]],
        thread_ts: str | None,
        event: int,
    ) -> None:
        """The message, or the largest of its stand-ins that Slack takes; its words are never lost."""
        for each in (message, smaller(message)):
            try:
                return await take(each)
            except SlackRefused as refused:
                if refused.code not in UNSHOWABLE:
                    raise
                log.error("unshowable", session=self._session_id, slot=slot, code=refused.code)
        # A line of our own, which surely fits, so that the thread can go on.
        await take(stand_in(self._session_id, event))
        if thread_ts is not None:
            await self.upload(
                f"{slot}:whole",
                name=f"R-{self._session_id}-{slot.replace(':', '-')}.txt",
                title=f"What Slack could not show of R-{self._session_id}",
                content=plain_words(message).encode(),
                thread_ts=thread_ts,
            )
        return None

    async def _sent(self, slot: str, send: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """In its turn, with the doubt written down for as long as there is one."""
        # Before the post: where to look from, should it never be known what became of it.
        after = self._newest()
        await self._posts.intend(self._session_id, slot, after)
        reach("post intended")

        async def certainly() -> None:
            self._doubts[slot] = after
            try:
                await send()
            except SlackStrayed as stray:
                await self._take_back(stray.ts)
                self._doubts.pop(slot, None)
                raise RootGone from stray
            # Slack said no, so nothing is in doubt; any other error leaves the doubt standing.
            except (SlackRefused, SlackBusy) as error:
                self._doubts.pop(slot, None)
                if isinstance(error, SlackRefused) and error.code == ROOT_GONE:
                    raise RootGone from error
                raise

        await self._pacing.post(self._channel, lambda: self._to_the_end(certainly()))

    def _newest(self) -> str:
        """A time stamp that is older than whatever is posted next."""
        # Files are remembered by their ids, which are no times.
        stamps = [post.ts for post in (self._known or {}).values() if "." in post.ts]
        return max(stamps, default=f"{(self._now() - CLOCKS_APART).timestamp():.6f}")

    async def _take_back(self, ts: str) -> None:
        try:
            await self._pacing.calm("delete", lambda: self._slack.delete(channel=self._channel, ts=ts))
        except SlackError as error:
            log.warning("stray_left", session=self._session_id, ts=ts, error=str(error))

    async def _found(self, slot: str, thread_ts: str | None, fits: Callable[[Seen], bool]) -> Post | None:
        """What is in Slack of a slot that is in doubt; from now on it is none."""
        after = self._doubts[slot]
        try:
            seen = await self._pacing.calm(
                "look", lambda: self._slack.ours(channel=self._channel, thread_ts=thread_ts, after=after)
            )
        except SlackRefused as refused:
            raise (RootGone if refused.code == ROOT_GONE else refused) from refused
        there = next((each for each in seen if fits(each)), None)
        log.info("looked", session=self._session_id, slot=slot, there=there is not None)
        if there is None:
            self._doubts.pop(slot)
            return None
        # What it shows is not known, so that the next look at it edits it.
        post = Post(slot=slot, channel=self._channel, ts=there.ts, shown="")
        await self._remember(post)
        return post

    def _is_ours(self, seen: Seen, slot: str) -> bool:
        payload = (seen.metadata or {}).get("event_payload") or {}
        return (payload.get("session"), payload.get("slot")) == (self._session_id, slot)

    async def _to_the_end(self, work: Coroutine[Any, Any, None]) -> None:
        """What was posted is remembered even if the publisher is closed meanwhile, or it would come twice."""
        await asyncio.shield(self._running.start(work))

    async def _remember(self, post: Post) -> None:
        await self._posts.remember(self._session_id, post)
        (await self.known())[post.slot] = post
        self._doubts.pop(post.slot, None)
        reach("post remembered")


def _has_file(seen: Seen, name: str) -> bool:
    return any(each == name for _, each in seen.files)


def stand_in(session_id: int, event: int) -> Message:
    """What stands in the place of an event that cannot be shown."""
    words = f"⚠️ Slack could not show event {event} of this session. {_ELSEWHERE.format(session_id)}"
    return notice(words, text="Something could not be shown")
