"""Slack's rates, on a clock that only moves when somebody sleeps."""

from __future__ import annotations

import asyncio
import itertools

import pytest

from bot.pacing import POSTS_BURST, STREAMS_BURST, STREAMS_EVERY, Bucket, Pacing
from bot.slack import SlackBusy


class Time:
    """A clock that moves on to the earliest sleeper's time once everybody sleeps."""

    def __init__(self) -> None:
        self.now = 1000.0
        self._due: list[tuple[float, int]] = []
        self._count = itertools.count()

    def monotonic(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        mine = (self.now + seconds, next(self._count))
        self._due.append(mine)
        while True:
            for _ in range(5):
                await asyncio.sleep(0)
            if min(self._due) == mine:
                break
        self._due.remove(mine)
        self.now = max(self.now, mine[0])


@pytest.fixture
def time() -> Time:
    return Time()


@pytest.fixture
def pacing(time: Time) -> Pacing:
    return Pacing(monotonic=time.monotonic, sleep=time.sleep)


def test_a_bucket_lets_a_burst_go_and_then_keeps_the_rate() -> None:
    bucket, now, gone = Bucket(1.0, 3), 0.0, []
    for _ in range(6):
        now += bucket.delay(now)
        bucket.take(now)
        gone.append(now)

    assert gone == [0, 0, 0, 1, 2, 3]
    assert bucket.delay(100) == 0


async def test_posts_of_a_channel_go_in_turn_at_its_rate(pacing: Pacing, time: Time) -> None:
    gone: list[tuple[int, float]] = []

    async def post(number: int) -> None:
        gone.append((number, time.now - 1000))

    posts = range(POSTS_BURST + 3)
    await asyncio.gather(*(pacing.post("C1", lambda number=number: post(number)) for number in posts))  # type: ignore[misc]

    assert [number for number, _ in gone] == list(posts)
    assert [at for _, at in gone] == [0.0] * POSTS_BURST + [1.0, 2.0, 3.0]


async def test_channels_do_not_wait_for_each_other(pacing: Pacing, time: Time) -> None:
    async def post() -> float:
        return time.now

    for _ in range(POSTS_BURST):
        await pacing.post("C1", post)

    assert await pacing.post("C2", post) == 1000.0


async def test_after_a_429_nothing_of_that_method_goes_before_its_time(pacing: Pacing, time: Time) -> None:
    tries: list[float] = []

    async def update() -> str:
        tries.append(time.now - 1000)
        if len(tries) == 1:
            raise SlackBusy(30)
        return "done"

    assert await pacing.calm("update", update) == "done"
    assert tries == [0, 30]


async def test_others_of_that_method_wait_too_and_then_go_one_by_one(pacing: Pacing, time: Time) -> None:
    gone: list[float] = []

    async def update() -> None:
        gone.append(round(time.now - 1000, 2))

    pacing.hold("update", 5)
    await asyncio.gather(*(pacing.calm("update", update) for _ in range(3)))
    await pacing.calm("post", update)

    assert gone[:3] == [5, 5.25, 5.5]


async def test_progress_is_shown_only_while_there_is_room_for_it(pacing: Pacing, time: Time) -> None:
    assert [pacing.may_stream() for _ in range(STREAMS_BURST + 1)] == [True] * STREAMS_BURST + [False]
    time.now += STREAMS_EVERY
    assert pacing.may_stream()
    time.now += 600
    pacing.hold("update", 5)
    assert not pacing.may_stream()
