"""The walkthrough as a whole."""

from __future__ import annotations

import asyncio
import os
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from bot.blocks.amounts import count, duration
from bot.blocks.state import VERDICT_WORDS
from bot.cli.terminal import table
from bot.cli.verify import told
from bot.practice import CHANNEL, Practice, practice
from bot.walkthrough import scenes
from bot.walkthrough.errors import NotAsExpected, TookTooLong
from bot.walkthrough.reader import Reader
from bot.walkthrough.stage import PATIENCE, Stage
from bot.workspace.client import Workspace
from engine.agent.models import RECORDED
from engine.events import AGENT
from engine.store.outputs import FileOutputs
from engine.verify import verify_all
from engine.views import SessionView

Scene = Callable[[Stage], Awaitable[SessionView]]

SCENES: tuple[tuple[str, Scene], ...] = (
    ("A guided retest: the weakness is still open", scenes.still_open),
    ("A guided retest: the weakness is fixed", scenes.fixed),
    ("Auto-run: the agent goes through by itself", scenes.auto_run),
)


async def play(tell: Callable[[str], None]) -> None:
    """Play everything in a folder of its own, and print it as it happens.

    Raises `NotAsExpected` when anything came to something else, and other `RevalidError` kinds.
    """
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="revalid-walkthrough-") as folder:
        instance = f"revalid-walk-{os.getpid()}"
        async with practice(Path(folder), instance=instance, model=RECORDED) as up:
            await _scenes(up, tell)
    tell(f"\nThe walkthrough went as it should, in {duration(time.monotonic() - began)}.")


async def _scenes(up: Practice, tell: Callable[[str], None]) -> None:
    async with Workspace(up.server.url) as workspace:
        alice = await workspace.person("alice")
        reader = Reader(workspace, CHANNEL, tell)
        stage = Stage(practice=up, workspace=workspace, alice=alice, reader=reader, tell=tell)
        tell(f"{up.samples} sample findings are imported; the practice lab and the bot are up.")
        sessions = []
        for number, (title, scene) in enumerate(SCENES, 1):
            tell(f"\n━━ {number}. {title} ━━\n")
            sessions.append(await scene(stage))
    await _verify(up, sessions, tell)


async def _verify(up: Practice, sessions: list[SessionView], tell: Callable[[str], None]) -> None:
    tell("\n━━ 4. What is kept, and what is left ━━\n")
    tell(table(("session", "finding", "verdict", "by", "title"), [_row(session) for session in sessions]))
    report = await verify_all(up.bot.engine.db, FileOutputs(up.settings.outputs))
    tell(f"\n▶ revalid verify\n\n  {told(report)}")
    if not report.intact or report.verdicts != len(sessions):
        raise NotAsExpected(
            f"`revalid verify` should find {count(len(sessions), 'verdict')} and no problem: {told(report)}"
        )
    await _all_removed(up)
    tell("  No sandbox is left.")


def _row(session: SessionView) -> tuple[str, ...]:
    verdict = session.verdict
    if verdict is None:
        return f"R-{session.id}", f"F-{session.finding_id}", "none", "", session.title
    by = "the agent" if verdict.by == AGENT else "Alice"
    return f"R-{session.id}", f"F-{session.finding_id}", VERDICT_WORDS[verdict.status], by, session.title


async def _all_removed(up: Practice) -> None:
    """Sandboxes go after the verdict was told; each removal is a change that the feed tells of."""
    retests, sandboxes = up.bot.engine.retests, up.bot.engine.sandboxes
    watch = retests.feed.watch()
    try:
        async with asyncio.timeout(PATIENCE):
            while await sandboxes.list():
                await watch.next()
    except TimeoutError as error:
        raise TookTooLong("A sandbox was not removed after its session was concluded.") from error
    finally:
        retests.feed.unwatch(watch)
