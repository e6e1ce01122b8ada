"""A process that is killed while it writes leaves a database that opens clean, again and again."""

from __future__ import annotations

import asyncio
import random
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

from engine.lifecycle import State
from engine.verify import verify_all
from tests.integration.store.moves import one_retest, opened

KILLS = 6


async def killed_after(folder: Path, retests: int, more_bytes: int) -> None:
    """Kill it once it has made that many retests and the log has grown by that much in the next."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "tests.integration.store.moves",
        str(folder),
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdout is not None
    for _ in range(retests):
        assert await process.stdout.readline()
    # Busy work of random length in place of a clock: where in a write it hits is left to chance.
    sum(range(more_bytes))
    process.kill()
    await process.wait()


async def test_it_opens_clean_and_goes_on(tmp_path: Path) -> None:
    chance = random.Random(7)
    for _ in range(KILLS):
        await killed_after(tmp_path, chance.randint(1, 4), chance.randint(0, 4_000_000))
        with closing(sqlite3.connect(tmp_path / "revalid.db")) as raw:
            assert raw.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        db, outputs, retests = await opened(tmp_path)
        report = await verify_all(db, outputs)
        assert report.problems == ()
        done = await retests.sessions(live=False, limit=1000)
        assert all(session.state is State.concluded for session in done)
        await one_retest(retests)
        await retests.close()
        await db.close()
