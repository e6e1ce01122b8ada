"""Waits for whoever started the process to end it."""

from __future__ import annotations

import asyncio
import signal


async def until_stopped() -> None:
    """Return at Ctrl+C or a TERM signal; a second one ends the process at once."""
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stopped.set)
    try:
        await stopped.wait()
    finally:
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number)
