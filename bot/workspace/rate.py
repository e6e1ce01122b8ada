"""Slack's rate limits: token buckets per method, and per channel for posting."""

from __future__ import annotations

import math
from dataclasses import dataclass

from bot.workspace.clock import Clock
from bot.workspace.errors import ApiError

# Calls per minute; Slack promises these at least, and here they are the most.
TIER_1, TIER_2, TIER_3, TIER_4, STATUS_TIER = 1, 20, 50, 100, 600

PER_MINUTE = {
    "apps.connections.open": TIER_3,
    "chat.delete": TIER_3,
    "chat.postEphemeral": TIER_4,
    "chat.update": TIER_3,
    "conversations.history": TIER_3,
    "conversations.info": TIER_3,
    "conversations.join": TIER_3,
    "conversations.list": TIER_2,
    "conversations.members": TIER_4,
    "conversations.open": TIER_3,
    "conversations.replies": TIER_3,
    "files.getUploadURLExternal": TIER_4,
    "files.completeUploadExternal": TIER_4,
    "files.info": TIER_4,
    "reactions.add": TIER_3,
    "reactions.remove": TIER_2,
    "users.info": TIER_4,
    "users.list": TIER_2,
    "views.open": TIER_4,
    "views.publish": TIER_4,
    "views.push": TIER_4,
    "views.update": TIER_4,
    "assistant.threads.setStatus": STATUS_TIER,
}


@dataclass(frozen=True)
class RateLimits:
    """How strict the workspace is.

    Attributes:
        posts_per_second: ``chat.postMessage`` per channel, in the long run.
        posting_burst: how many posts a channel takes at once after a pause; Slack publishes no number.
    """

    posts_per_second: float = 1.0
    posting_burst: int = 10


@dataclass
class _Bucket:
    tokens: float
    at: float


class RateLimiter:
    """Refuses calls beyond the limits with HTTP 429; takes everything when `limits` is None."""

    def __init__(self, limits: RateLimits | None, clock: Clock) -> None:
        self._limits = limits
        self._clock = clock
        self._buckets: dict[tuple[str, str], _Bucket] = {}

    def check(self, method: str, channel: str) -> None:
        """Count one call; raises ApiError ``ratelimited`` or ``rate_limited`` with ``Retry-After``."""
        if self._limits is None:
            return
        if method == "chat.postMessage":
            rate, burst = self._limits.posts_per_second, self._limits.posting_burst
            # Posting is limited by channel and has an error code of its own.
            self._take((method, channel), rate, burst, "rate_limited")
        elif (per_minute := PER_MINUTE.get(method)) is not None:
            self._take((method, ""), per_minute / 60, per_minute, "ratelimited")

    def _take(self, key: tuple[str, str], rate: float, burst: int, error: str) -> None:
        now = self._clock.now()
        bucket = self._buckets.setdefault(key, _Bucket(burst, now))
        bucket.tokens = min(burst, bucket.tokens + (now - bucket.at) * rate)
        bucket.at = now
        if bucket.tokens < 1:
            # Slack gives whole seconds, never none.
            wait = max(1, math.ceil((1 - bucket.tokens) / rate))
            raise ApiError(error, status=429, headers={"Retry-After": str(wait)})
        bucket.tokens -= 1
