"""The line that says what a started bot is connected to."""

from __future__ import annotations

import asyncio

from bot.app import Bot
from bot.blocks.amounts import count
from bot.settings import Settings
from bot.wiring import database_file, model_choice
from engine.agent.models import RECORDED
from engine.errors import SandboxError

PATIENCE_SECONDS = 3.0
"""How long the line waits for an engine that hangs."""


async def connected(bot: Bot, settings: Settings) -> str:
    """Slack, model, Docker and database in one line. Holds no secret."""
    home = bot.home
    how = (
        "Socket Mode"
        if settings.transport == "socket"
        else f"HTTP on {settings.http_host}:{settings.http_port}"
    )
    parts = (
        f"{home.team_name} as @{home.name} ({how})",
        f"model {model_words(settings)}",
        await _docker(bot),
        f"database {database_file(settings.database_url) or 'in memory or on a server'}",
    )
    return f"Revalid is up: {'; '.join(parts)}."


def model_words(settings: Settings) -> str:
    """The model's name, or what is done without one."""
    name = model_choice(settings).name
    return "none, it replays recorded steps" if name == RECORDED else name


async def _docker(bot: Bot) -> str:
    try:
        async with asyncio.timeout(PATIENCE_SECONDS):
            kept = await bot.engine.sandboxes.list()
    # Without Docker the bot is still of use: threads can be read and sessions concluded.
    except (SandboxError, TimeoutError):
        return "Docker does not answer, so no session can start"
    return f"Docker with {count(len(kept), 'sandbox', 'sandboxes')}"
