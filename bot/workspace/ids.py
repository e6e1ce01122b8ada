"""Identifiers in Slack's style, deterministic so that two runs of a test read alike."""

from __future__ import annotations

import itertools
import uuid
from collections import defaultdict
from collections.abc import Iterator

# Any fixed value does: it makes the UUIDs the same in every run.
_WORKSPACE = uuid.UUID("6f1d4a52-64a3-4f3d-8d0e-2d1f5b7c9a10")


class Ids:
    """Counts per prefix: ``F00000001``, ``F00000002``, ``Ev00000001`` …, each from `start` on."""

    def __init__(self, start: int = 1) -> None:
        self._counters: defaultdict[str, Iterator[int]] = defaultdict(lambda: itertools.count(start))

    def next(self, prefix: str) -> str:
        """The next identifier with that prefix."""
        return f"{prefix}{next(self._counters[prefix]):08d}"

    def uuid(self, what: str) -> str:
        """The next UUID for `what`, as used for envelope and client message ids."""
        return str(uuid.uuid5(_WORKSPACE, self.next(what)))
