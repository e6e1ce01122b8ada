"""What can go wrong in a walkthrough."""

from __future__ import annotations

from engine.errors import RevalidError


class NotAsExpected(RevalidError):
    """The walkthrough came to something else than it should."""


class TookTooLong(NotAsExpected):
    """Something that the walkthrough waited for did not happen."""
