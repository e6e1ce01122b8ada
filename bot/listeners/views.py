"""Forms that were sent."""

from __future__ import annotations

from collections.abc import Mapping

from slack_bolt.async_app import AsyncApp

from bot.access import Wants
from bot.blocks.answers import text
from bot.blocks.ids import Callback, Field, decode
from bot.blocks.message import Json
from bot.listeners.actions import Buttons
from bot.listeners.asked import Asked
from bot.listeners.conclusions import Conclusions
from bot.listeners.desk import Desk
from bot.listeners.front import FieldError, Front, ListenToForm
from bot.listeners.imports import Imports
from bot.listeners.openings import Openings
from engine.lifecycle import Input
from engine.views import Ask


class CommandForms:
    """Edit, Reject, and Approve from the window that shows a command whole."""

    def __init__(self, desk: Desk, buttons: Buttons) -> None:
        self._desk = desk
        self._buttons = buttons

    async def reject(self, asked: Asked) -> Json | None:
        """Turn the command down, with the reason that the agent reads."""
        return await self._decide(asked, Input.reject, words=text(_values(asked), Field.reason).strip())

    async def edit(self, asked: Asked) -> Json | None:
        """Approve the command as it was edited."""
        values = _values(asked)
        seconds = text(values, Field.timeout)
        # Slack's own check is the client's, which a made-up delivery does not pass through.
        if not seconds.isdecimal():
            raise FieldError(Field.timeout, "The time limit is a number of seconds.")
        return await self._decide(
            asked, Input.edit, words=text(values, Field.command), seconds=int(seconds), field=Field.command
        )

    async def approve(self, asked: Asked) -> Json | None:
        """Approve the command that was read to its end."""
        return await self._decide(asked, Input.approve)

    async def _decide(
        self,
        asked: Asked,
        given: Input,
        *,
        words: str = "",
        seconds: int | None = None,
        field: Field = Field.reason,
    ) -> Json | None:
        ref = decode(asked.value)
        session, asked = await self._desk.session_at(asked, ref.session_id)
        by = await self._desk.allow(asked, Wants.operate, session)
        # Somebody else may have decided, or edited it, while the form was open.
        command = await self._buttons.shown(session, ref)
        answer = await self._desk.ask(
            asked,
            session.id,
            Ask(given=given, by=by, command_id=command.id, text=words, timeout_seconds=seconds),
        )
        if not answer.done:
            raise FieldError(field, answer.sentence)
        return None


def _values(asked: Asked) -> Mapping[str, Mapping[str, Json]]:
    values: Mapping[str, Mapping[str, Json]] = asked.body["view"]["state"]["values"]
    return values


def register(
    app: AsyncApp,
    front: Front,
    *,
    openings: Openings,
    imports: Imports,
    conclusions: Conclusions,
    decisions: CommandForms,
) -> None:
    """Listen."""
    listeners: dict[Callback, ListenToForm] = {
        Callback.retest: openings.sent,
        Callback.import_findings: imports.sent,
        Callback.conclude: conclusions.sent,
        Callback.conclude_again: conclusions.sent,
        Callback.reject: decisions.reject,
        Callback.edit: decisions.edit,
        Callback.whole: decisions.approve,
    }
    for callback, listen in listeners.items():
        app.view(callback.value)(front.form(listen))
