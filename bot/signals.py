"""Hears whoever started the process tell it to end."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

SIGNALS = (signal.SIGINT, signal.SIGTERM)
_BY_SIGNAL = 128
"""What shells add to a signal's number for a process that one has ended."""


@contextmanager
def told_to_stop() -> Iterator[asyncio.Event]:
    """An event that is set at Ctrl+C or a TERM signal; a second one ends the process at once."""
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()

    def first() -> None:
        stopped.set()
        # Not by way of the loop: it may be what hangs. All that was promised is in the database.
        for number in SIGNALS:
            signal.signal(number, _end)

    for number in SIGNALS:
        loop.add_signal_handler(number, first)
    try:
        yield stopped
    finally:
        for number in SIGNALS:
            loop.remove_signal_handler(number)


def _end(number: int, _frame: FrameType | None) -> None:
    os._exit(_BY_SIGNAL + number)
