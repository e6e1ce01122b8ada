"""A Slack in memory with the same port: for tests, and to try a rendering without a workspace."""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass, field

from bot.blocks.message import Json, Message
from bot.limits import check_message
from bot.slack import SlackError, SlackRefused


@dataclass
class Posted:
    """A message as it stands."""

    channel: str
    thread_ts: str | None
    message: Message
    metadata: Json | None
    edits: int = 0


@dataclass(frozen=True)
class Uploaded:
    """A file."""

    channel: str
    thread_ts: str
    name: str
    content: bytes


@dataclass
class MemorySlack:
    """Keeps what was posted, in order; refuses what Slack's limits refuse."""

    messages: dict[str, Posted] = field(default_factory=dict)
    """By time stamp."""
    files: list[Uploaded] = field(default_factory=list)
    calls: list[str] = field(default_factory=list)
    """Method of every call that was taken."""
    statuses: list[str] = field(default_factory=list)
    """Every status that was set, in order."""
    status: dict[str, str] = field(default_factory=dict)
    """What stands under a thread now."""
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    """Set with every call; clear it to wait for the next."""
    failures: dict[str, deque[SlackError]] = field(default_factory=dict)
    """Per method, what the next calls of it raise."""

    async def post(
        self, *, channel: str, message: Message, thread_ts: str | None, metadata: Json | None
    ) -> str:
        """Add a message."""
        self._enter("post")
        _check(message)
        ts = f"1700000000.{len(self.messages) + 1:06d}"
        self.messages[ts] = Posted(channel, thread_ts, message, metadata)
        if thread_ts is not None:
            self.status.pop(thread_ts, None)
        return ts

    async def update(self, *, channel: str, ts: str, message: Message) -> None:
        """Replace a message."""
        self._enter("update")
        _check(message)
        posted = self.messages.get(ts)
        if posted is None or posted.channel != channel:
            raise SlackRefused("message_not_found")
        posted.message = message
        posted.edits += 1

    async def upload(self, *, channel: str, thread_ts: str, name: str, title: str, content: bytes) -> str:
        """Add a file."""
        self._enter("upload")
        self.files.append(Uploaded(channel, thread_ts, name, content))
        return f"F{len(self.files)}"

    async def set_status(self, *, channel: str, thread_ts: str, status: str) -> None:
        """Remember the status; a message in the thread takes it away."""
        self._enter("set_status")
        self.status[thread_ts] = status
        self.statuses.append(status)

    async def permalink(self, *, channel: str, ts: str) -> str:
        """An address under a name that leads nowhere."""
        self._enter("permalink")
        return f"https://workspace.example.com/archives/{channel}/p{ts.replace('.', '')}"

    def thread(self, root_ts: str) -> list[Posted]:
        """The replies under a root, in order."""
        return [posted for posted in self.messages.values() if posted.thread_ts == root_ts]

    def _enter(self, method: str) -> None:
        self.changed.set()
        if waiting := self.failures.get(method):
            raise waiting.popleft()
        self.calls.append(method)


def _check(message: Message) -> None:
    if problems := check_message({"text": message.text, "blocks": message.blocks}):
        raise SlackRefused(problems[0].code)
