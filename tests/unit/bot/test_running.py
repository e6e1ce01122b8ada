"""Tasks that closing waits for."""

from __future__ import annotations

import asyncio

from bot.running import Running


async def test_closing_waits_for_what_is_at_work_and_for_what_that_starts() -> None:
    running, log, go = Running(), list[str](), asyncio.Event()

    async def second() -> None:
        log.append("second")

    async def first() -> None:
        await go.wait()
        log.append("first")
        running.start(second())

    running.start(first())
    drain = asyncio.create_task(running.drain(5))
    await asyncio.sleep(0)
    assert not drain.done()
    go.set()
    await drain
    assert log == ["first", "second"]


async def test_what_is_not_done_in_time_is_cancelled() -> None:
    running = Running()
    task = running.start(asyncio.Event().wait())
    await running.drain(0.01)
    assert task.cancelled()


async def test_a_failure_is_the_callers_to_see() -> None:
    running = Running()

    async def fail() -> None:
        raise ValueError

    task = running.start(fail())
    await running.drain(5)
    assert isinstance(task.exception(), ValueError)
