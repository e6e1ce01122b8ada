"""Tells whoever watches that a session changed, and keeps the tail of what runs. Memory only."""

from __future__ import annotations

import asyncio

TAIL_BYTES = 2048


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
