"""Tells whoever watches that a session changed, and keeps how what is in flight gets on. Memory only."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from datetime import datetime

TAIL_BYTES = 2048


@dataclass(frozen=True, kw_only=True)
class Progress:
    """How what is in flight gets on."""

    delayed: str = ""
    """What it waits for, such as "the model is busy, trying again"; empty when nothing is in the way."""
    thinking_since: datetime | None = None
    """When the model call in flight began, UTC."""


_PLAIN = Progress()


class Watch:
    """One watcher's view: the sessions that changed since it last looked, each named once."""

    def __init__(self) -> None:
        self._changed: set[int] = set()
        self._wake = asyncio.Event()

    def touch(self, session_id: int) -> None:
        """Note a change."""
        self._changed.add(session_id)
        self._wake.set()

    async def next(self) -> frozenset[int]:
        """Wait until something changed."""
        await self._wake.wait()
        self._wake.clear()
        changed, self._changed = frozenset(self._changed), set()
        return changed


class Feed:
    """Fans changes out to watchers. A watcher that is slow loses nothing: it reads the database."""

    def __init__(self) -> None:
        self._watches: set[Watch] = set()
        self._tails: dict[int, bytearray] = {}
        self._progress: dict[int, Progress] = {}

    def watch(self) -> Watch:
        """Start watching; `unwatch` ends it."""
        watch = Watch()
        self._watches.add(watch)
        return watch

    def unwatch(self, watch: Watch) -> None:
        """Stop telling a watcher."""
        self._watches.discard(watch)

    def touch(self, session_id: int) -> None:
        """A session has new events, another state or more output."""
        for watch in self._watches:
            watch.touch(session_id)

    def output(self, session_id: int, command_id: int, data: bytes) -> None:
        """A running command wrote something."""
        tail = self._tails.setdefault(command_id, bytearray())
        tail += data
        del tail[:-TAIL_BYTES]
        self.touch(session_id)

    def tail(self, command_id: int) -> bytes:
        """The last bytes of a running command, both streams as they came."""
        return bytes(self._tails.get(command_id, b""))

    def drop(self, command_id: int) -> None:
        """The command has ended; its output is in the store."""
        self._tails.pop(command_id, None)

    def progress(self, session_id: int) -> Progress:
        """How a session gets on with what is in flight."""
        return self._progress.get(session_id, _PLAIN)

    def delay(self, session_id: int, words: str) -> None:
        """Something in flight waits for this; an empty string when it does not any more."""
        self._now(session_id, replace(self.progress(session_id), delayed=words))

    def think(self, session_id: int, since: datetime | None) -> None:
        """A model call began, or with None the one in flight is over."""
        self._now(session_id, Progress(thinking_since=since))

    def _now(self, session_id: int, progress: Progress) -> None:
        if progress == self.progress(session_id):
            return
        self._progress[session_id] = progress
        if progress == _PLAIN:
            del self._progress[session_id]
        self.touch(session_id)
