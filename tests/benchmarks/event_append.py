"""What appending event 10,000 of a session costs against event 10, both in one run.

Run by hand: `python -m tests.benchmarks.event_append`. One long session gets the events around its 10,000th,
in turns with short ones that get their tenth, so that both see the same machine and the same disk.
"""

from __future__ import annotations

import asyncio
import statistics
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

from engine.events import AGENT, AgentSaid
from engine.findings.model import Finding
from engine.scope import Scope
from engine.store import events, findings, sessions
from engine.store.database import Database

LONG, SHORT = 10_000, 10
ROUNDS = 200
AT = datetime(2031, 1, 2, tzinfo=UTC)
EVENT = AgentSaid(text="The search page still answers with a database error. " * 4, form="note")


async def _opened(db: Database, finding_id: int, length: int) -> int:
    """A session with so many events."""
    async with db.begin() as tx:
        view = await sessions.insert(tx, finding_id=finding_id, operator="U1", goal=(), scope=Scope(), at=AT)
        await events.append(tx, view.id, AGENT, [EVENT] * length, AT)
    return view.id


async def _append(db: Database, session_id: int) -> float:
    """Seconds for one event, commit included."""
    begun = time.perf_counter()
    async with db.begin() as tx:
        await events.append(tx, session_id, AGENT, [EVENT], AT)
    return time.perf_counter() - begun


async def main() -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as folder:
        db = await Database.open(f"sqlite+aiosqlite:///{Path(folder) / 'revalid.db'}")
        async with db.begin() as tx:
            finding, _ = await findings.add(tx, Finding(format="manual", ref="1", title="x"), by="U1", at=AT)
        long = await _opened(db, finding.id, LONG - ROUNDS // 2)
        late, early = [], []
        for _ in range(ROUNDS):
            short = await _opened(db, finding.id, SHORT - 1)
            early.append(await _append(db, short))
            late.append(await _append(db, long))
        await db.close()
    first, last = statistics.median(early), statistics.median(late)
    print(f"event {SHORT}: {first * 1e3:.2f} ms, event {LONG}: {last * 1e3:.2f} ms, ratio {last / first:.2f}")


if __name__ == "__main__":
    asyncio.run(main())
