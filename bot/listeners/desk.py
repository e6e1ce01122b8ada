"""What every listener does the same way: let a person in or not, find the session, act on it, answer."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from slack_sdk.web.async_client import AsyncWebClient
from slack_sdk.webhook.async_client import AsyncWebhookClient

from bot.access import Allowed, Ingress, Request, Wants, may
from bot.blocks import told
from bot.blocks.ids import decode
from bot.blocks.message import Json, Message
from bot.blocks.windows import notice_form
from bot.directory import Directory
from bot.listeners.asked import Asked
from bot.replies import Ignored, NotAllowed
from bot.store.places import Place
from engine.errors import ActionRefused, NotFound
from engine.lifecycle import TERMINAL, Input
from engine.retest import Retests
from engine.views import Answer, Ask, SessionView

# What the thread, the card or a new message shows by itself at once.
_SHOWN = frozenset(
    {
        Input.approve,
        Input.edit,
        Input.reject,
        Input.set_aside,
        Input.run_again,
        Input.mark_not_run,
        Input.auto_on,
        Input.auto_off,
        Input.conclude,
        Input.conclude_again,
        Input.reopen,
        Input.restart,
        Input.end,
        Input.operator_command,
        Input.carry_on,
        Input.retry_turn,
    }
)


class Threads(Protocol):
    """Which session is where; the publisher keeps it."""

    async def place(self, session_id: int, team: str, channel: str) -> Place:
        """Give a session its thread in a channel."""
        ...

    async def place_of(self, session_id: int) -> Place | None:
        """Where a session is."""
        ...

    async def session_at(self, team: str, channel: str, thread_ts: str) -> int | None:
        """The session of a thread."""
        ...

    async def shows(self, session_id: int, command_id: int) -> bool:
        """Whether a command's card is in its thread."""
        ...

    async def address(self, session_id: int) -> str:
        """The address of a session's thread; empty when there is none."""
        ...


@dataclass(frozen=True, kw_only=True)
class Home:
    """Who the bot is in its workspace."""

    team: str
    user: str
    """The bot's own user id."""
    team_name: str = ""
    name: str = ""
    """The bot's handle, without the @."""


@dataclass(frozen=True, kw_only=True)
class Desk:
    """The means of all listeners."""

    home: Home
    client: AsyncWebClient
    directory: Directory
    retests: Retests
    threads: Threads
    operators: frozenset[str]
    """Configured operators."""

    async def allow(self, asked: Asked, wants: Wants, session: SessionView | None = None) -> str:
        """The person's id for the engine. Raises `NotAllowed`, or `Ignored` for who gets no answer."""
        place = await self.directory.place(asked.channel) if asked.channel else None
        # The delivery is newer than what is remembered of the channel.
        if place is not None and asked.external:
            place = replace(place, external=True)
        answer = may(
            Request(
                ingress=asked.ingress,
                wants=wants,
                home=self.home.team,
                team=asked.team,
                user=asked.user,
                person=await self.directory.person(asked.user) if asked.user else None,
                place=place,
                direct=asked.channel.startswith("D"),
                configured=self.operators,
                operators=frozenset({session.operator, *session.others}) if session else frozenset(),
            )
        )
        if isinstance(answer, Allowed):
            return answer.by
        raise NotAllowed(answer.reason) if answer.reason else Ignored

    async def session_of_thread(self, asked: Asked) -> int | None:
        """The session in whose thread this happened."""
        if not asked.thread_ts:
            return None
        return await self.threads.session_at(self.home.team, asked.channel, asked.thread_ts)

    async def session_at(self, asked: Asked, session_id: int | None) -> tuple[SessionView, Asked]:
        """The session that a button or a form names, and the question as if asked in its thread.

        Raises `NotFound` when it does not belong to the channel of the click.
        """
        where = await self.threads.place_of(session_id) if session_id is not None else None
        # A session's number is easy to guess, so a click counts only where its thread is.
        if session_id is None or where is None or asked.channel not in ("", where.channel):
            raise NotFound("There is no such session in this channel; `sessions` lists them.")
        session = await self.retests.session(session_id)
        if not asked.channel:
            asked = replace(asked, channel=where.channel, thread_ts=where.thread_ts or "")
        return session, asked

    async def addresses(self, sessions: Sequence[SessionView]) -> dict[int, str]:
        """The addresses of the sessions' threads."""
        found = await asyncio.gather(*(self.threads.address(session.id) for session in sessions))
        return dict(zip((session.id for session in sessions), found, strict=True))

    async def located(self, asked: Asked) -> Asked:
        """A form that was sent, as if in the channel or the thread that its metadata names.

        Raises `StaleButton` for a form of another version, `NotFound` for a session that has no thread.
        """
        reference, _, channel = asked.value.rpartition(" ")
        if channel and channel[0] in "CGD":
            return replace(asked, channel=channel)
        _, asked = await self.session_at(asked, decode(reference or channel).session_id)
        return asked

    async def act(self, asked: Asked, session: SessionView, ask: Ask) -> Answer:
        """Ask the engine, and tell the person unless the thread shows it: nothing is silent."""
        await self._only_what_is_shown(session, ask)
        answer = await self.ask(asked, session.id, ask)
        # Whoever asked with words, or away from the thread, cannot see there what came of it.
        spoken = asked.whispered or asked.view_id or asked.ingress in (Ingress.command, Ingress.mention)
        if not answer.done:
            await self.refused(asked, answer)
        elif spoken or ask.given not in _SHOWN:
            await self.say(asked, answer.sentence)
        return answer

    async def ask(self, asked: Asked, session_id: int, ask: Ask) -> Answer:
        """Ask the engine, once for each delivery, however often it is dispatched."""
        # One delivery may ask two things, such as to open a session and to start it.
        key = f"{asked.key} {ask.given}" if asked.key else ""
        return await self.retests.ask(session_id, replace(ask, key=key))

    async def _only_what_is_shown(self, session: SessionView, ask: Ask) -> None:
        """A click comes from a card; but Auto-run approves what waits, and can be turned on with words."""
        waiting = session.waiting
        if ask.given is not Input.auto_on or waiting is None:
            return
        if not await self.threads.shows(session.id, waiting.id):
            raise ActionRefused(
                f"C-{waiting.id} waits, and Slack has not shown it yet; try again when you have seen it."
            )

    async def refused(self, asked: Asked, answer: Answer) -> None:
        """Tell why something was not done, and once the session is over how to go on."""
        if answer.session.state in TERMINAL and not asked.view_id:
            await self.tell(asked, told.session_over(answer.sentence, answer.session))
        else:
            await self.say(asked, answer.sentence)

    async def say(self, asked: Asked, words: str) -> None:
        """Tell the person a sentence."""
        if asked.view_id:
            await self.client.views_update(view_id=asked.view_id, view=notice_form("Revalid", words))
        else:
            await self.tell(asked, told.sentence(words))

    async def tell(self, asked: Asked, message: Message) -> None:
        """Show the person a message that nobody else sees, where they asked."""
        # Only this address can replace a whisper, but what it posts anew would land outside of a thread.
        if asked.response_url and (asked.whispered or not asked.thread_ts):
            hook = AsyncWebhookClient(asked.response_url, session=self.client.session)
            await hook.send(
                text=message.text,
                blocks=message.blocks,
                response_type="ephemeral",
                replace_original=asked.whispered,
            )
            return
        await self.client.chat_postEphemeral(
            channel=asked.channel,
            user=str(asked.user),
            thread_ts=asked.thread_ts or None,
            text=message.text,
            blocks=message.blocks,
        )

    async def open_form(self, asked: Asked, view: Json) -> str:
        """Open a window; its id."""
        opened = await self.client.views_open(trigger_id=asked.trigger_id, view=view)
        return str(opened["view"]["id"])
