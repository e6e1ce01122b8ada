"""`revalid serve`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bot.settings import Settings


def serve() -> None:
    """Run the bot until it is told to stop.

    Ctrl+C or a TERM signal stops it. Sessions and running commands go on at the next start.
    """
    import asyncio

    from bot import logs
    from bot.settings import load_settings

    settings = load_settings()
    logs.configure(settings.log_level)
    asyncio.run(_serve(settings))


async def _serve(settings: Settings) -> None:
    from bot.app import Bot
    from bot.cli.terminal import one_line, tell
    from bot.connected import connected
    from bot.signals import until_stopped

    bot = Bot(settings)
    await bot.start()
    try:
        tell(one_line(await connected(bot, settings)))
        await until_stopped()
        tell("Stopping; what was taken is finished first.")
    finally:
        await bot.close()
    tell("Stopped.")
