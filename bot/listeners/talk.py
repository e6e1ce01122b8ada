"""What `/revalid …` and `@revalid …` ask for, done."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bot import words
from bot.access import Wants
from bot.blocks.lists import findings_list, help_message, session_picker, sessions_list
from bot.listeners.asked import Asked
from bot.listeners.conclusions import Conclusions
from bot.listeners.desk import Desk
from bot.listeners.imports import Imports
from bot.listeners.openings import Openings
from bot.words import Findings, Help, Import, OnSession, Retest, Sessions, Words
from engine.errors import NotFound
from engine.lifecycle import Input
from engine.views import Ask, SessionView

_LISTED = 21
"""One more than a list shows, so that it can say that there are more."""
_LONGEST_WORDS = 1800


class Talk:
    """Answers words, wherever they were typed."""

    def __init__(self, desk: Desk, openings: Openings, imports: Imports, conclusions: Conclusions) -> None:
        self._desk = desk
        self._openings = openings
        self._imports = imports
        self._conclusions = conclusions

    async def hear(self, asked: Asked, text: str, thread_session: int | None = None) -> None:
        """Do what the words say; a session that they do not name is the thread's, or the only one it can be.

        Raises `WordsError` for words that are none.
        """
        meant: Words = words.parse(text)
        match meant:
            case OnSession():
                # What is named goes before where it was said.
                named = meant.session_id if meant.session_id is not None else thread_session
                await self._on_session(asked, text, replace(meant, session_id=named))
            case Import():
                await (self._imports.open if asked.trigger_id else self._imports.mentioned)(asked)
            case Retest(finding_id=finding_id):
                await self._retest(asked, finding_id)
            case Help() | Findings() | Sessions():
                await self._desk.allow(asked, Wants.look)
                await self._list(asked, meant)

    async def _list(self, asked: Asked, meant: Help | Findings | Sessions) -> None:
        match meant:
            case Help():
                message = help_message(words.USAGE)
            case Findings(text=text):
                found = await self._desk.retests.findings(text, limit=_LISTED)
                message = findings_list(found, text=text)
            case Sessions():
                live = await self._desk.retests.sessions(live=True)
                message = sessions_list(live, await self._desk.addresses(live))
        await self._desk.tell(asked, message)

    async def _retest(self, asked: Asked, finding_id: int) -> None:
        if asked.trigger_id:
            await self._openings.open(asked, finding_id)
            return
        # Slack opens forms for clicks and slash commands only, so a mention gets a button.
        await self._desk.allow(asked, Wants.open)
        found = await self._desk.retests.finding(finding_id)
        await self._desk.tell(asked, findings_list([found]))

    async def _on_session(self, asked: Asked, text: str, meant: OnSession) -> None:
        if meant.session_id is not None:
            await self.on(asked, await self._desk.retests.session(meant.session_id), meant, text)
            return
        by = await self._desk.allow(asked, Wants.look)
        mine = [
            session
            for session in await self._desk.retests.sessions(live=True)
            # Never a session of somebody else by guess, even if it is the only one.
            if by in (session.operator, *session.others) and await self._is_here(asked, session)
        ]
        if not mine:
            raise NotFound("You operate no live session in this channel; `sessions` lists what there is.")
        if len(mine) == 1:
            await self.on(asked, mine[0], meant, text)
            return
        await self._ask_which(asked, mine, meant, text)

    async def on(self, asked: Asked, session: SessionView, meant: OnSession, text: str) -> None:
        """Act on the session that was meant."""
        by = await self._desk.allow(asked, Wants.operate, session)
        if meant.given is Input.conclude and meant.status is None:
            # Without it there is no form to ask for the verdict; the button that is given instead brings one.
            if asked.trigger_id:
                await self._conclusions.open(asked, session)
            else:
                await self._ask_which(asked, [session], meant, text)
            return
        ask = Ask(given=meant.given, by=by, status=meant.status, text=meant.text)
        await self._desk.act(asked, session, ask)

    async def _is_here(self, asked: Asked, session: SessionView) -> bool:
        where = await self._desk.threads.place_of(session.id)
        return where is not None and where.channel == asked.channel

    async def _ask_which(
        self, asked: Asked, sessions: Sequence[SessionView], meant: OnSession, text: str
    ) -> None:
        links = await self._desk.addresses(sessions)
        # A button's value holds 2,000 characters.
        picker = session_picker(sessions, meant.given, links, words=text[:_LONGEST_WORDS])
        await self._desk.tell(asked, picker)
