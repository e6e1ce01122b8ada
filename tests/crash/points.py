"""Where the process is killed, and how often: the rows of the crash matrix."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Row:
    """The `nth` time that the process comes to a point of `engine.faults`, in one guided retest."""

    point: str
    nth: int
    during: str
    fast: bool = False
    """Played by every `make test`; the others by `make crash`."""
    first: str = "ran"
    """What the crash makes of the command that it hits: `ran` or `unknown`."""

    @property
    def name(self) -> str:
        """As `REVALID_FAULT` takes it."""
        return f"{self.point}:{self.nth}"


DELIVERIES = (
    "opening the form", "sending the form", "Approve", "the reply", "the second Approve", "concluding",
)  # fmt: skip
CLICKS = ("opening the form", "Approve", "the second Approve", "concluding")
LISTENED = ("opening the form", "Approve", "the reply", "the second Approve", "concluding")
INPUTS = ("Start", "Approve", "the reply", "the second Approve", "concluding")
TURNS = ("the first proposal", "the first result", "the reply", "the second result")
COMMANDS = ("the first command", "the second command")
POSTS = ("the root card", "the sandbox is ready", "the first proposal", "the advice", "the second proposal")

_POINTS: Sequence[tuple[str, Sequence[str], frozenset[int], str]] = (
    ("delivery arrived", DELIVERIES, frozenset(), "ran"),
    ("delivery stored", DELIVERIES, frozenset({3}), "ran"),
    ("acknowledged", CLICKS, frozenset(), "ran"),
    ("listener began", LISTENED, frozenset(), "ran"),
    ("session about to be stored", ("sending the form",), frozenset(), "ran"),
    ("session stored", ("sending the form",), frozenset(), "ran"),
    ("input decided", INPUTS, frozenset(), "ran"),
    ("input stored", INPUTS, frozenset({2}), "ran"),
    ("listener ended", DELIVERIES, frozenset(), "ran"),
    ("delivery done", DELIVERIES, frozenset(), "ran"),
    ("sandbox built", ("Start",), frozenset(), "ran"),
    ("sandbox about to be stored", ("Start",), frozenset(), "ran"),
    ("sandbox stored", ("Start",), frozenset(), "ran"),
    ("model about to be called", TURNS, frozenset(), "ran"),
    ("model answered", TURNS, frozenset(), "ran"),
    ("turn about to be stored", TURNS, frozenset(), "ran"),
    ("turn stored", TURNS, frozenset(), "ran"),
    ("command about to be claimed", COMMANDS, frozenset(), "ran"),
    ("command claimed", COMMANDS, frozenset({1}), "unknown"),
    ("exec created", COMMANDS, frozenset(), "unknown"),
    ("exec started", COMMANDS, frozenset({1}), "ran"),
    ("output part-way", COMMANDS, frozenset(), "ran"),
    ("result read", COMMANDS, frozenset(), "ran"),
    ("outputs stored", COMMANDS, frozenset(), "ran"),
    ("result about to be stored", COMMANDS, frozenset(), "ran"),
    ("result stored", COMMANDS, frozenset(), "ran"),
    ("post intended", POSTS, frozenset(), "ran"),
    ("message posted", POSTS, frozenset({3}), "ran"),
    ("post remembered", POSTS, frozenset(), "ran"),
    ("file posted", ("the second result",), frozenset(), "ran"),
    ("event shown", POSTS, frozenset(), "ran"),
    ("event marked as shown", POSTS, frozenset(), "ran"),
    ("sandbox removed", ("concluding",), frozenset(), "ran"),
    ("removal about to be stored", ("concluding",), frozenset(), "ran"),
    ("removal stored", ("concluding",), frozenset(), "ran"),
)


def _rows() -> Iterator[Row]:
    for point, occasions, fast, first in _POINTS:
        for nth, during in enumerate(occasions, 1):
            yield Row(point=point, nth=nth, during=during, fast=nth in fast, first=first)


ROWS: tuple[Row, ...] = tuple(_rows())
