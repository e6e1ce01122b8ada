"""Conclude: the form with what is missing, and what comes of it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

from bot.access import Wants
from bot.blocks.answers import conclude_answer
from bot.blocks.forms import conclude_form
from bot.blocks.ids import Field, decode
from bot.blocks.message import Json
from bot.listeners.asked import Asked
from bot.listeners.desk import Desk
from bot.listeners.front import FieldError
from engine.events import DeterminationRecommended
from engine.lifecycle import Input
from engine.views import Ask, SessionView, Status

_MISSING_SECONDS = 1.0
"""What is missing is read from kept outputs; a form without it is better than a form that comes too late."""


class Conclusions:
    """Verdicts of operators."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def open(
        self,
        asked: Asked,
        session: SessionView,
        *,
        status: Status | None = None,
        rationale: str = "",
        exhibits: Sequence[int] = (),
    ) -> None:
        """Show the form."""
        # All of this has to be read before the window opens, in the three seconds that Slack waits.
        commands = await self._desk.retests.commands(session.id)
        view = conclude_form(
            session,
            commands,
            await self._missing(session.id),
            status=status,
            rationale=rationale,
            exhibits=exhibits,
        )
        await self._desk.open_form(asked, view)

    async def open_recommended(self, asked: Asked, session: SessionView, event: int | None) -> None:
        """Show the form filled in as the agent recommended in that event."""
        recorded = (
            await self._desk.retests.events(session.id, after=event - 1, limit=1) if event is not None else ()
        )
        recommended = recorded[0].event if recorded else None
        # The value is the client's word; an empty form is right whatever it names.
        if not isinstance(recommended, DeterminationRecommended):
            await self.open(asked, session)
            return
        await self.open(
            asked,
            session,
            status=recommended.status,
            rationale=recommended.rationale,
            exhibits=(*recommended.evidence, *recommended.control),
        )

    async def sent(self, asked: Asked) -> Json | None:
        """Record what the form says."""
        view = asked.body["view"]
        session, asked = await self._desk.session_at(asked, decode(asked.value).session_id)
        by = await self._desk.allow(asked, Wants.operate, session)
        filled = conclude_answer(view)
        # By how things stand now: somebody may have concluded while the form was open.
        again = session.verdict is not None
        answer = await self._desk.ask(
            asked,
            session.id,
            Ask(
                given=Input.conclude_again if again else Input.conclude,
                by=by,
                status=filled.status,
                text=filled.rationale,
                exhibits=filled.exhibits,
            ),
        )
        if not answer.done:
            raise FieldError(Field.status, answer.sentence)
        return None

    async def _missing(self, session_id: int) -> Mapping[Status, Sequence[str]]:
        kinds: tuple[Status, ...] = ("fixed", "still_open")
        try:
            async with asyncio.timeout(_MISSING_SECONDS):
                return {status: await self._desk.retests.missing(session_id, status) for status in kinds}
        except TimeoutError:
            return {}
