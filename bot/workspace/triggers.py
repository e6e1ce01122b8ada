"""One-shot permissions of the app: trigger ids (three seconds), response URLs (five posts in 30 minutes)."""

from __future__ import annotations

from dataclasses import dataclass

from bot.workspace.clock import Clock
from bot.workspace.errors import ApiError
from bot.workspace.ids import Ids

TRIGGER_SECONDS = 3.0
RESPONSE_SECONDS = 30 * 60.0
RESPONSE_POSTS = 5


@dataclass
class _Trigger:
    user: str
    expires: float
    used: bool = False


class Triggers:
    """Trigger ids: who acted, and until when the app may open a view for it."""

    def __init__(self, clock: Clock, ids: Ids) -> None:
        self._clock = clock
        self._ids = ids
        self._triggers: dict[str, _Trigger] = {}

    def issue(self, user: str) -> str:
        """A new trigger id for something `user` did."""
        trigger_id = f"{self._ids.next('1')}.{self._ids.next('2')}.{self._ids.uuid('trigger')}"
        self._triggers[trigger_id] = _Trigger(user, self._clock.now() + TRIGGER_SECONDS)
        return trigger_id

    def redeem(self, trigger_id: str) -> str:
        """Use it up and return the user.

        Raises:
            ApiError: ``invalid_trigger_id``, ``trigger_exchanged`` or ``trigger_expired``.
        """
        trigger = self._triggers.get(trigger_id)
        if trigger is None:
            raise ApiError("invalid_trigger_id")
        # Before its age: Slack's two codes tell an app whether it was slow or opened two forms.
        if trigger.used:
            raise ApiError("trigger_exchanged")
        if self._clock.now() > trigger.expires:
            raise ApiError("trigger_expired")
        trigger.used = True
        return trigger.user


@dataclass
class ResponseTarget:
    """Where a response URL leads: whose, in which channel and thread, and which message it may replace."""

    user: str
    channel: str
    thread_ts: str | None
    message_ts: str | None
    expires: float
    posts: int = 0


class ResponseUrls:
    """Response URLs, by the secret part of their path."""

    def __init__(self, clock: Clock, ids: Ids) -> None:
        self._clock = clock
        self._ids = ids
        self._targets: dict[str, ResponseTarget] = {}

    def issue(
        self, user: str, channel: str, *, thread_ts: str | None = None, message_ts: str | None = None
    ) -> str:
        """A new secret."""
        secret = self._ids.uuid("response")
        expires = self._clock.now() + RESPONSE_SECONDS
        self._targets[secret] = ResponseTarget(user, channel, thread_ts, message_ts, expires)
        return secret

    def use(self, secret: str) -> ResponseTarget:
        """Count one post; raises ApiError ``expired_url`` or ``used_url`` (HTTP 404)."""
        target = self._targets.get(secret)
        if target is None or self._clock.now() > target.expires:
            raise ApiError("expired_url", status=404)
        if target.posts >= RESPONSE_POSTS:
            raise ApiError("used_url", status=404)
        # Counted even when what is posted is refused afterwards.
        target.posts += 1
        return target
