"""The tasks that are at work. Bolt and asyncio keep none of them alive or wait for them, so that we do."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class Running:
    """Every task started here is kept until it ends, and waited for when the bot closes."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[Any]] = set()

    def start(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Start a piece of work."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def drain(self, seconds: float) -> None:
        """Wait for what is at work, new work too, and cancel what is not done in time."""
        try:
            async with asyncio.timeout(seconds):
                # What ends may have started more.
                while self._tasks:
                    await asyncio.wait(self._tasks)
        except TimeoutError:
            left = list(self._tasks)
            for task in left:
                task.cancel()
            await asyncio.gather(*left, return_exceptions=True)
