"""The bot as a whole: the engine, what people see of it, and how they reach it."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from typing import Any

import structlog
from aiohttp import ClientError, ClientSession, WSMessage, web
from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler
from slack_bolt.async_app import AsyncApp
from slack_bolt.request.async_request import AsyncBoltRequest
from slack_sdk.errors import SlackApiError, SlackClientError
from slack_sdk.web.async_client import AsyncWebClient

from bot.backfill import Backfill
from bot.closing import in_time
from bot.directory import Directory
from bot.inbox import Inbox
from bot.jobs import jobs
from bot.listeners import actions, catch_all, commands, events, shortcuts, views
from bot.listeners.conclusions import Conclusions
from bot.listeners.desk import Desk, Home
from bot.listeners.front import Front
from bot.listeners.imports import Imports
from bot.listeners.openings import Openings
from bot.listeners.talk import Talk
from bot.pacing import Pacing
from bot.publisher import Publisher
from bot.running import Running
from bot.settings import Settings, needed
from bot.slack import PATIENCE, WebSlack, web_client
from bot.store.heard import Heard
from bot.store.inbox import InboxStore
from bot.store.spoken import Spoken
from bot.turns import Turns
from bot.wiring import Engine, open_engine
from engine.agent.port import Agent
from engine.errors import SettingsError
from engine.sandbox.port import Sandboxes
from engine.schedule import Schedule

DRAIN_SECONDS = 1.5
"""How long closing waits for what people asked just before."""
PATH = "/slack/events"

log = structlog.get_logger(__name__)


class Bot:
    """One process of Revalid.

    Args:
        settings: Tokens and where things are.
        sandboxes: In place of Docker's.
        agent: In place of the settings' model.
        pacing: In place of the real clock's.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        sandboxes: Sandboxes | None = None,
        agent: Agent | None = None,
        pacing: Pacing | None = None,
    ) -> None:
        self._settings = settings
        self._sandboxes = sandboxes
        self._agent = agent
        self._pacing = pacing
        self._running = Running()
        self._turns = Turns()
        self._held = AsyncExitStack()
        self._engine: Engine | None = None
        self._home: Home | None = None

    @property
    def engine(self) -> Engine:
        """What is behind it, once started."""
        if self._engine is None:
            raise RuntimeError("the bot has not started")
        return self._engine

    @property
    def home(self) -> Home:
        """Who it is in its workspace, once started."""
        if self._home is None:
            raise RuntimeError("the bot has not started")
        return self._home

    async def start(self) -> None:
        """Go on where the last process stopped, then take what people do.

        Raises:
            SettingsError: A token is missing, or Slack does not take it.
            StoreError: The database cannot be used.
        """
        token = needed(self._settings, "slack_bot_token", for_what="the bot")
        async with AsyncExitStack() as held:
            self._engine = await open_engine(self._settings, sandboxes=self._sandboxes, agent=self._agent)
            # What is opened first is closed last: all below write to the engine until they are closed.
            held.push_async_callback(self._engine.close)
            session = await held.enter_async_context(ClientSession(timeout=PATIENCE))
            client = web_client(token, self._settings.slack_api_url, session)
            home = self._home = await _home(client)
            publisher = Publisher(
                self._engine.retests, WebSlack(client), self._engine.db, pacing=self._pacing
            )
            inbox = Inbox(InboxStore(self._engine.db))
            app = self._app(client, inbox, self._desk(client, home, publisher))
            # Before the engine, so that the publisher hears all that the engine does at its start.
            await publisher.start()
            held.push_async_callback(in_time, "publisher", publisher.close, 1.0)
            await self._engine.retests.start()
            held.push_async_callback(in_time, "inbox", inbox.close, 1.0)
            held.push_async_callback(self._running.drain, DRAIN_SECONDS)
            schedule = Schedule(self._engine.db.url, jobs(self._settings, self._engine))
            await schedule.start()
            held.push_async_callback(in_time, "schedule", schedule.close, 1.0)
            # Before anything new is taken, as it is older.
            await inbox.replay(app)
            backfill = self._backfill(app, client, home)
            held.push_async_callback(in_time, "backfill", backfill.close, 1.0)
            await self._listen(app, client, held, backfill)
            # Until here an error closes all that was opened.
            self._held = held.pop_all()
        log.info("started", team=home.team, transport=self._settings.transport)

    async def close(self) -> None:
        """Take nothing more, finish what was taken, let go of everything: within ten seconds, or without it.

        What needs longer, such as a turn or a command, goes on at the next start.
        """
        if self._engine is not None:
            # First, so that nothing new begins while the rest is closed.
            self._engine.retests.rest()
        await self._held.aclose()

    def _backfill(self, app: AsyncApp, client: AsyncWebClient, home: Home) -> Backfill:
        async def dispatch(body: dict[str, Any]) -> int:
            response = await app.async_dispatch(AsyncBoltRequest(body=body, mode="socket_mode"))
            return int(response.status)

        return Backfill(
            client=client,
            heard=Heard(self.engine.db),
            turns=self._turns,
            pacing=self._pacing or Pacing(),
            team=home.team,
            dispatch=dispatch,
        )

    def _desk(self, client: AsyncWebClient, home: Home, publisher: Publisher) -> Desk:
        return Desk(
            home=home,
            client=client,
            directory=Directory(client),
            retests=self.engine.retests,
            threads=publisher,
            operators=frozenset(self._settings.operators),
        )

    def _app(self, client: AsyncWebClient, inbox: Inbox, desk: Desk) -> AsyncApp:
        secret = self._settings.slack_signing_secret
        over_http = self._settings.transport == "http"
        app = AsyncApp(
            client=client,
            signing_secret=secret.get_secret_value() if secret else None,
            request_verification_enabled=over_http,
        )
        # Bolt acknowledges an event before its listener runs; only a middleware comes before that.
        app.middleware(inbox.middleware)
        front = Front(desk, inbox, self._running, self._turns)
        openings, conclusions = Openings(desk), Conclusions(desk)
        imports = Imports(desk, self._running, self._settings.import_bytes)
        talk = Talk(desk, openings, imports, conclusions)
        buttons = actions.Buttons(desk, talk, openings, conclusions)
        events.register(app, front, events.Messages(desk, talk, Spoken(self.engine.db)))
        commands.register(app, front, talk)
        actions.register(app, front, buttons)
        views.register(
            app,
            front,
            openings=openings,
            imports=imports,
            conclusions=conclusions,
            decisions=views.CommandForms(desk, buttons),
        )
        shortcuts.register(app, front, desk)
        catch_all.register(app, front)
        return app

    async def _listen(
        self, app: AsyncApp, client: AsyncWebClient, held: AsyncExitStack, backfill: Backfill
    ) -> None:
        if self._settings.transport == "http":
            needed(self._settings, "slack_signing_secret", for_what="the http transport")
            runner = web.AppRunner(app.web_app(PATH), access_log=None)
            await runner.setup()
            held.push_async_callback(in_time, "http", runner.cleanup, 1.0)
            await web.TCPSite(runner, self._settings.http_host, self._settings.http_port).start()
            backfill.begin()
            return
        token = needed(self._settings, "slack_app_token", for_what="the socket transport")
        handler = AsyncSocketModeHandler(app, token, web_client=client)
        held.push_async_callback(in_time, "socket", handler.close_async, 1.0)
        # Before connecting, or the first greeting would be missed.
        handler.client.on_message_listeners.append(_on_hello(backfill.begin))
        await handler.connect_async()  # type: ignore[no-untyped-call]


def _on_hello(begin: Callable[[], None]) -> Callable[[WSMessage], Awaitable[None]]:
    """For each new socket: Slack greets on it, and its client reads on only when this is done."""

    async def hear(frame: WSMessage) -> None:
        # A look at the text first, as every frame comes by here and few are greetings.
        if '"hello"' in frame.data and json.loads(frame.data).get("type") == "hello":
            begin()

    return hear


async def _home(client: AsyncWebClient) -> Home:
    try:
        answer = await client.auth_test()
    except SlackApiError as error:
        code = error.response.get("error", "no reason given")
        raise SettingsError(
            f"Slack does not take SLACK_BOT_TOKEN ({code}); install the app again."
        ) from error
    except (SlackClientError, ClientError, TimeoutError) as error:
        raise SettingsError(f"Slack does not answer at {client.base_url}; check SLACK_API_URL.") from error
    return Home(
        team=str(answer["team_id"]),
        user=str(answer["user_id"]),
        team_name=str(answer.get("team", "")),
        name=str(answer.get("user", "")),
    )
