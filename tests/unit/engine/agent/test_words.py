from __future__ import annotations

import pytest

from engine.agent.words import asks_again, is_understood


@pytest.mark.parametrize(
    "message",
    ["go ahead", "Yes, please.", "ok", "start", "Let's go!", "\N{THUMBS UP SIGN}", "do it", "again"],
)
def test_plain_orders_are_understood(message: str) -> None:
    assert is_understood([message])


@pytest.mark.parametrize(
    "message", ["what about the cookie?", "go to port 8443", "use account ben", "x" * 90_000]
)
def test_other_words_are_not(message: str) -> None:
    assert not is_understood([message])
    assert not asks_again([message], finished=True)


def test_go_on_means_again_only_when_all_is_done() -> None:
    assert asks_again(["go on"], finished=True)
    assert not asks_again(["go on"], finished=False)
    assert asks_again(["please re-run it"], finished=False)
    assert not asks_again(["tell me again why the second header of that answer matters to us"], finished=True)
    assert not asks_again([], finished=True)


@pytest.mark.parametrize(
    ("text", "finished", "again"),
    [
        ("Looks alive. Go on with the replay.", False, False),
        ("replay it please", False, False),
        ("replay it please", True, True),
        ("go on", False, False),
        ("go on", True, True),
        ("Again, from the beginning", False, True),
        ("start over", False, True),
    ],
)
def test_only_a_clear_order_begins_again_half_way(text: str, finished: bool, again: bool) -> None:
    assert asks_again([text], finished=finished) is again
    assert is_understood([text])
