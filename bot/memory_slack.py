"""A Slack in memory with the same port: for tests, and to try a rendering without a workspace."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

from bot.blocks.message import Json, Message
from bot.limits import check_message
from bot.slack import Seen, SlackError, SlackRefused, SlackStrayed
from bot.troubles import ROOT_GONE


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
    ts: str
    """Of the message that shares it."""


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
    lost: dict[str, deque[SlackError]] = field(default_factory=dict)
    """The same, but the call has its effect: only the answer is lost."""
    away: SlackError | None = None
    """What every call raises."""
    deleted: set[str] = field(default_factory=set)
    """Time stamps of messages that were taken away."""
    _counted: int = 0

    async def post(
        self, *, channel: str, message: Message, thread_ts: str | None, metadata: Json | None
    ) -> str:
        """Add a message."""
        self._enter("post")
        _check(message)
        ts = self._next_ts()
        # As Slack does it: a reply to a deleted root is taken, and lands in the channel.
        strays = thread_ts in self.deleted
        self.messages[ts] = Posted(channel, None if strays else thread_ts, message, metadata)
        if thread_ts is not None:
            self.status.pop(thread_ts, None)
        self._answer("post")
        if strays:
            raise SlackStrayed(ts)
        return ts

    async def ours(self, *, channel: str, thread_ts: str | None, after: str) -> Sequence[Seen]:
        """What was posted and uploaded after a time stamp."""
        self._enter("ours")
        if thread_ts in self.deleted:
            raise SlackRefused(ROOT_GONE)
        posted = [
            Seen(ts=ts, metadata=posted.metadata)
            for ts, posted in self.messages.items()
            if (posted.channel, posted.thread_ts) == (channel, thread_ts) and ts > after
        ]
        shared = [
            Seen(ts=file.ts, metadata=None, files=((f"F{number}", file.name),))
            for number, file in enumerate(self.files, 1)
            if (file.channel, file.thread_ts) == (channel, thread_ts) and file.ts > after
        ]
        return [*posted, *shared]

    async def delete(self, *, channel: str, ts: str) -> None:
        """Take a message away; also what a test does in a person's stead."""
        self._enter("delete")
        if self.messages.pop(ts, None) is None:
            raise SlackRefused("message_not_found")
        self.deleted.add(ts)

    async def update(self, *, channel: str, ts: str, message: Message) -> None:
        """Replace a message."""
        self._enter("update")
        _check(message)
        posted = self.messages.get(ts)
        if posted is None or posted.channel != channel:
            raise SlackRefused("message_not_found")
        posted.message = message
        posted.edits += 1
        self._answer("update")

    async def upload(self, *, channel: str, thread_ts: str, name: str, title: str, content: bytes) -> str:
        """Add a file."""
        self._enter("upload")
        self.files.append(Uploaded(channel, thread_ts, name, content, self._next_ts()))
        self._answer("upload")
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
        if self.away is not None:
            raise self.away
        if waiting := self.failures.get(method):
            raise waiting.popleft()
        self.calls.append(method)

    def _answer(self, method: str) -> None:
        if waiting := self.lost.get(method):
            raise waiting.popleft()

    def _next_ts(self) -> str:
        self._counted += 1
        # Later than any clock that a test has, as Slack's is later than when a session was opened.
        return f"1900000000.{self._counted:06d}"


def _check(message: Message) -> None:
    if problems := check_message({"text": message.text, "blocks": message.blocks}):
        raise SlackRefused(problems[0].code)
