"""Who is next in a thread."""

from __future__ import annotations

import asyncio

from bot.turns import Turns

HERE, THERE = ("C1", "1.0"), ("C1", "2.0")


class Room:
    """Messages that take their turn, and the order in which they did."""

    def __init__(self) -> None:
        self.turns = Turns()
        self.order: list[str] = []
        self.inside = 0

    async def enter(self, ts: str, thread: tuple[str, str] = HERE) -> None:
        async with self.turns.turn(thread, ts):
            self.inside += 1
            assert self.inside == 1
            await asyncio.sleep(0)
            self.order.append(ts)
            self.inside -= 1

    def start(self, *stamps: str) -> list[asyncio.Task[None]]:
        return [asyncio.create_task(self.enter(ts)) for ts in stamps]


async def test_those_that_wait_go_oldest_first() -> None:
    room = Room()
    await asyncio.gather(*room.start("1.1", "1.4", "1.2", "1.3"))
    assert room.order == ["1.1", "1.2", "1.3", "1.4"]


async def test_a_held_thread_waits_and_others_go_on() -> None:
    room = Room()
    room.turns.hold_all()
    held = room.start("1.5", "1.4")
    await asyncio.sleep(0)
    assert room.turns.waits(HERE)
    room.turns.hold_only([HERE])
    await room.enter("2.1", THERE)
    held += room.start("1.3")
    await asyncio.sleep(0)
    assert room.order == ["2.1"]
    room.turns.release(HERE)
    await asyncio.gather(*held)
    assert room.order == ["2.1", "1.3", "1.4", "1.5"]
    assert not room.turns.waits(HERE)


async def test_one_that_is_called_off_keeps_nobody_waiting() -> None:
    room = Room()
    room.turns.hold_only([HERE])
    first, second, third = room.start("1.1", "1.2", "1.3")
    await asyncio.sleep(0)
    first.cancel()
    await asyncio.sleep(0)
    room.turns.release(HERE)
    second.cancel()
    await asyncio.gather(first, second, third, return_exceptions=True)
    assert room.order == ["1.3"]
