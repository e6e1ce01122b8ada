"""What is done by the clock, beside what people ask."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import structlog

from bot.settings import Settings
from bot.store.inbox import KEPT, InboxStore
from bot.wiring import Engine
from engine.retention import drop_outputs
from engine.schedule import Job

REAP_EVERY = timedelta(minutes=10)
DAILY = timedelta(days=1)

log = structlog.get_logger(__name__)


def jobs(settings: Settings, engine: Engine) -> Sequence[Job]:
    """The reaper, the upkeep of the database, and retention if the settings ask for it."""
    inbox = InboxStore(engine.db)

    async def tidy() -> None:
        await inbox.forget(datetime.now(UTC) - KEPT)
        await engine.db.tidy()

    async def drop() -> None:
        days = settings.keep_outputs_days
        if days is not None:
            count = await drop_outputs(engine.db, engine.outputs, timedelta(days=days))
            log.info("outputs_dropped", count=count, older_than_days=days)

    made = [
        Job(name="reap", every=REAP_EVERY, work=engine.retests.reconcile),
        Job(name="tidy", every=DAILY, work=tidy),
    ]
    # Nothing is ever dropped unless somebody asked for it.
    if settings.keep_outputs_days is not None:
        made.append(Job(name="drop outputs", every=DAILY, work=drop))
    return made
