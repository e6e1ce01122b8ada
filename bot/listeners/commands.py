"""`/revalid …` in a channel."""

from __future__ import annotations

from slack_bolt.async_app import AsyncApp

from bot import typed
from bot.listeners import asked as read
from bot.listeners.asked import Asked
from bot.listeners.front import Front
from bot.listeners.talk import Talk


def register(app: AsyncApp, front: Front, talk: Talk) -> None:
    """Listen."""

    async def hear(asked: Asked) -> None:
        await talk.hear(asked, typed.plain(asked.value))

    app.command("/revalid")(front.click(hear, read.command))
