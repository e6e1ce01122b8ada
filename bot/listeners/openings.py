"""Opening a retest: the form with goal and scope, and the session that comes of it."""

from __future__ import annotations

import asyncio
from typing import Any

import structlog
from slack_sdk.errors import SlackApiError

from bot.access import Wants
from bot.blocks.answers import RetestAnswer, retest_answer
from bot.blocks.ids import Field
from bot.blocks.message import Json
from bot.blocks.opening import retest_form
from bot.blocks.windows import notice_form, waiting_form
from bot.listeners.asked import Asked
from bot.listeners.desk import Desk
from bot.listeners.front import FieldError
from bot.replies import NotAllowed, reply_to
from engine.dangers import Danger
from engine.errors import RevalidError, ScopeError
from engine.lifecycle import Input
from engine.scope import DangerousTarget, Scope, add, parse_target
from engine.views import Ask

_GOAL_SECONDS = 20.0
"""A model that drafts no goal in this time leaves it to the operator."""

log = structlog.get_logger(__name__)


class Openings:
    """New sessions."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def open(self, asked: Asked, finding_id: int) -> None:
        """Show the form. Slack waits three seconds for a window; a model may take longer."""
        await self._desk.allow(asked, Wants.open)
        # A form could be filled in anywhere, and only then the card could not be posted.
        await self._member(asked)
        finding = await self._desk.retests.finding(finding_id)
        title = f"Retest F-{finding_id}"
        # Opened before anything slow, as the permission to open it lasts three seconds.
        window = await self._desk.open_form(asked, waiting_form(title, "Looking at scope and goal …"))
        try:
            proposed, goal = await asyncio.gather(
                self._desk.retests.proposed_scope(finding_id), self._goal(finding_id)
            )
            view = retest_form(finding, goal, proposed, channel=asked.channel)
        except RevalidError as error:
            view = notice_form(title, reply_to(error).sentence)
        await self._fill(window, view)

    async def sent(self, asked: Asked) -> Json | None:
        """Open the session in its own thread, and start it when that was chosen."""
        filled = retest_answer(asked.body["view"])
        by = await self._desk.allow(asked, Wants.open)
        await self._member(asked)
        if filled.offered and not filled.ticked and not filled.typed:
            raise FieldError(f"{Field.scope}.0", "Tick what the sandbox may reach, or add a target below.")
        try:
            session = await self._desk.retests.open(
                finding_id=filled.finding_id, by=by, goal=filled.goal, scope=_scope(filled), key=asked.key
            )
        except DangerousTarget as error:
            raise FieldError(Field.more_scope_yes, error.sentence) from error
        except ScopeError as error:
            raise FieldError(Field.more_scope, error.sentence) from error
        # The card first, so that nothing the start brings about has to wait for its thread.
        await self._desk.threads.place(session.id, self._desk.home.team, asked.channel)
        if filled.start:
            await self._desk.ask(asked, session.id, Ask(given=Input.start, by=by))
        return None

    async def _member(self, asked: Asked) -> None:
        place = await self._desk.directory.place(asked.channel)
        if place is not None and not place.member:
            raise NotAllowed("Revalid is not in this channel; type `/invite @revalid` and try again.")

    async def _goal(self, finding_id: int) -> tuple[str, ...]:
        try:
            async with asyncio.timeout(_GOAL_SECONDS):
                return await self._desk.retests.draft_goal(finding_id)
        except (TimeoutError, RevalidError) as error:
            # The form is no worse without a draft: the operator writes the goal anyway.
            log.warning("no goal drafted", finding=finding_id, error=repr(error))
            return ()

    async def _fill(self, window: str, view: dict[str, Any]) -> None:
        try:
            await self._desk.client.views_update(view_id=window, view=view)
        except SlackApiError as error:
            # Whoever closed the window while it was loading wants no form.
            if error.response.get("error") != "not_found":
                raise


def _scope(filled: RetestAnswer) -> Scope:
    scope = Scope()
    for target in filled.ticked:
        scope = add(scope, target)
    for line in filled.typed:
        target = parse_target(line)
        if filled.typed_authorised:
            # The yes is given to the line as typed, before anybody knows what a name in it resolves to.
            target = target.model_copy(update={"accepted": frozenset(Danger)})
        scope = add(scope, target)
    return scope
