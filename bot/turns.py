"""Messages of one thread, one at a time and oldest first, however they come in.

While a thread is held, because what was missed in it is still being fetched, what arrives waits with it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import count

Thread = tuple[str, str]
"""Channel, and time stamp of the root."""


@dataclass
class _Line:
    busy: bool = False
    waiting: list[tuple[str, int, asyncio.Future[None]]] = field(default_factory=list)


class Turns:
    """Who is next in each thread."""

    def __init__(self) -> None:
        self._lines: dict[Thread, _Line] = {}
        self._arrivals = count()
        self._held: set[Thread] = set()
        self._all_held = False

    def hold_all(self) -> None:
        """Begin no turn anywhere, until it is known which threads have to wait."""
        self._all_held = True

    def hold_only(self, threads: Collection[Thread]) -> None:
        """Hold these and no others."""
        self._held, self._all_held = set(threads), False
        for thread in list(self._lines):
            self._advance(thread)

    def release(self, thread: Thread) -> None:
        """Go on in a thread."""
        self._held.discard(thread)
        self._advance(thread)

    def waits(self, thread: Thread) -> bool:
        """Whether somebody waits in a thread."""
        return thread in self._lines

    @asynccontextmanager
    async def turn(self, thread: Thread, ts: str) -> AsyncIterator[None]:
        """Wait until the message with this time stamp is next, and have the thread for oneself."""
        called: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        line = self._lines.setdefault(thread, _Line())
        # By Slack's time and not by arrival, as sockets and backfill come in any order.
        heappush(line.waiting, (ts, next(self._arrivals), called))
        self._advance(thread)
        try:
            await called
            yield
        finally:
            # Who gave up while waiting never had the thread.
            if not called.cancelled():
                line.busy = False
            self._advance(thread)

    def _advance(self, thread: Thread) -> None:
        line = self._lines.get(thread)
        if line is None or line.busy or self._all_held or thread in self._held:
            return
        while line.waiting:
            _, _, called = heappop(line.waiting)
            if not called.cancelled():
                line.busy = True
                called.set_result(None)
                return
        # No line stays behind for each thread that was ever heard of.
        del self._lines[thread]
