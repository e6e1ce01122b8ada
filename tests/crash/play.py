"""One guided retest as a person drives it who goes on whatever happens to the bot."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Any, TypeVar

from bot.blocks.ids import Action, Callback, Field
from bot.blocks.opening import START_NOW
from bot.practice import CHANNEL
from bot.walkthrough.stage import ticks
from bot.workspace.client import Person, Workspace, render_text
from bot.workspace.clock import ManualClock
from bot.workspace.model import Json
from tests.crash.process import Serving

PATIENCE = 60.0
NOT_ACKNOWLEDGED, SENT_AGAIN = 4.0, 61.0
"""Seconds after which Slack gives up waiting, and after which it delivers an event once more."""
WAITS, UNKNOWN, RECOMMENDS = "waits for your decision", "[Run again]", "I recommend"
SAID = (RECOMMENDS, "I would try this next")


class Again(Enum):
    """What a person does once more after a crash."""

    if_lost = "what did not arrive"
    always = "what has nothing to show for it"
    never = "what is in Slack already"


T = TypeVar("T")
Look = Callable[[], Awaitable[Json | None]]
Act = Callable[[], Awaitable[Any]]


@dataclass
class Play:
    """The person looks before acting again: only what did not arrive is done twice."""

    serving: Serving
    workspace: Workspace
    alice: Person
    clock: ManualClock
    folder: Path
    root: Json = field(default_factory=dict)
    written: list[str] = field(default_factory=list)
    resolved: list[str] = field(default_factory=list)
    """What became of the commands that the crash hit."""

    async def retest(self) -> None:
        """Open, approve and go on until the agent recommends, conclude."""
        await self.step(lambda: self.slash("retest F-1"), self._form, Again.always)
        await self.step(self._submit, lambda: self._in_channel("Retest R-1"))
        self.root = await self.seen(lambda: self._in_channel("Retest R-1"))
        card = await self.seen(lambda: self.reply(WAITS))
        while RECOMMENDS not in self.text(await self.approved(card)):
            card = await self.write("go on", self._next(card))
        await self.conclude()

    async def conclude(self) -> None:
        """Say what it is and see it on record."""
        words = "conclude still_open the listing is there"
        await self.step(lambda: self.slash(words), lambda: self.reply("Verdict: still open"))
        await self.seen(lambda: self._in_channel("F-1 is still open"))

    async def approved(self, card: Json) -> Json:
        """Approve a command, and decide about it if the crash hit it; what the agent says to the result."""
        ended = await self.step(lambda: self.alice.click(card, Action.approve), lambda: self._ended(card))
        if UNKNOWN in self.text(ended):
            self.resolved.append("unknown")
            return await self.step(
                lambda: self.alice.click(ended, Action.run_again), lambda: self._said(card)
            )
        return ended

    async def write(self, words: str, look: Look) -> Json:
        """A message is in Slack once it is sent, so nobody sends it again."""
        self.written.append(words)
        return await self.step(lambda: self.alice.reply(self.root, words), look, Again.never)

    async def slash(self, words: str) -> Any:
        return await self.alice.slash(CHANNEL, "/revalid", words)

    async def step(self, act: Act, look: Look, again: Again = Again.if_lost) -> Json:
        """Do something and see what comes of it."""
        arrived = self._arrived()
        doing = asyncio.create_task(act())
        found = await self._unless_dead(self.workspace.until(look, timeout=PATIENCE))
        if found is None:
            await self._revive()
            await asyncio.gather(doing, return_exceptions=True)
            lost = again is Again.if_lost and self._arrived() == arrived
            if again is Again.always or lost:
                doing = asyncio.create_task(act())
            found = await self.seen(look)
        await doing
        return found

    async def seen(self, look: Look) -> Json:
        """Wait for something to be there, starting the bot again if it dies."""
        return await self.survived(lambda: self.workspace.until(look, timeout=PATIENCE))

    async def survived(self, wait: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Wait for something that needs the bot, starting it again if it dies."""
        found = await self._unless_dead(wait())
        if found is None:
            await self._revive()
            found = await self._unless_dead(wait())
        assert found is not None, "it died twice"
        return found

    async def _unless_dead(self, wait: Coroutine[Any, Any, T]) -> T | None:
        looking = asyncio.create_task(wait)
        death = asyncio.create_task(self.serving.dies())
        try:
            await asyncio.wait({looking, death}, return_when=asyncio.FIRST_COMPLETED)
            return None if death.done() and death.result() is None else looking.result()
        finally:
            looking.cancel()
            death.cancel()
            await asyncio.gather(looking, death, return_exceptions=True)

    async def _revive(self) -> None:
        self.clock.advance(NOT_ACKNOWLEDGED)
        await self.serving.start()
        self.clock.advance(SENT_AGAIN)

    def _arrived(self) -> int:
        """How many deliveries the bot has written down."""
        with sqlite3.connect(self.folder / "revalid.db") as db:
            return int(db.execute("select count(*) from inbox").fetchone()[0])

    def text(self, message: Json) -> str:
        return render_text(message, self.workspace.names)

    async def _form(self) -> Json | None:
        views = await self.workspace.views(self.alice)
        return views[-1] if views and views[-1]["callback_id"] == Callback.retest else None

    async def _submit(self) -> Json:
        form = await self.seen(self._form)
        values, _ = ticks(form)
        return await self.alice.submit(form, {**values, Field.start: START_NOW})

    async def _in_channel(self, words: str) -> Json | None:
        found = await self.workspace.messages(CHANNEL)
        message = next((m for m in reversed(found) if words in self.text(m)), None)
        return {**message, "channel": CHANNEL} if message else None

    async def replies(self) -> list[Json]:
        thread = await self.workspace.thread(CHANNEL, self.root["ts"])
        return [{**message, "channel": CHANNEL} for message in thread[1:]]

    async def reply(self, words: str) -> Json | None:
        return next((m for m in reversed(await self.replies()) if words in self.text(m)), None)

    def _next(self, card: Json) -> Look:
        """A proposal that is younger than a card."""

        async def look() -> Json | None:
            found = await self.reply(WAITS)
            return found if found and float(found["ts"]) > float(card["ts"]) else None

        return look

    async def _ended(self, card: Json) -> Json | None:
        """What the agent says after a command, or the command's card when the crash has hit it."""
        shown = next(message for message in await self.replies() if message["ts"] == card["ts"])
        return shown if UNKNOWN in self.text(shown) else await self._said(card)

    async def _said(self, card: Json) -> Json | None:
        later = [m for m in await self.replies() if float(m["ts"]) > float(card["ts"])]
        return next((m for m in later if any(words in self.text(m) for words in SAID)), None)
