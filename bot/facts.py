"""Gathers what drawing an event needs, no more than that event needs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Protocol

from bot.blocks.output import WINDOW, Stream
from bot.projection import Facts
from engine.events import Recorded, VerdictRecorded
from engine.feed import Feed
from engine.store.errors import OutputMissing
from engine.views import RAN, CommandView, SessionView

_LOST = b"The kept output is gone from the disk."


class Transcripts(Protocol):
    """What is read of the engine."""

    feed: Feed

    async def session(self, session_id: int) -> SessionView:
        """A session as it is now."""
        ...

    async def command(self, command_id: int) -> CommandView:
        """A command as it is now."""
        ...

    async def commands(self, session_id: int) -> tuple[CommandView, ...]:
        """Every command of a session."""
        ...

    async def events(self, session_id: int, *, after: int = 0, limit: int = 500) -> tuple[Recorded, ...]:
        """Transcript events from a number on."""
        ...

    async def output(self, digest: str, offset: int = 0, limit: int | None = None) -> bytes:
        """Bytes of a kept output."""
        ...


def utc_now() -> datetime:
    """The time."""
    return datetime.now(UTC)


class FactFinder:
    """Reads the engine for the projection. Raises `RevalidError` kinds only."""

    def __init__(self, retests: Transcripts, *, now: Callable[[], datetime] = utc_now) -> None:
        self._retests = retests
        self._now = now

    async def about(
        self,
        recorded: Recorded,
        session: SessionView,
        *,
        decided: Mapping[int, datetime],
        links: Mapping[int, str],
        standing: Recorded | None,
    ) -> Facts:
        """The facts for one event."""
        commands: dict[int, CommandView] = {}
        if isinstance(recorded.event, VerdictRecorded):
            commands = {command.id: command for command in await self._retests.commands(session.id)}
        elif (command_id := getattr(recorded.event, "command_id", None)) is not None:
            commands = {command_id: await self._retests.command(command_id)}
        # A verdict names many commands but shows no outputs, so those are not read.
        ran = [command for command in commands.values() if command.state in RAN and len(commands) == 1]
        return Facts(
            session=session,
            now=self._now(),
            commands=commands,
            streams={command.id: await self._streams(command) for command in ran},
            tails={command.id: self._retests.feed.tail(command.id) for command in commands.values()},
            decided=decided,
            links=links,
            standing=standing,
        )

    def running(self, session: SessionView, *, decided: Mapping[int, datetime]) -> Facts:
        """The facts for the cards of what runs right now."""
        return Facts(
            session=session,
            now=self._now(),
            commands={command.id: command for command in session.running},
            tails={command.id: self._retests.feed.tail(command.id) for command in session.running},
            decided=decided,
        )

    async def _streams(self, command: CommandView) -> tuple[Stream, ...]:
        both = (
            ("stdout", command.stdout_sha256, command.stdout_bytes),
            ("stderr", command.stderr_sha256, command.stderr_bytes),
        )
        return tuple(
            [await self._stream(name, digest, total) for name, digest, total in both if digest and total]
        )

    async def _stream(self, name: str, digest: str, total: int) -> Stream:
        try:
            if total <= 2 * WINDOW:
                return Stream(name=name, total=total, head=await self._retests.output(digest))
            head = await self._retests.output(digest, 0, WINDOW)
            tail = await self._retests.output(digest, total - WINDOW, WINDOW)
        # The card has to come all the same, with what is still known.
        except OutputMissing:
            return Stream(name=name, total=total, head=_LOST)
        return Stream(name=name, total=total, head=head, tail=tail)
