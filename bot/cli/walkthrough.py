"""`revalid walkthrough`."""

from __future__ import annotations


def walkthrough() -> None:
    """Play three retests and print their threads.

    They run in the practice lab, and are printed as a person would read them in Slack. The bot,
    the protocol and the sandbox are the real ones; data and sandboxes are gone afterwards. Exit code 1 when
    anything is not as expected.
    """
    import asyncio

    from bot import logs
    from bot.cli.terminal import tell
    from bot.walkthrough.play import play

    # The threads are what is to be read.
    logs.configure("warning")
    asyncio.run(play(tell))
