"""One line of the doctor's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Level = Literal["ok", "advice", "problem"]


@dataclass(frozen=True, kw_only=True)
class Check:
    """Something that was looked at. Holds no secret: it is printed and pasted into tickets."""

    what: str
    level: Level
    says: str
    do: str = ""
    """What to do about it; empty when nothing is to be done."""


def fine(what: str, says: str) -> Check:
    """As it should be."""
    return Check(what=what, level="ok", says=says)


def advice(what: str, says: str, do: str) -> Check:
    """Works, and could be better."""
    return Check(what=what, level="advice", says=says, do=do)


def problem(what: str, says: str, do: str) -> Check:
    """Revalid cannot do its work like this."""
    return Check(what=what, level="problem", says=says, do=do)
