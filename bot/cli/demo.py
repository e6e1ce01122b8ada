"""`revalid demo`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def demo(
    *,
    port: Annotated[int, typer.Option(help="Port of the page; the next free one if it is taken.")] = 8000,
    folder: Annotated[Path, typer.Option(help="Keeps the demo's data; a second run goes on with it.")] = Path(
        "var/demo"
    ),
) -> None:
    """Try Revalid on this machine alone.

    Starts the practice lab, a local stand-in for Slack, and the bot; needs no account and no key. Open the
    printed address in a browser. With ANTHROPIC_API_KEY, OPENAI_API_KEY or OLLAMA_BASE_URL set, the
    agent is that model; else it replays each finding's recorded steps.
    """
    import asyncio

    from bot import logs
    from bot.cli.terminal import tell
    from bot.demo import run_demo

    # The demo tells what matters itself, and log lines would bury it.
    logs.configure("warning")
    asyncio.run(run_demo(folder, port, tell))
