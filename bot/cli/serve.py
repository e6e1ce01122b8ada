"""`revalid serve`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bot.app import Bot
    from bot.settings import Settings


def serve() -> None:
    """Run the bot until it is told to stop.

    Ctrl+C or a TERM signal stops it within ten seconds, a second one at once. Commands that run go on in
    their sandboxes; they and the sessions are taken up again at the next start.
    """
    import asyncio

    from bot import logs
    from bot.settings import load_settings

    settings = load_settings()
    logs.configure(settings.log_level)
    asyncio.run(_serve_and_leave(settings))


async def _serve_and_leave(settings: Settings) -> None:
    import os
    import sys

    await _serve(settings)
    # The way out below skips what Python would do at the end.
    sys.stdout.flush()
    sys.stderr.flush()
    # Python would wait for every thread, and one of them may wait for an engine that hangs. All is stored.
    os._exit(0)


async def _serve(settings: Settings) -> None:
    import asyncio

    from bot.app import Bot
    from bot.cli.terminal import one_line, tell
    from bot.signals import told_to_stop

    bot = Bot(settings)
    with told_to_stop() as stopped:
        stop = asyncio.create_task(stopped.wait())
        up = asyncio.create_task(_up(bot, settings))
        # A start that hangs, on Docker or on Slack, can be stopped too.
        await asyncio.wait({stop, up}, return_when=asyncio.FIRST_COMPLETED)
        try:
            if up.done():
                tell(one_line(up.result()))
                await stop
            tell("Stopping. Running commands go on in their sandboxes.")
        finally:
            stop.cancel()
            up.cancel()
            # Before closing: a start that is still at work would open what was closed already.
            await asyncio.wait({up})
            await bot.close()
        tell("Stopped.")


async def _up(bot: Bot, settings: Settings) -> str:
    from bot.connected import connected

    await bot.start()
    return await connected(bot, settings)
