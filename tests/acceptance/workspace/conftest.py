"""A running workspace with a sample app, and real Bolt apps to connect to it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from typing import TypeVar

import aiohttp
import pytest
from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler
from slack_bolt.app.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from bot.workspace.client import Workspace
from bot.workspace.clock import ManualClock
from bot.workspace.installed_app import InstalledApp
from bot.workspace.server import WorkspaceServer

MANIFEST = {
    "display_information": {"name": "Sample app"},
    "features": {
        "bot_user": {"display_name": "sample"},
        "slash_commands": [{"command": "/sample", "description": "Try it", "usage_hint": "words"}],
        "shortcuts": [
            {"name": "Look at this", "type": "message", "callback_id": "look", "description": "Look at it"}
        ],
    },
    "oauth_config": {
        "scopes": {
            "bot": [
                "app_mentions:read",
                "channels:history",
                "channels:read",
                "chat:write",
                "commands",
                "files:read",
                "files:write",
                "groups:history",
                "groups:read",
                "im:write",
                "reactions:read",
                "reactions:write",
                "users:read",
            ]
        }
    },
    "settings": {
        "event_subscriptions": {
            "bot_events": ["app_mention", "message.channels", "message.groups", "reaction_added"]
        }
    },
}
T = TypeVar("T")
Connect = Callable[..., Awaitable[AsyncSocketModeHandler]]


@pytest.fixture
def sample_app() -> InstalledApp:
    return InstalledApp.from_manifest(MANIFEST, bot_token="xoxb-local-sample", app_token="xapp-local-sample")


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
async def server(sample_app: InstalledApp, clock: ManualClock) -> AsyncIterator[WorkspaceServer]:
    async with WorkspaceServer(sample_app, clock=clock) as running:
        yield running


@pytest.fixture
async def ws(server: WorkspaceServer) -> AsyncIterator[Workspace]:
    async with Workspace(server.url) as client:
        yield client


@pytest.fixture
async def bolt(server: WorkspaceServer) -> AsyncIterator[AsyncApp]:
    """A Bolt app that is connected once its listeners are registered: see `connected`."""
    async with aiohttp.ClientSession() as session:
        client = AsyncWebClient("xoxb-local-sample", base_url=server.api_url, session=session)
        yield AsyncApp(client=client, signing_secret=None)


@pytest.fixture
async def connect(bolt: AsyncApp, server: WorkspaceServer) -> AsyncIterator[Connect]:
    """Open one more socket, of the app or of another Bolt app with its tokens."""
    async with AsyncExitStack() as stack:

        async def open_socket(app: AsyncApp = bolt) -> AsyncSocketModeHandler:
            before = server.hub.sockets.count
            handler = AsyncSocketModeHandler(app, "xapp-local-sample", ping_interval=60)
            stack.push_async_callback(_closed, handler)
            await handler.connect_async()
            assert server.hub.sockets.count == before + 1
            return handler

        yield open_socket


async def soon(queue: asyncio.Queue[T]) -> T:
    """The next item; a delivery that never comes fails the test instead of holding it."""
    return await asyncio.wait_for(queue.get(), 10)


async def _closed(handler: AsyncSocketModeHandler) -> None:
    """The handler cancels its own tasks without awaiting them."""
    client = handler.client
    await handler.close_async()
    tasks = [client.message_processor, client.message_receiver, client.current_session_monitor]
    await asyncio.gather(*(task for task in tasks if task is not None), return_exceptions=True)
