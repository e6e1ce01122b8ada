"""What every kind of test may share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from bot.lab import NETWORK, start_lab, stop_lab


@pytest.fixture(scope="session")
def lab() -> Iterator[str]:
    """The practice lab, running for as long as the tests do; gives the name of its Docker network."""
    start_lab()
    yield NETWORK
    stop_lab()
