"""Writes each delivery down before Slack is told that it arrived, and drops what arrived before.

Slack sends an event again when it was not acknowledged in time, and some things twice under two names. What
is written down and not marked done when the process ends is dispatched again at the next start.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime
from typing import Any, Protocol

import structlog
from slack_bolt import BoltResponse
from slack_bolt.async_app import AsyncApp
from slack_bolt.request.async_request import AsyncBoltRequest

from bot.delivery import Delivery, delivery_of, is_chatter
from bot.store.inbox import KEPT, Entry
from engine.faults import reach

KEY = "revalid_delivery"
"""Where a request's context holds the key of its delivery."""

log = structlog.get_logger(__name__)


class Store(Protocol):
    """The table behind it; see `bot.store.inbox`."""

    async def write(self, arrived: Sequence[Entry], finished: Sequence[str] = ()) -> frozenset[str]:
        """Write entries down and mark others done in one transaction; the keys that were new."""
        ...

    async def undone(self) -> Sequence[Entry]:
        """What was written down and never finished, oldest first."""
        ...

    async def forget(self, before: datetime) -> None:
        """Drop what was finished and received before a moment."""
        ...


class Inbox:
    """The one way in. Deliveries that arrive together share a transaction: a burst costs one commit."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._arrived: list[tuple[Entry, asyncio.Future[bool]]] = []
        self._finished: list[str] = []
        self._writing: asyncio.Task[None] | None = None

    async def middleware(
        self,
        req: AsyncBoltRequest,
        next: Callable[[], Awaitable[BoltResponse]],  # noqa: A002 - Bolt passes arguments by these names
    ) -> BoltResponse:
        """For `AsyncApp.middleware`. When the database does not answer, the error leaves Slack unanswered."""
        # Replayed: it is written down already, and would be dropped as its own duplicate.
        if KEY in req.context:
            return await next()
        delivery = delivery_of(req.body)
        if delivery is not None:
            reach("delivery arrived")
        if delivery is None:
            return BoltResponse(status=200) if is_chatter(req.body) else await next()
        # Answered with 200 all the same, or Slack would go on sending it.
        if not await self._take(delivery, req.body):
            log.info("duplicate dropped", key=delivery.key)
            return BoltResponse(status=200)
        req.context[KEY] = delivery.key
        reach("delivery stored")
        return await next()

    async def replay(self, app: AsyncApp) -> int:
        """Dispatch what an earlier process wrote down and did not finish; how many there were."""
        # Only what is older than anything that Slack still repeats.
        await self._store.forget(datetime.now(UTC) - KEPT)
        entries = await self._store.undone()
        for entry in entries:
            request = AsyncBoltRequest(body=entry.body, mode="socket_mode", context={KEY: entry.key})
            await app.async_dispatch(request)
        return len(entries)

    def done(self, key: str) -> None:
        """The listener of a delivery has finished."""
        self._finished.append(key)
        self._write_soon()

    async def close(self) -> None:
        """Finish writing."""
        while self._writing is not None and not self._writing.done():
            await self._writing

    async def _take(self, delivery: Delivery, body: dict[str, Any]) -> bool:
        # The token is a shared secret of old; nothing reads it again.
        kept = {name: value for name, value in body.items() if name != "token"}
        new: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._arrived.append((Entry(key=delivery.key, kind=delivery.kind, body=kept), new))
        self._write_soon()
        return await new

    def _write_soon(self) -> None:
        if self._writing is None or self._writing.done():
            self._writing = asyncio.create_task(self._write())

    async def _write(self) -> None:
        # What comes in while one transaction is written shares the next.
        while self._arrived or self._finished:
            arrived, self._arrived = self._arrived, []
            finished, self._finished = self._finished, []
            try:
                new = set(await self._store.write([entry for entry, _ in arrived], finished))
            except Exception as error:
                # Marks that are lost make the next start do things again; listeners have to bear that anyway.
                log.exception("inbox not written", arrived=len(arrived), finished=finished)
                for _, waiting in arrived:
                    if not waiting.done():
                        waiting.set_exception(error)
                continue
            if finished:
                reach("delivery done")
            for entry, waiting in arrived:
                if not waiting.done():
                    waiting.set_result(entry.key in new)
                # The same delivery may be in one batch twice, and only one of them is new.
                new.discard(entry.key)
