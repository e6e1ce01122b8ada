"""What every scene needs: somebody to act, a reader who prints, and patience with an end."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from bot.blocks.ids import Callback, Field
from bot.practice import CHANNEL, Practice
from bot.walkthrough.errors import NotAsExpected, TookTooLong
from bot.walkthrough.reader import Reader
from bot.workspace.client import Person, Workspace, render_text
from bot.workspace.errors import NotSeen
from bot.workspace.model import Json
from engine.views import SessionView

PATIENCE = 45.0
"""Seconds that a step may take; a slow machine builds a sandbox in ten."""


@dataclass(frozen=True, kw_only=True)
class Stage:
    """One walkthrough's means. Every method prints what it does and what it saw."""

    practice: Practice
    workspace: Workspace
    alice: Person
    reader: Reader
    tell: Callable[[str], None]

    async def slash(self, words: str) -> None:
        """Type `/revalid …` in the channel."""
        self.tell(f"▶ Alice types in #{CHANNEL}: /revalid {words}\n")
        answer = await self.alice.slash(CHANNEL, "/revalid", words)
        if not answer["ok"]:
            raise NotAsExpected(f"The bot did not take `/revalid {words}`: {answer.get('error')}.")

    async def say(self, root: Json, words: str) -> None:
        """Reply in a thread."""
        self.tell(f"▶ Alice replies in the thread: {words}\n")
        await self.alice.reply(root, words)

    async def press(self, message: Json, label: str, action: str) -> None:
        """Press a button."""
        self.tell(f"▶ Alice presses [{label}]\n")
        answer = await self.alice.click(message, action)
        if not answer["ok"]:
            raise NotAsExpected(f"The bot did not take the button {label}: {answer.get('error')}.")

    async def form(self, callback: Callback) -> Json:
        """The form of that kind, once it is open."""

        async def opened() -> Json | None:
            views = await self.workspace.views(self.alice)
            return views[-1] if views and views[-1]["callback_id"] == callback else None

        form = await self.until(opened, f"the form {callback}")
        self.tell(_framed(self._text(form)))
        return form

    async def submit(self, form: Json, values: Json, words: str) -> None:
        """Send a form."""
        self.tell(f"▶ Alice {words}\n")
        answer = await self.alice.submit(form, values)
        if not answer["ok"]:
            raise NotAsExpected(f"The form was not taken: {answer.get('errors') or answer.get('error')}.")

    async def reply(self, root: Json, words: str) -> Json:
        """The newest reply in a thread with these words, once it is there; then read the thread."""

        async def there() -> Json | None:
            thread = await self.workspace.thread(CHANNEL, root["ts"])
            return next((m for m in reversed(thread[1:]) if words in self._text(m)), None)

        found = await self.until(there, f"a reply with {words}")
        await self.reader.thread(root)
        return found

    async def becomes(self, root: Json, message: Json, words: str) -> None:
        """Wait until a reply was edited to have these words; then read the thread."""

        async def has() -> Json | None:
            thread = await self.workspace.thread(CHANNEL, root["ts"])
            return next((m for m in thread if m["ts"] == message["ts"] and words in self._text(m)), None)

        await self.until(has, f"a card with {words.strip()}")
        await self.reader.thread(root)

    async def card(self, root: Json, words: str) -> None:
        """Wait until the session's card has these words; then read it again."""

        async def has() -> Json | None:
            shown = (await self.workspace.thread(CHANNEL, root["ts"]))[0]
            return shown if words in self._text(shown) else None

        self.reader.again(await self.until(has, f"a card with {words}"))

    async def whisper(self, words: str) -> None:
        """Wait for what only Alice sees, and read it."""

        async def there() -> Json | None:
            whispers = await self.workspace.ephemerals(self.alice)
            return next((m for m in reversed(whispers) if words in self._text(m)), None)

        self.reader.whisper(await self.until(there, f"an answer with {words}"))

    async def in_channel(self, words: str) -> Json:
        """The newest message of the channel with these words, once it is there; then read the channel."""

        async def there() -> Json | None:
            messages = await self.workspace.messages(CHANNEL)
            return next((m for m in reversed(messages) if words in self._text(m)), None)

        found = await self.until(there, f"a message with {words}")
        await self.reader.channel()
        return found

    async def session(self) -> SessionView:
        """The newest session."""
        return (await self.practice.bot.engine.retests.sessions(limit=1))[0]

    def _text(self, message: Json) -> str:
        return render_text(message, self.workspace.names)

    async def until(self, predicate: Callable[[], Awaitable[Json | None]], what: str) -> Json:
        """Wait for something. Raises `TookTooLong`."""
        try:
            found: Json | None = await self.workspace.until(predicate, timeout=PATIENCE)
        except NotSeen as error:
            raise TookTooLong(f"The walkthrough waited {PATIENCE:g} seconds for {what}, in vain.") from error
        assert found is not None  # noqa: S101 - `until` returns what is truthy
        return found


def ticks(form: Json) -> tuple[Json, list[str]]:
    """Values that tick every host of a scope, and what each tick says."""
    values: Json = {}
    said: list[str] = []
    for block in form["blocks"]:
        if not block["block_id"].startswith(f"{Field.scope}."):
            continue
        options = block["element"]["options"]
        values[block["block_id"]] = [option["value"] for option in options]
        said += [option["text"]["text"] for option in options]
    return values, said


def _framed(text: str) -> str:
    inside = "\n".join(f"  ║ {line}".rstrip() for line in text.split("\n"))
    return f"{inside}\n"
