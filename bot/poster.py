"""Has the messages of one session in Slack, each once: posts, edits, and remembers right after."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine
from typing import Any

import structlog

from bot.blocks.message import Json, Message
from bot.blocks.said import notice
from bot.pacing import Monotonic, Pacing
from bot.running import Running
from bot.slack import Slack, SlackRefused
from bot.store.places import Place
from bot.store.posts import Post, Posts

log = structlog.get_logger(__name__)

METADATA = "revalid_post"
_ELSEWHERE = "`revalid transcript R-{}` has it."
_GONE = frozenset({"message_not_found", "cant_update_message", "edit_window_closed", "block_mismatch"})
_UNSHOWABLE = frozenset(
    {"invalid_blocks", "invalid_blocks_format", "msg_too_long", "msg_blocks_too_long", "no_text"}
)


class Poster:
    """One session's messages. Raises `SlackError` and `StoreError` kinds."""

    def __init__(
        self,
        place: Place,
        slack: Slack,
        pacing: Pacing,
        posts: Posts,
        running: Running,
        *,
        monotonic: Monotonic = time.monotonic,
    ) -> None:
        self._session_id = place.session_id
        self._channel = place.channel
        self._slack = slack
        self._pacing = pacing
        self._posts = posts
        self._running = running
        self._monotonic = monotonic
        self._known: dict[str, Post] | None = None
        self._edited: dict[str, float] = {}

    async def known(self) -> dict[str, Post]:
        """What was posted, by slot."""
        if self._known is None:
            self._known = await self._posts.of(self._session_id)
        return self._known

    def since_edit(self, slot: str) -> float:
        """Seconds since a message was last edited by this process."""
        return self._monotonic() - self._edited.get(slot, float("-inf"))

    async def show(self, slot: str, message: Message, *, thread_ts: str | None, event: int = 0) -> bool:
        """Have the message in its slot. True when something new was posted."""
        post = (await self.known()).get(slot)
        shown = message.fingerprint
        if post is None:
            await self._post(slot, message, shown, thread_ts, event)
            return True
        if post.shown == shown:
            return False
        try:
            await self._pacing.calm("update", lambda: self._update(post, message))
        except SlackRefused as refused:
            if refused.code in _GONE:
                await self._post(slot, message, shown, thread_ts, event)
                return True
            if refused.code not in _UNSHOWABLE:
                raise
            log.error("unshowable", session=self._session_id, slot=slot, code=refused.code)
        await self._remember(Post(slot=slot, channel=post.channel, ts=post.ts, shown=shown))
        self._edited[slot] = self._monotonic()
        return False

    async def upload(self, slot: str, *, name: str, title: str, content: bytes, thread_ts: str) -> None:
        """Have the file in the thread."""
        if slot in await self.known():
            return

        async def send() -> None:
            file_id = await self._slack.upload(
                channel=self._channel, thread_ts=thread_ts, name=name, title=title, content=content
            )
            await self._remember(Post(slot=slot, channel=self._channel, ts=file_id, shown=""))

        try:
            await self._pacing.post(self._channel, lambda: self._to_the_end(send()))
        except SlackRefused as refused:
            # The card already speaks of the file, so its absence has to be said.
            log.error("upload_refused", session=self._session_id, slot=slot, code=refused.code)
            elsewhere = _ELSEWHERE.format(self._session_id)
            words = f"⚠️ Slack did not take the file {name} ({refused.code}). {elsewhere}"
            await self.show(slot, notice(words, text="A file is missing"), thread_ts=thread_ts)

    async def _update(self, post: Post, message: Message) -> None:
        await self._slack.update(channel=post.channel, ts=post.ts, message=message)

    async def _post(self, slot: str, message: Message, shown: str, thread_ts: str | None, event: int) -> None:
        # Read back by whoever wonders, after a crash, whether this was posted already.
        metadata: Json = {
            "event_type": METADATA,
            "event_payload": {"session": self._session_id, "slot": slot, "event": event},
        }

        async def send(each: Message) -> None:
            ts = await self._slack.post(
                channel=self._channel, message=each, thread_ts=thread_ts, metadata=metadata
            )
            await self._remember(Post(slot=slot, channel=self._channel, ts=ts, shown=shown))

        try:
            await self._pacing.post(self._channel, lambda: self._to_the_end(send(message)))
        except SlackRefused as refused:
            if refused.code not in _UNSHOWABLE:
                raise
            log.error("unshowable", session=self._session_id, slot=slot, code=refused.code)
            instead = stand_in(self._session_id, event)
            await self._pacing.post(self._channel, lambda: self._to_the_end(send(instead)))

    async def _to_the_end(self, work: Coroutine[Any, Any, None]) -> None:
        """What was posted is remembered even if the publisher is closed meanwhile, or it would come twice."""
        await asyncio.shield(self._running.start(work))

    async def _remember(self, post: Post) -> None:
        await self._posts.remember(self._session_id, post)
        (await self.known())[post.slot] = post


def stand_in(session_id: int, event: int) -> Message:
    """What stands in the place of an event that cannot be shown."""
    words = f"⚠️ Slack could not show event {event} of this session. {_ELSEWHERE.format(session_id)}"
    return notice(words, text="Something could not be shown")
