"""The engine as the settings want it: for the bot, and for commands that need no Slack."""

from __future__ import annotations

import os
from contextlib import AsyncExitStack
from pathlib import Path

from sqlalchemy import make_url
from sqlalchemy.exc import ArgumentError

from bot.closing import in_time
from bot.settings import Settings, variable_of
from bot.store.migrate import migrate_bot
from engine.agent.models import ModelChoice, choose, source_of
from engine.agent.port import Agent
from engine.errors import SettingsError
from engine.feed import Feed
from engine.retest import Retests, StoredOutputs
from engine.sandbox.port import Limits, Sandboxes
from engine.store.database import Database
from engine.store.outputs import FileOutputs, Outputs


class Engine:
    """What is open: the database, and the retests on it. `close` lets go of all of it."""

    def __init__(
        self,
        *,
        db: Database,
        outputs: Outputs,
        retests: Retests,
        sandboxes: Sandboxes,
        held: AsyncExitStack,
    ) -> None:
        self.db = db
        self.outputs = outputs
        self.retests = retests
        self.sandboxes = sandboxes
        self._held = held

    async def close(self) -> None:
        """Store what is in hand; running commands go on and are found again at the next start."""
        # First, as it still stores what is in hand, by means of all the others.
        await in_time("retests", self.retests.close, 1.5)
        await self._held.aclose()


async def open_engine(
    settings: Settings, *, sandboxes: Sandboxes | None = None, agent: Agent | None = None
) -> Engine:
    """Open everything but start nothing; `retests.start()` goes on with what was in flight.

    A sandbox or an agent that is given stays its giver's to close. Raises `SettingsError` and `StoreError`.
    """
    async with AsyncExitStack() as held:
        db = await open_database(settings.database_url)
        held.push_async_callback(in_time, "database", db.close, 0.5)
        # After the engine's own tables, which opening the database brings up to date.
        await migrate_bot(db)
        outputs = FileOutputs(settings.outputs)
        if sandboxes is None:
            sandboxes = docker_sandboxes(settings)
            held.push_async_callback(in_time, "sandboxes", sandboxes.close, 0.5)
        feed = Feed()
        if agent is None:
            agent = _model(settings, db, outputs, feed, held)
        retests = Retests(db=db, outputs=outputs, sandboxes=sandboxes, agent=agent, feed=feed)
        return Engine(db=db, outputs=outputs, retests=retests, sandboxes=sandboxes, held=held.pop_all())


async def open_database(url: str) -> Database:
    """The database, in a folder that is made when there is none. Raises `SettingsError` and `StoreError`."""
    file = database_file(url)
    if file is not None:
        file.parent.mkdir(parents=True, exist_ok=True)
    return await Database.open(url)


def database_file(url: str) -> Path | None:
    """Where an SQLite database is kept; None for another one. Raises `SettingsError`."""
    try:
        where = make_url(url)
    except ArgumentError as error:
        raise SettingsError(f"The setting {variable_of('database_url')} is no database address.") from error
    if where.get_backend_name() != "sqlite" or where.database in (None, "", ":memory:"):
        return None
    return Path(where.database)


def docker_sandboxes(settings: Settings) -> Sandboxes:
    """The sandboxes of this installation; connects at the first call."""
    # Here and not above, as commands that need no Docker should not wait for its client to load.
    from engine.sandbox.docker_sandboxes import DockerSandboxes

    return DockerSandboxes(
        base_url=settings.docker_url,
        instance=settings.instance,
        networks=settings.target_networks,
        limits=Limits(
            memory=settings.sandbox_memory_mib << 20,
            processes=settings.sandbox_processes,
            cores=settings.sandbox_cores,
            output=settings.sandbox_output_mib << 20,
        ),
    )


def model_choice(settings: Settings) -> ModelChoice:
    """The model of the settings and the environment. Raises `SettingsError`."""
    return choose(
        settings.model,
        environ=os.environ,
        base_url=settings.model_base_url,
        api_key=settings.model_key,
    )


def _model(settings: Settings, db: Database, outputs: Outputs, feed: Feed, held: AsyncExitStack) -> Agent:
    # Loading it takes long, and only the bot needs it.
    from engine.agent.pydantic_agent import PydanticAgent

    source = source_of(model_choice(settings))
    agent = PydanticAgent(source=source, read_output=StoredOutputs(db, outputs), tell=feed.delay)
    held.push_async_callback(in_time, "agent", agent.close, 0.5)
    return agent
