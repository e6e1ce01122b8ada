"""Keeps within Slack's rates: posts a channel, edits of what streams, and whatever a 429 asks for."""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable
from typing import TypeVar

import structlog

from bot.slack import SlackBusy

log = structlog.get_logger(__name__)

T = TypeVar("T")
Monotonic = Callable[[], float]
Sleep = Callable[[float], Awaitable[None]]

POSTS_EVERY, POSTS_BURST = 1.0, 4
"""Slack takes about a post a second in a channel, and short bursts."""
STREAMS_EVERY, STREAMS_BURST = 1.5, 4
"""`chat.update` is good for 50 a minute in a workspace; what streams may have 40 of them."""
AFTER_WAIT = 0.25
"""Seconds between those who waited out a 429 together."""


class Bucket:
    """One every `every` seconds, and `burst` at once after a rest. Pure arithmetic."""

    def __init__(self, every: float, burst: int) -> None:
        self._every = every
        self._slack = every * (burst - 1)
        self._full_at = float("-inf")

    def delay(self, now: float) -> float:
        """Seconds until the next one may go; 0.0 when it may now."""
        return max(0.0, self._full_at - self._slack - now)

    def take(self, now: float) -> None:
        """One goes."""
        self._full_at = max(self._full_at, now) + self._every


class Pacing:
    """One for all channels of a workspace, because Slack counts per workspace and method."""

    def __init__(self, *, monotonic: Monotonic = time.monotonic, sleep: Sleep = asyncio.sleep) -> None:
        self._monotonic = monotonic
        self._sleep = sleep
        self._channels: defaultdict[str, Bucket] = defaultdict(lambda: Bucket(POSTS_EVERY, POSTS_BURST))
        self._turns: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._streams = Bucket(STREAMS_EVERY, STREAMS_BURST)
        self._held: dict[str, float] = {}

    async def post(self, channel: str, call: Callable[[], Awaitable[T]]) -> T:
        """Post to a channel in turn: first come, first served, at the channel's pace."""
        # Held through the call, so that messages of a channel stay in order.
        async with self._turns[channel]:
            bucket = self._channels[channel]
            if wait := bucket.delay(self._monotonic()):
                await self._sleep(wait)
            # Counted before the call: one that fails may have reached Slack too.
            bucket.take(self._monotonic())
            return await self.calm("post", call)

    async def calm(self, method: str, call: Callable[[], Awaitable[T]]) -> T:
        """Call, again and again as long as Slack asks to wait, and never before the time it named."""
        while True:
            while wait := self.held(method):
                await self._sleep(wait)
                # Someone who woke earlier may have been told to wait again, or has gone just before.
                if not self.held(method):
                    self._held[method] = self._monotonic() + AFTER_WAIT
                    break
            try:
                return await call()
            except SlackBusy as busy:
                log.info("slack_busy", method=method, seconds=busy.retry_after)
                self.hold(method, busy.retry_after)

    def may_stream(self) -> bool:
        """Whether an edit that only shows progress may go now; a yes counts."""
        now = self._monotonic()
        # Progress never waits in line: the next look has newer output to show anyway.
        if self.held("update") or self._streams.delay(now):
            return False
        self._streams.take(now)
        return True

    def hold(self, method: str, seconds: float) -> None:
        """Nothing of this method for so long."""
        self._held[method] = max(self._held.get(method, 0.0), self._monotonic() + seconds)

    def held(self, method: str) -> float:
        """Seconds that a method still has to wait."""
        return max(0.0, self._held.get(method, 0.0) - self._monotonic())
