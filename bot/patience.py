"""How long to wait before Slack is tried again, and the waiting. Clock and chance are given from outside."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

Chance = Callable[[], float]
"""From 0 to 1, as `random.random`."""


@dataclass(frozen=True, kw_only=True)
class Patience:
    """Seconds. Waits are spread by half, so that threads that failed together do not come back together."""

    first: float = 1.0
    longest: float = 60.0
    parked: float = 600.0
    """Between two tries of what only a person can mend."""
    parked_at_least: float = 30.0
    """The same when the session moves meanwhile: a sign of life, and perhaps the channel is back."""

    def back_off(self, failures: int, chance: float) -> float:
        """After so many failures in a row, at least one."""
        # 2.0 ** 1024 is an error; a day of failures gets there.
        whole = min(self.first * 2.0 ** min(failures - 1, 30), self.longest)
        return spread(whole, chance)


def spread(seconds: float, chance: float) -> float:
    """Between half of it and all of it."""
    return seconds * (1 + chance) / 2


@dataclass(frozen=True, kw_only=True)
class Timing:
    """Clock, sleep and chance; tests have their own."""

    monotonic: Callable[[], float] = time.monotonic
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    chance: Chance = random.random
    patience: Patience = field(default_factory=Patience)

    async def until(self, wake: asyncio.Event, seconds: float | None) -> None:
        """Until woken, or for so long."""
        if seconds is None:
            await wake.wait()
            return
        both = [asyncio.ensure_future(self.sleep(seconds)), asyncio.ensure_future(wake.wait())]
        try:
            await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
        finally:
            # Whichever did not end would otherwise stay for ever.
            for each in both:
                each.cancel()

    async def rest(self, wake: asyncio.Event, failures: int, *, parked: bool) -> None:
        """After a failure: the longer the more there were, whoever wakes; parked, until something happens."""
        patience, chance = self.patience, self.chance()
        if not parked:
            await self.sleep(patience.back_off(failures, chance))
            return
        least = spread(patience.parked_at_least, chance)
        # Whoever wakes it, as each event of a busy session would be another try.
        await self.sleep(least)
        await self.until(wake, spread(patience.parked, chance) - least)
