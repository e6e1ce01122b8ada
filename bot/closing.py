"""Letting go of things one after the other, each within its time, so that a hung one keeps no process."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import structlog

log = structlog.get_logger(__name__)


async def in_time(what: str, close: Callable[[], Awaitable[object]], seconds: float) -> None:
    """Close something; after that many seconds it is called off and left behind."""
    closing = asyncio.ensure_future(close())
    await asyncio.wait({closing}, timeout=seconds)
    if closing.done():
        closing.result()
        return
    # Not waited for: what hangs may not hear of it either.
    closing.cancel()
    log.warning("not_closed_in_time", what=what, seconds=seconds)
