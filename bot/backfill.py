"""Fetches what people wrote while no socket was open: Slack keeps nothing of it for us but the thread itself.

What is found goes the way of a live delivery, through the same inbox, so that nothing acts twice, whether it
comes again late or under another name. Until a thread is read, what is new in it waits for what is older.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any, Protocol

import structlog
from aiohttp import ClientError
from slack_sdk.errors import SlackApiError, SlackClientError
from slack_sdk.web.async_slack_response import AsyncSlackResponse

from bot.delivery import delivery_of
from bot.pacing import Pacing
from bot.slack import SlackBusy
from bot.store.heard import Heard, LiveThread
from bot.turns import Turns
from engine.errors import RevalidError, StoreError

AT_ONCE = 3
"""Threads that are read at a time."""
PAGE = 200
TRIES = 3
"""How often a thread is read until it has to wait for the next connection."""
_TOO_MANY = 429
_OK = 200

log = structlog.get_logger(__name__)

Body = dict[str, Any]
Dispatch = Callable[[Body], Awaitable[int]]
"""Takes a delivery, and answers with the HTTP status that Slack would get."""


class Replies(Protocol):
    """What is used of a Slack client."""

    async def conversations_replies(
        self, *, channel: str, ts: str, oldest: str, limit: int, cursor: str
    ) -> AsyncSlackResponse:
        """`conversations.replies`."""
        ...


class Backfill:
    """Reads all live threads from where they were last read."""

    def __init__(
        self, *, client: Replies, heard: Heard, turns: Turns, pacing: Pacing, team: str, dispatch: Dispatch
    ) -> None:
        self._client = client
        self._heard = heard
        self._turns = turns
        self._pacing = pacing
        self._team = team
        self._dispatch = dispatch
        self._pending: dict[tuple[str, str], LiveThread] = {}
        self._reading: asyncio.Task[None] | None = None
        self._again = False

    def begin(self) -> None:
        """A connection is there: what arrives by it waits until it is known which threads have to be read."""
        # At once: what comes by the new socket may be newer than what is still to be fetched.
        self._turns.hold_all()
        self._again = True
        if self._reading is None or self._reading.done():
            self._reading = asyncio.create_task(self._read_all())

    async def close(self) -> None:
        """Stop reading; the next start goes on from there."""
        if self._reading is not None:
            self._reading.cancel()
            await asyncio.gather(self._reading, return_exceptions=True)
        self._turns.hold_only(())

    async def _read_all(self) -> None:
        while self._again:
            self._again = False
            try:
                threads = await self._heard.live()
            except StoreError as error:
                log.warning("threads_not_read", error=str(error))
                threads = ()
            self._pending = {(thread.channel, thread.root): thread for thread in threads}
            self._turns.hold_only(self._pending.keys())
            await asyncio.gather(*(self._read_pending() for _ in range(AT_ONCE)))

    async def _read_pending(self) -> None:
        # A new connection has missed more, so that the list is made anew.
        while self._pending and not self._again:
            # Where somebody is kept waiting comes first.
            key = next((key for key in self._pending if self._turns.waits(key)), next(iter(self._pending)))
            thread = self._pending.pop(key)
            try:
                await self._read(thread)
            finally:
                self._turns.release(key)

    async def _read(self, thread: LiveThread) -> None:
        for tries in range(1, TRIES + 1):
            try:
                await self._fetch(thread)
            except (SlackClientError, ClientError, TimeoutError, RevalidError) as error:
                refused = isinstance(error, SlackApiError) and error.response.status_code == _OK
                log.warning("thread_not_read", session=thread.session_id, tries=tries, error=str(error))
                # A channel that is gone is gone on the next try too.
                if refused:
                    return
            else:
                return

    async def _fetch(self, thread: LiveThread) -> None:
        cursor, read = "", thread.read
        while True:
            answer = await self._pacing.calm("replies", partial(self._page, thread, cursor))
            for message in answer["messages"]:
                ts = str(message["ts"])
                # Slack gives the root too, whatever is asked for.
                if ts == thread.root or ts <= thread.read:
                    continue
                await self._take(thread, message)
                read = max(read, ts)
            cursor = str((answer.get("response_metadata") or {}).get("next_cursor") or "")
            if not cursor:
                break
        # Only now: a later page may hold what is older than the end of an earlier one.
        if read != thread.read:
            await self._heard.move(thread.session_id, read)

    async def _page(self, thread: LiveThread, cursor: str) -> AsyncSlackResponse:
        try:
            return await self._client.conversations_replies(
                channel=thread.channel, ts=thread.root, oldest=thread.read, limit=PAGE, cursor=cursor
            )
        except SlackApiError as error:
            if error.response.status_code != _TOO_MANY:
                raise
            headers = {str(name).lower(): value for name, value in error.response.headers.items()}
            raise SlackBusy(float(headers.get("retry-after") or 1.0)) from error

    async def _take(self, thread: LiveThread, message: Mapping[str, Any]) -> None:
        body = delivered(thread, message, self._team)
        # Our own messages, and those of other bots.
        if delivery_of(body) is None:
            return
        # By way of Bolt and the inbox, as a live one, which is what keeps it from acting twice.
        status = await self._dispatch(body)
        if status != _OK:
            raise StoreError(f"A message of session {thread.session_id} was not taken; it is read again.")


def delivered(thread: LiveThread, message: Mapping[str, Any], team: str) -> Body:
    """A message of a thread as the delivery that was missed."""
    event = {**message, "type": "message", "channel": thread.channel, "event_ts": message["ts"]}
    authorization = {"enterprise_id": None, "team_id": team, "is_bot": True, "is_enterprise_install": False}
    return {
        "type": "event_callback",
        "team_id": team,
        "event": event,
        "authorizations": [authorization],
        "is_ext_shared_channel": False,
    }
