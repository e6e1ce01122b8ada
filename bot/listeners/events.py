"""Messages in threads, and mentions."""

from __future__ import annotations

from dataclasses import replace

from slack_bolt.async_app import AsyncApp

from bot import typed, words
from bot.access import Ingress, Wants
from bot.blocks.said import message_queued
from bot.delivery import AFTERTHOUGHTS, written_in
from bot.listeners.asked import Asked
from bot.listeners.desk import Desk
from bot.listeners.front import Front
from bot.listeners.talk import Talk
from bot.replies import Ignored, NotAllowed
from bot.store.spoken import Said, Spoken
from engine.lifecycle import TERMINAL, Input, State
from engine.views import Answer, Ask, SessionView


class Messages:
    """What people write. A reply in a session's thread is for its agent, whatever it says."""

    def __init__(self, desk: Desk, talk: Talk, spoken: Spoken) -> None:
        self._desk = desk
        self._spoken = spoken
        self._talk = talk
        self._told: set[tuple[int, str | None]] = set()

    async def hear(self, asked: Asked) -> None:
        """Take a message, or a mention of the bot; of the same message only one of them gets here."""
        event = asked.body["event"]
        if event.get("subtype") in AFTERTHOUGHTS:
            await self._think_again(asked)
            return
        text = str(event.get("text") or "")
        mentioned = typed.mentions(text, self._desk.home.user)
        said = typed.plain(typed.without_mention(text, self._desk.home.user))
        session_id = await self._desk.session_of_thread(asked)
        # A mention with other words, in a session's thread, is a message to the agent like any reply.
        if mentioned and (session_id is None or not said or words.is_command(said)):
            # In a thread the mention may have come under its other name, as a message.
            await self._talk.hear(replace(asked, ingress=Ingress.mention), said, session_id)
        elif session_id is not None:
            session = await self._desk.retests.session(session_id)
            await self._reply(asked, session, text, said)

    async def _reply(self, asked: Asked, session: SessionView, text: str, said: str) -> None:
        try:
            by = await self._desk.allow(asked, Wants.operate, session)
        except NotAllowed as refusal:
            self._tell_once(asked, session, refusal)
            raise
        if text.lstrip().startswith("!"):
            # From the blocks where there are any: they keep code to the letter, where the text does not.
            command = words.sandbox_command(typed.command(text, asked.body["event"].get("blocks") or ()))
            if command is not None:
                ask = Ask(given=Input.operator_command, by=by, text=command)
                await self._desk.act(asked, session, ask)
                return
        await self._pass_on(asked, session, by, said)

    async def _pass_on(self, asked: Asked, session: SessionView, by: str, said: str) -> None:
        if asked.body["event"].get("files"):
            await self._desk.say(asked, "The agent does not see files; put what matters into words.")
            if not said:
                return
        ask = Ask(given=Input.message, by=by, text=said)
        answer = await self._desk.ask(asked, session.id, ask)
        if answer.message_id is not None:
            said_there = Said(session_id=session.id, message_id=answer.message_id)
            # Slack tells of an edit by the message's time only.
            await self._spoken.remember(asked.channel, asked.ts, said_there)
        await self._acknowledge(asked, session, answer)

    async def _think_again(self, asked: Asked) -> None:
        """Change or withdraw what still waits. Else the thread shows what was read."""
        kept = await self._spoken.of(asked.channel, asked.ts)
        if kept is None:
            return
        session = await self._desk.retests.session(kept.session_id)
        try:
            by = await self._desk.allow(asked, Wants.operate, session)
        except NotAllowed as refusal:
            # They were told when they wrote it.
            raise Ignored from refusal
        event = asked.body["event"]
        text = str(written_in(event).get("text") or "")
        deleted = event["subtype"] == "message_deleted"
        ask = Ask(
            given=Input.withdraw_message if deleted else Input.edit_message,
            by=by,
            text=typed.plain(typed.without_mention(text, self._desk.home.user)),
            message_id=kept.message_id,
        )
        await self._desk.ask(asked, session.id, ask)

    async def _acknowledge(self, asked: Asked, before: SessionView, answer: Answer) -> None:
        """Say what became of the message where the thread does not show it."""
        after = answer.session
        if not answer.done or after.state in TERMINAL:
            await self._desk.refused(asked, answer)
        elif after.state is State.awaiting_command:
            await self._desk.tell(asked, message_queued(after.waiting))
        # Else the agent starts at once, and the thread shows that.
        elif before.state is State.working:
            await self._desk.tell(asked, message_queued(None))

    def _tell_once(self, asked: Asked, session: SessionView, refusal: NotAllowed) -> None:
        """Others may talk in the thread among themselves: one hint is help, a hint for each line is noise.

        Raises `Ignored` from the second on.
        """
        seen = (session.id, asked.user)
        if seen in self._told:
            raise Ignored from refusal
        self._told.add(seen)


def register(app: AsyncApp, front: Front, messages: Messages) -> None:
    """Listen."""
    app.event("app_mention")(front.event(messages.hear))
    app.event("message")(front.event(messages.hear))
