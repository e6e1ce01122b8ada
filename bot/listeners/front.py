"""Between Bolt and the listeners: acknowledge in time, answer every error, mark the delivery done."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import replace
from typing import Any

import structlog
from slack_bolt.context.ack.async_ack import AsyncAck
from slack_bolt.context.async_context import AsyncBoltContext

from bot.blocks.message import Json
from bot.blocks.windows import notice_form
from bot.inbox import KEY, Inbox
from bot.listeners import asked as read
from bot.listeners.asked import Asked
from bot.listeners.desk import Desk
from bot.replies import reply_to
from bot.running import Running
from bot.turns import Turns
from engine.errors import RevalidError
from engine.faults import reach

MESSAGES_AT_ONCE = 4
"""Messages taken at a time, so that a flood of them does not keep the inbox from the database."""
FORM_SECONDS = 2.0
"""How long a form that was sent stays open for its answer; Slack gives up after three seconds."""

log = structlog.get_logger(__name__)

Listen = Callable[[Asked], Awaitable[None]]
ListenToForm = Callable[[Asked], Coroutine[Any, Any, Json | None]]
"""Gives what Slack does with the form: None closes it, else a `response_action`."""
Bolt = Callable[..., Awaitable[None]]


class FieldError(RevalidError):
    """This entry of the form cannot be used."""

    def __init__(self, field: str, sentence: str) -> None:
        super().__init__(sentence)
        self.field = field


class Front:
    """Turns our listeners into Bolt's."""

    def __init__(self, desk: Desk, inbox: Inbox, running: Running, turns: Turns) -> None:
        self._desk = desk
        self._inbox = inbox
        self._running = running
        self._turns = turns
        self._messages = asyncio.Semaphore(MESSAGES_AT_ONCE)

    def event(self, listen: Listen) -> Bolt:
        """For messages and mentions, which Bolt acknowledges by itself."""

        async def in_turn(asked: Asked) -> None:
            thread = (asked.channel, asked.thread_ts or asked.ts)
            # The turn first: whoever waits for theirs must not take one of the few places.
            async with self._turns.turn(thread, asked.ts), self._messages:
                await listen(asked)

        async def take(body: Json, context: AsyncBoltContext) -> None:
            self._start(in_turn, read.message(body, context.actor_team_id), context)

        return take

    def click(self, listen: Listen, reading: Callable[[Json], Asked]) -> Bolt:
        """For commands, buttons and shortcuts: acknowledged before anything is done."""

        async def take(ack: AsyncAck, body: Json, context: AsyncBoltContext) -> None:
            # First of all: commands and clicks are never delivered again, and their person sees an error.
            await ack()
            reach("acknowledged")
            self._start(listen, reading(body), context)

        return take

    def form(self, listen: ListenToForm) -> Bolt:
        """For forms: what is wrong is said in the form; a slow answer comes after it has closed."""

        async def take(ack: AsyncAck, body: Json, context: AsyncBoltContext) -> None:
            asked = replace(read.view(body), key=context.get(KEY, ""))
            # A task of its own, which goes on when its answer is too late for the form.
            work = self._running.start(self._answer_form(listen, asked))
            done, _ = await asyncio.wait({work}, timeout=FORM_SECONDS)
            if not done:
                await ack()
                self._running.start(self._answer_late(asked, work))
                return
            answer = work.result()
            await ack(answer) if answer else await ack()

        return take

    def _start(self, listen: Listen, asked: Asked, context: AsyncBoltContext) -> None:
        # Bolt keeps no reference to its tasks, and closing does not wait for them.
        self._running.start(self._serve(listen, replace(asked, key=context.get(KEY, ""))))

    async def _serve(self, listen: Listen, asked: Asked) -> None:
        try:
            reach("listener began")
            await listen(asked)
        except Exception as error:
            # The person has to hear of it, whatever it is.
            await self._told(asked, error)
        reach("listener ended")
        if asked.key:
            # Also after an error: it has been told, and the next start would only repeat it.
            self._inbox.done(asked.key)

    async def _told(self, asked: Asked, error: Exception) -> None:
        reply = reply_to(error)
        if not reply.sentence:
            return
        log.info("told", ingress=asked.ingress.value, sentence=reply.sentence, weight=reply.level)
        try:
            await self._desk.say(asked, reply.sentence)
        except Exception as second:
            log.warning("could not tell", sentence=reply.sentence, error=repr(second))

    async def _answer_form(self, listen: ListenToForm, asked: Asked) -> Json | None:
        try:
            answer = await listen(await self._desk.located(asked))
        except Exception as error:
            answer = _in_form(asked, error)
        reach("listener ended")
        if asked.key:
            self._inbox.done(asked.key)
        return answer

    async def _answer_late(self, asked: Asked, work: asyncio.Task[Json | None]) -> None:
        """The form is gone; what it should have shown goes to the person in the thread."""
        answer = await work
        words = " ".join((answer or {}).get("errors", {}).values())
        if words:
            await self._told(await self._desk.located(asked), RevalidError(words))


def _in_form(asked: Asked, error: Exception) -> Json:
    """Beside the entry that it is about, else the first one; in place of a form without entries."""
    reply = reply_to(error)
    words = reply.sentence or "Nothing was done."
    inputs = [block["block_id"] for block in asked.body["view"]["blocks"] if block.get("type") == "input"]
    if not inputs:
        return {"response_action": "update", "view": notice_form("Revalid", words)}
    # Slack takes no error without an entry, nor for one that the form does not have.
    wanted = error.field if isinstance(error, FieldError) else inputs[0]
    return {"response_action": "errors", "errors": {wanted if wanted in inputs else inputs[0]: words}}
