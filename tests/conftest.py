"""What every kind of test may share."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest
import structlog

from bot.lab import NETWORK
from bot.shared_lab import shared_lab


@pytest.fixture(scope="session")
def lab() -> Iterator[str]:
    """The practice lab, running for as long as the tests do; gives the name of its Docker network."""
    with shared_lab():
        yield NETWORK


@pytest.fixture(autouse=True)
def _logs_as_before() -> Iterator[None]:
    """A command that a test runs sends the lines of all loggers to that test's own, soon closed, output."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    # Pretty tracebacks take a second each on a busy machine, and hold up the loop that a test waits on.
    plain = structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback)
    structlog.configure(processors=[structlog.processors.add_log_level, plain])
    yield
    root.handlers[:] = handlers
    root.setLevel(level)
    structlog.reset_defaults()
