"""The clock of tests, and what runs out by it: triggers, response URLs, rates."""

from __future__ import annotations

import pytest

from bot.workspace.clock import ManualClock
from bot.workspace.errors import ApiError
from bot.workspace.ids import Ids
from bot.workspace.rate import RateLimiter, RateLimits
from bot.workspace.triggers import ResponseUrls, Triggers


def test_calls_run_in_order_at_their_own_time(clock: ManualClock) -> None:
    ran: list[tuple[str, float]] = []
    start = clock.now()

    def later() -> None:
        ran.append(("first", clock.now() - start))
        clock.call_later(1, lambda: ran.append(("chained", clock.now() - start)))

    clock.call_later(5, lambda: ran.append(("last", clock.now() - start)))
    clock.call_later(2, later)
    clock.call_later(1, lambda: ran.append(("never", 0))).cancel()
    clock.advance(10)
    assert ran == [("first", 2), ("chained", 3), ("last", 5)]
    assert clock.now() - start == 10


def test_a_trigger_is_good_once_for_three_seconds(clock: ManualClock) -> None:
    triggers = Triggers(clock, Ids())
    first, second = triggers.issue("U1"), triggers.issue("U2")
    clock.advance(3)
    assert triggers.redeem(first) == "U1"
    with pytest.raises(ApiError, match="trigger_exchanged"):
        triggers.redeem(first)
    clock.advance(0.1)
    with pytest.raises(ApiError, match="trigger_expired"):
        triggers.redeem(second)
    with pytest.raises(ApiError, match="invalid_trigger_id"):
        triggers.redeem("made up")


def test_a_response_url_takes_five_posts(clock: ManualClock) -> None:
    urls = ResponseUrls(clock, Ids())
    secret = urls.issue("U1", "C1")
    for _ in range(5):
        assert urls.use(secret).user == "U1"
    with pytest.raises(ApiError, match="used_url"):
        urls.use(secret)


def test_posting_refills_by_the_second_and_methods_by_the_minute(clock: ManualClock) -> None:
    limiter = RateLimiter(RateLimits(posts_per_second=1, posting_burst=1), clock)
    limiter.check("chat.postMessage", "C1")
    with pytest.raises(ApiError, match="rate_limited") as refused:
        limiter.check("chat.postMessage", "C1")
    assert (refused.value.status, refused.value.headers["Retry-After"]) == (429, "1")
    clock.advance(1)
    limiter.check("chat.postMessage", "C1")
    for _ in range(50):
        limiter.check("chat.update", "C1")
    with pytest.raises(ApiError, match="ratelimited"):
        limiter.check("chat.update", "C2")


def test_limits_can_be_off(clock: ManualClock) -> None:
    limiter = RateLimiter(None, clock)
    for _ in range(100):
        limiter.check("chat.postMessage", "C1")
