"""Buttons: on the root card, on a command's card, in lists and in windows."""

from __future__ import annotations

import re
from collections.abc import Mapping

from slack_bolt.async_app import AsyncApp

from bot import words
from bot.access import Wants
from bot.blocks.command import shown_whole
from bot.blocks.forms import edit_form, reject_form, whole_form
from bot.blocks.ids import Action, Ref, StaleButton, decode
from bot.listeners import asked as read
from bot.listeners.asked import Asked
from bot.listeners.conclusions import Conclusions
from bot.listeners.desk import Desk
from bot.listeners.front import Front, Listen
from bot.listeners.openings import Openings
from bot.listeners.talk import Talk
from bot.projection import standing_after
from bot.words import OnSession
from engine.errors import ActionRefused
from engine.events import Recorded
from engine.lifecycle import Input
from engine.views import Ask, CommandState, CommandView, SessionView

_CONTROLS: Mapping[Action, Input] = {
    Action.stop: Input.stop,
    Action.auto_on: Input.auto_on,
    Action.auto_off: Input.auto_off,
    Action.reopen: Input.reopen,
    Action.restart: Input.restart,
    Action.end: Input.end,
    Action.retry_turn: Input.retry_turn,
}
"""Buttons that ask one thing of a session and need nothing but who clicked."""

_ON_COMMAND: Mapping[Action, Input] = {
    Action.approve: Input.approve,
    Action.kill: Input.kill,
    Action.run_again: Input.run_again,
    Action.mark_not_run: Input.mark_not_run,
    Action.send_now: Input.set_aside,
}
"""Buttons that ask one thing about the very command that their card showed."""

_FORMS = {Action.edit: edit_form, Action.reject: reject_form, Action.open_whole: whole_form}


class Buttons:
    """Every click is checked anew: who, which channel, which session, and the very command shown."""

    def __init__(self, desk: Desk, talk: Talk, openings: Openings, conclusions: Conclusions) -> None:
        self._desk = desk
        self._talk = talk
        self._openings = openings
        self._conclusions = conclusions

    async def control(self, asked: Asked) -> None:
        """Stop, Auto-run, Reopen, Restart or End."""
        session, asked, by = await self._mine(asked, decode(asked.value))
        await self._desk.act(asked, session, Ask(given=_CONTROLS[Action(asked.action_id)], by=by))

    async def on_command(self, asked: Asked) -> None:
        """Approve, Kill, set aside and send now, and what to do about a command of unknown outcome."""
        ref = decode(asked.value)
        session, asked, by = await self._mine(asked, ref)
        command = await self.shown(session, ref)
        given = _ON_COMMAND[Action(asked.action_id)]
        if given is Input.approve and not shown_whole(command):
            # An older card may have the button; what a person has not read to its end is not approved.
            raise ActionRefused(
                f"C-{command.id} is too long to be shown whole here; open it whole to approve it."
            )
        await self._desk.act(asked, session, Ask(given=given, by=by, command_id=command.id))

    async def form(self, asked: Asked) -> None:
        """Edit, Reject or open the whole command: a form about the command that the card showed."""
        ref, action = decode(asked.value), Action(asked.action_id)
        session, asked, _ = await self._mine(asked, ref)
        command = await self.shown(session, ref)
        # A decided command may still be read, so that window opens whatever its state.
        if action is not Action.open_whole and command.state is not CommandState.proposed:
            raise ActionRefused(f"C-{command.id} is not waiting for a decision any more.")
        await self._desk.open_form(asked, _FORMS[action](command))

    async def conclude(self, asked: Asked) -> None:
        """Conclude, Conclude again, or as the agent recommends."""
        ref = decode(asked.value)
        session, asked, _ = await self._mine(asked, ref)
        await self._conclusions.open_recommended(asked, session, ref.event)

    async def retry(self, asked: Asked) -> None:
        """Retry, on a failure: go on from there, if that is still where the session is."""
        ref = decode(asked.value)
        session, asked, by = await self._mine(asked, ref)
        if ref.event is None or not await self._stands(session.id, ref.event):
            raise StaleButton
        await self._desk.act(asked, session, Ask(given=Input.carry_on, by=by))

    async def _stands(self, session_id: int, event: int) -> bool:
        standing: Recorded | None = None
        for recorded in await self._desk.retests.events(session_id, after=event - 1):
            standing = standing_after(recorded, standing)
        return standing is not None and standing.number == event

    async def retest(self, asked: Asked) -> None:
        """Retest, in a list of findings."""
        finding_id = decode(asked.value).finding_id
        if finding_id is None:
            raise StaleButton
        await self._openings.open(asked, finding_id)

    async def pick(self, asked: Asked) -> None:
        """A session was chosen for the words that the button carries."""
        value, _, text = asked.value.partition(" ")
        meant = words.parse(text)
        session, asked = await self._desk.session_at(asked, decode(value).session_id)
        # Every client can read a button's value, and so send another one.
        if not isinstance(meant, OnSession):
            raise StaleButton
        await self._talk.on(asked, session, meant, text)

    async def shown(self, session: SessionView, ref: Ref) -> CommandView:
        """The command that a button's card showed. Raises `StaleButton` when it is not that any more."""
        if ref.command_id is None:
            raise StaleButton
        command = await self._desk.retests.command(ref.command_id)
        # An approval counts for the very bytes that were on the card, and for nothing edited since.
        if command.session_id != session.id or not ref.shows(command):
            raise StaleButton
        return command

    async def _mine(self, asked: Asked, ref: Ref) -> tuple[SessionView, Asked, str]:
        session, asked = await self._desk.session_at(asked, ref.session_id)
        return session, asked, await self._desk.allow(asked, Wants.operate, session)


def register(app: AsyncApp, front: Front, buttons: Buttons) -> None:
    """Listen."""
    listeners: dict[Action, Listen] = {
        **dict.fromkeys(_CONTROLS, buttons.control),
        **dict.fromkeys(_ON_COMMAND, buttons.on_command),
        **dict.fromkeys(_FORMS, buttons.form),
        **dict.fromkeys((Action.conclude, Action.conclude_as, Action.conclude_again), buttons.conclude),
        Action.retry: buttons.retry,
        Action.retest: buttons.retest,
    }
    for action, listen in listeners.items():
        app.action(action.value)(front.click(listen, read.action))
    app.action(re.compile(rf"{Action.pick}\.\d+"))(front.click(buttons.pick, read.action))
