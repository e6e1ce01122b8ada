"""Time as the workspace sees it, so that a test can let five minutes pass at once."""

from __future__ import annotations

import asyncio
import heapq
import itertools
import time
from collections.abc import Callable
from typing import Protocol


class Timer(Protocol):
    """A call that is due later and can be called off."""

    def cancel(self) -> None:
        """Call it off; harmless when it already ran."""


class Clock(Protocol):
    """Wall-clock seconds and delayed calls."""

    def now(self) -> float:
        """Seconds since the epoch."""

    def call_later(self, delay: float, call: Callable[[], None]) -> Timer:
        """Run `call` in `delay` seconds."""


class SystemClock:
    """The machine's own time, on the running event loop."""

    def now(self) -> float:
        """Seconds since the epoch."""
        return time.time()

    def call_later(self, delay: float, call: Callable[[], None]) -> Timer:
        """Run `call` in `delay` seconds."""
        return asyncio.get_running_loop().call_later(delay, call)


class _Due:
    """A delayed call of the manual clock."""

    def __init__(self, call: Callable[[], None]) -> None:
        self.call: Callable[[], None] | None = call

    def cancel(self) -> None:
        """Forget the call."""
        # It stays in the heap, where removing it would cost a search; `advance` passes over it.
        self.call = None


class ManualClock:
    """Stands still until told; calls that fall due run inside `advance`, in order."""

    # Ten digits, as real Slack timestamps have, so that they sort as text too.
    def __init__(self, start: float = 1_800_000_000.0) -> None:
        self._now = start
        self._due: list[tuple[float, int, _Due]] = []
        self._order = itertools.count()

    def now(self) -> float:
        """Seconds since the epoch, as last set."""
        return self._now

    def call_later(self, delay: float, call: Callable[[], None]) -> Timer:
        """Run `call` once the clock was advanced by `delay` seconds."""
        due = _Due(call)
        # The count keeps calls of the same moment in order, and calls are never compared.
        heapq.heappush(self._due, (self._now + delay, next(self._order), due))
        return due

    def advance(self, seconds: float) -> None:
        """Let `seconds` pass."""
        end = self._now + seconds
        # The heap is looked at anew each time, as a call may make another that is due before the end.
        while self._due and self._due[0][0] <= end:
            self._now, _, due = heapq.heappop(self._due)
            if due.call is not None:
                due.call()
        self._now = end
