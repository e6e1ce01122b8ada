"""The entry in every message's menu: act on the session of that thread."""

from __future__ import annotations

from slack_bolt.async_app import AsyncApp

from bot.access import Wants
from bot.blocks.ids import Callback
from bot.blocks.windows import actions_form
from bot.listeners import asked as read
from bot.listeners.asked import Asked
from bot.listeners.desk import Desk
from bot.listeners.front import Front
from engine.errors import NotFound


def register(app: AsyncApp, front: Front, desk: Desk) -> None:
    """Listen."""

    async def show(asked: Asked) -> None:
        session_id = await desk.session_of_thread(asked)
        if session_id is None:
            raise NotFound("This message is in no session's thread; `sessions` lists them.")
        session = await desk.retests.session(session_id)
        # Before the window: who may not operate should not be shown the controls.
        await desk.allow(asked, Wants.operate, session)
        await desk.open_form(asked, actions_form(session))

    app.shortcut(Callback.session_actions.value)(front.click(show, read.shortcut))
