"""Closing something that hangs."""

from __future__ import annotations

import asyncio

import pytest

from bot.closing import in_time


async def test_what_hangs_is_called_off_and_left_behind() -> None:
    hung = asyncio.Event()
    heard = asyncio.Event()

    async def hang() -> None:
        try:
            await hung.wait()
        except asyncio.CancelledError:
            heard.set()
            await hung.wait()

    await in_time("the engine", hang, 0.0)
    await asyncio.wait_for(heard.wait(), 5)
    hung.set()


async def test_an_error_is_not_swallowed() -> None:
    async def fail() -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await in_time("the engine", fail, 5.0)
