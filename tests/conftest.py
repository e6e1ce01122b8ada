"""What every kind of test may share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from bot.lab import NETWORK
from bot.shared_lab import shared_lab


@pytest.fixture(scope="session")
def lab() -> Iterator[str]:
    """The practice lab, running for as long as the tests do; gives the name of its Docker network."""
    with shared_lab():
        yield NETWORK
