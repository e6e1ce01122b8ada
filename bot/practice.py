"""Revalid on one machine: the practice lab, the local workspace, and the real bot between them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import yaml

from bot import shipped
from bot.app import Bot
from bot.lab import NETWORK
from bot.settings import Settings, load_settings
from bot.shared_lab import shared_lab
from bot.wiring import docker_sandboxes
from bot.workspace.installed_app import InstalledApp
from bot.workspace.server import WorkspaceServer
from engine.findings.read import read_findings
from engine.views import Imported

BOT_TOKEN, APP_TOKEN = "xoxb-local-workspace", "xapp-local-workspace"
CHANNEL = "retests"


@dataclass(frozen=True, kw_only=True)
class Practice:
    """What is up."""

    server: WorkspaceServer
    bot: Bot
    settings: Settings
    samples: int
    """How many sample findings there are."""


def installed() -> InstalledApp:
    """Revalid as its manifest describes it, installed in the local workspace."""
    return InstalledApp.from_manifest(
        yaml.safe_load(shipped.manifest()), bot_token=BOT_TOKEN, app_token=APP_TOKEN
    )


def practice_settings(folder: Path, api_url: str, **overrides: object) -> Settings:
    """Settings that keep everything in a folder and know no Slack but the local workspace."""
    return load_settings(
        slack_bot_token=BOT_TOKEN,
        slack_app_token=APP_TOKEN,
        slack_api_url=api_url,
        transport="socket",
        # Settings of a real installation must not lock people out of the practice one.
        operators=(),
        database_url=f"sqlite+aiosqlite:///{folder / 'revalid.db'}",
        outputs=folder / "outputs",
        target_networks=(NETWORK,),
        **overrides,
    )


@asynccontextmanager
async def practice(
    folder: Path, *, instance: str, port: int = 0, remembers: bool = False, model: str | None = None
) -> AsyncIterator[Practice]:
    """Everything up, with the sample findings in; down again afterwards, but for a lab that others use too.

    Sessions that go on get a new sandbox in the next run.

    Args:
        folder: keeps the database, the outputs and, if it `remembers`, the workspace. It has to be there.
        instance: names its sandboxes on the Docker engine.
        port: of the workspace's page; 0 takes a free one.
        remembers: go on with the workspace that the folder has.
        model: in place of what the settings say.

    Raises:
        RevalidError: of any kind; nothing is left up then.
    """
    server = WorkspaceServer(installed(), port=port, memory=folder / "workspace.json" if remembers else None)
    async with AsyncExitStack() as held:
        # First: the settings need its address.
        await server.start()
        held.push_async_callback(server.close)
        chosen = {"model": model} if model else {}
        settings = practice_settings(folder, server.api_url, instance=instance, **chosen)
        await held.enter_async_context(_lab(settings))
        # Before the bot, so that they go after it has closed.
        held.push_async_callback(_remove_sandboxes, settings)
        bot = Bot(settings)
        await bot.start()
        held.push_async_callback(bot.close)
        imported = await import_samples(bot)
        samples = len(imported.new) + len(imported.known)
        yield Practice(server=server, bot=bot, settings=settings, samples=samples)


@asynccontextmanager
async def _lab(settings: Settings) -> AsyncIterator[None]:
    lab = shared_lab(settings.docker_url)
    # It waits for Docker and for others' locks, which must not hold up the workspace.
    await asyncio.to_thread(lab.__enter__)
    try:
        yield
    finally:
        await asyncio.to_thread(lab.__exit__, None, None, None)


async def _remove_sandboxes(settings: Settings) -> None:
    """A lab that starts again has other addresses; a sandbox of this run would reach nothing in it."""
    sandboxes = docker_sandboxes(settings)
    try:
        for one in await sandboxes.list():
            await sandboxes.remove(one.session_id)
    finally:
        await sandboxes.close()


async def import_samples(bot: Bot) -> Imported:
    """The lab's findings; those that are there already stay as they are."""
    found = [
        finding for name in shipped.SAMPLES for finding in read_findings(shipped.sample(name), name).findings
    ]
    return await bot.engine.retests.import_findings(found, "sample")
