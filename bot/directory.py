"""Looks up people and channels in Slack, and remembers the answers for a few minutes."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Generic, Protocol, TypeVar

import structlog
from aiohttp import ClientError
from slack_sdk.errors import SlackClientError
from slack_sdk.web.async_slack_response import AsyncSlackResponse

from bot.access import Person, Place

KEPT_SECONDS = 300.0
"""Somebody who was made a guest or removed acts at most this long."""
# A bound, since ids come from outside.
KEPT_ENTRIES = 4096

log = structlog.get_logger(__name__)
T = TypeVar("T")


class Lookups(Protocol):
    """What is used of a Slack client."""

    async def users_info(self, *, user: str) -> AsyncSlackResponse:
        """`users.info`."""
        ...

    async def conversations_info(self, *, channel: str) -> AsyncSlackResponse:
        """`conversations.info`."""
        ...


class Directory:
    """Answers None where Slack does not answer, or does not know; that is not remembered."""

    def __init__(self, client: Lookups, clock: Callable[[], float] = time.monotonic) -> None:
        self._client = client
        self._people: _Remembered[Person] = _Remembered(clock)
        self._places: _Remembered[Place] = _Remembered(clock)

    async def person(self, user: str) -> Person | None:
        """The account behind a user id."""
        return await self._people.get(user, self._ask_person)

    async def place(self, channel: str) -> Place | None:
        """The channel behind an id."""
        return await self._places.get(channel, self._ask_place)

    async def _ask_person(self, user: str) -> Person | None:
        answer = await _asked(self._client.users_info(user=user), user)
        facts = answer.get("user", {})
        # A partial answer must not pass for a person without any of the marks below.
        if facts.get("id") != user or not facts.get("team_id"):
            return None
        return Person(
            team=str(facts["team_id"]),
            user=user,
            bot=bool(facts.get("is_bot")),
            deleted=bool(facts.get("deleted")),
            guest=bool(facts.get("is_restricted") or facts.get("is_ultra_restricted")),
            stranger=bool(facts.get("is_stranger")),
        )

    async def _ask_place(self, channel: str) -> Place | None:
        answer = await _asked(self._client.conversations_info(channel=channel), channel)
        facts = answer.get("channel", {})
        if facts.get("id") != channel:
            return None
        # An invitation that is pending can be accepted at any moment.
        external = facts.get("is_ext_shared") or facts.get("is_pending_ext_shared")
        return Place(channel=channel, external=bool(external), member=facts.get("is_member") is not False)


async def _asked(call: Awaitable[AsyncSlackResponse], what: str) -> Mapping[str, Any]:
    try:
        answer = (await call).data
    except (SlackClientError, ClientError, TimeoutError) as error:
        log.warning("slack did not tell", about=what, error=str(error))
        return {}
    return answer if isinstance(answer, dict) else {}


class _Remembered(Generic[T]):
    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._kept: OrderedDict[str, tuple[float, T]] = OrderedDict()

    async def get(self, key: str, ask: Callable[[str], Awaitable[T | None]]) -> T | None:
        kept = self._kept.get(key)
        if kept is not None and self._clock() < kept[0]:
            return kept[1]
        value = await ask(key)
        # What was known before is dropped too: who cannot be looked up may do nothing.
        if value is None:
            self._kept.pop(key, None)
            return None
        self._kept[key] = (self._clock() + KEPT_SECONDS, value)
        if len(self._kept) > KEPT_ENTRIES:
            self._kept.popitem(last=False)
        return value
