"""What the bot does by the clock."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from freezegun import freeze_time

from bot.jobs import jobs
from bot.settings import Settings
from bot.store.inbox import Entry, InboxStore
from bot.wiring import open_engine
from engine.agent.scripted import ScriptedAgent
from engine.sandbox.scripted import ScriptedSandboxes
from engine.scope import Pinned


@pytest.mark.parametrize(
    ("days", "names"), [(None, ["reap", "tidy"]), (30, ["reap", "tidy", "drop outputs"])]
)
async def test_each_does_its_work(tmp_path: Path, days: int | None, names: list[str]) -> None:
    settings = Settings(
        _env_file=None,  # type: ignore[call-arg]
        database_url=f"sqlite+aiosqlite:///{tmp_path / 'revalid.db'}",
        outputs=tmp_path / "outputs",
        keep_outputs_days=days,
    )
    sandboxes = ScriptedSandboxes()
    engine = await open_engine(settings, sandboxes=sandboxes, agent=ScriptedAgent([]))
    inbox = InboxStore(engine.db)
    await inbox.write([Entry(key="a", kind="event", body={})])
    await inbox.write([], ["a"])
    await sandboxes.create(77, Pinned(pins=()))
    made = jobs(settings, engine)
    assert [job.name for job in made] == names

    with freeze_time(datetime.now(UTC) + timedelta(days=31), real_asyncio=True):
        for job in made:
            await job.work()
    assert await inbox.write([Entry(key="a", kind="event", body={})]) == {"a"}
    assert (tmp_path / "revalid.db-wal").stat().st_size < (tmp_path / "revalid.db").stat().st_size
    await engine.close()
