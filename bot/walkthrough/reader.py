"""Reads channel and threads as a person would, and prints what is new there."""

from __future__ import annotations

from collections.abc import Callable

from bot.cli.terminal import lines
from bot.workspace.client import Workspace, render_text
from bot.workspace.model import Json

CHANNEL_INDENT, THREAD_INDENT = "  ", "  │ "


class Reader:
    """Prints each message when it is new, and again when its first line has changed since."""

    def __init__(self, workspace: Workspace, channel: str, tell: Callable[[str], None]) -> None:
        self._workspace = workspace
        self._channel = channel
        self._tell = tell
        self._read: dict[str, str] = {}

    async def channel(self) -> None:
        """Catch up with the channel."""
        for message in await self._workspace.messages(self._channel):
            self._message(message, CHANNEL_INDENT)

    async def thread(self, root: Json) -> None:
        """Catch up with the replies of a thread."""
        for message in (await self._workspace.thread(self._channel, root["ts"]))[1:]:
            self._message(message, THREAD_INDENT)

    def again(self, card: Json) -> None:
        """Read a card once more."""
        self._print(card, self._text(card), CHANNEL_INDENT, " (as the card is now)")

    def whisper(self, message: Json) -> None:
        """Read what only one person sees."""
        self._print(message, self._text(message), CHANNEL_INDENT, " (only you see this)")

    def _message(self, message: Json, indent: str) -> None:
        text = self._text(message)
        headline = text.partition("\n")[0]
        known = self._read.get(message["ts"])
        if known != headline:
            self._read[message["ts"]] = headline
            self._print(message, text, indent, " (edited)" if known is not None else "")

    def _print(self, message: Json, text: str, indent: str, note: str) -> None:
        author = self._workspace.names.get(message.get("user", ""), "Slack")
        self._tell(f"{indent}{author}{note}")
        self._tell(lines(text, f"{indent}    ") + f"\n{indent.rstrip()}")

    def _text(self, message: Json) -> str:
        return render_text(message, self._workspace.names)
