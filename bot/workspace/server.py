"""The workspace as a server on loopback."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from urllib.parse import urlsplit

from aiohttp import web
from aiohttp.typedefs import Handler

from bot.workspace.api.endpoint import WebApi
from bot.workspace.chaos_api import ChaosApi
from bot.workspace.clock import Clock, SystemClock
from bot.workspace.hub import Hub
from bot.workspace.ids import Ids
from bot.workspace.installed_app import InstalledApp
from bot.workspace.memory import Memory
from bot.workspace.people import People
from bot.workspace.rate import RateLimits
from bot.workspace.reading import Reading
from bot.workspace.responses import Responses
from bot.workspace.transfer import Transfers

PAGE = Path(__file__).parent / "page"
MOST_BODY_BYTES = 64 * 1024 * 1024
# Everything the page shows is data: no script, style or frame but its own.
PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
)


class WorkspaceServer:
    """A Slack workspace for one app, until closed.

    Args:
        app: the installed app with its invented tokens.
        port: 0 takes any free port; see `url` once started.
        clock: stands in for time in tests.
        limits: Slack's rate limits; None takes calls at any rate.
        memory: file that keeps the workspace from one run to the next; None forgets.
    """

    def __init__(
        self,
        app: InstalledApp,
        *,
        port: int = 0,
        clock: Clock | None = None,
        limits: RateLimits | None = None,
        memory: Path | None = None,
    ) -> None:
        clock = clock or SystemClock()
        # An app knows a delivery again by its ids, so that none of an earlier run may come back.
        ids = Ids(int(clock.now() * 1000)) if memory else Ids()
        self.hub = Hub(app, clock, limits, ids=ids)
        self._memory = Memory(memory, self.hub.state) if memory else None
        self._port = port
        self._runner: web.AppRunner | None = None

    @property
    def url(self) -> str:
        """Where the page is, without a slash at the end."""
        return self.hub.base_url

    @property
    def api_url(self) -> str:
        """What an app takes as ``SLACK_API_URL``."""
        return f"{self.hub.base_url}/api/"

    async def start(self) -> None:
        """Listen on 127.0.0.1."""
        self._runner = web.AppRunner(self._application(), access_log=None, shutdown_timeout=1.0)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", self._port)
        await site.start()
        # Remembered, so that a restart is found at the same address.
        host, self._port = self._runner.addresses[0][:2]
        self.hub.base_url = f"http://{host}:{self._port}"

    async def close(self) -> None:
        """Drop all connections and stop listening."""
        # First: shutting down would wait for streams that never end by themselves.
        self.hub.feed.close()
        await self.hub.sockets.close()
        if self._runner is not None:
            await self._runner.cleanup()
        if self._memory is not None:
            self._memory.save()

    async def restart(self) -> None:
        """Close and listen again at the same address; the state stays, what was on its way is lost.

        Between `close` and `start`, which this calls, connections are refused.
        """
        await self.close()
        await self.start()

    async def __aenter__(self) -> WorkspaceServer:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    def _application(self) -> web.Application:
        api, people, reading = WebApi(self.hub), People(self.hub), Reading(self.hub)
        transfers, responses, chaos = Transfers(self.hub), Responses(self.hub), ChaosApi(self.hub)
        middlewares = [_own_page_only, chaos.middleware()]
        application = web.Application(client_max_size=MOST_BODY_BYTES, middlewares=middlewares)
        application.add_routes(
            [
                web.post("/api/{method}", api.serve),
                web.get("/api/{method}", api.serve),
                web.get("/link/", self.hub.sockets.serve),
                web.post("/upload/v1/{slot}", transfers.upload),
                web.get("/files-pri/{file}/{name:.*}", transfers.download),
                web.post("/response/{secret}", responses.serve),
                web.get("/_workspace/feed", self.hub.feed.serve),
                web.post("/_workspace/upload", people.upload),
                web.get("/_workspace/files/{file}", transfers.show),
                web.get("/_workspace/chaos", chaos.read),
                web.post("/_workspace/chaos", chaos.change),
                web.get("/_workspace/{view}", reading.see),
                web.post("/_workspace/{deed}", people.do),
                web.get("/", _index),
                # Slack's shape of permalinks, so that links the app makes lead somewhere.
                web.get("/archives/{channel}/{message}", _index),
                web.static("/page", PAGE),
            ]
        )
        return application


async def _index(_request: web.Request) -> web.StreamResponse:
    headers = {"Content-Security-Policy": PAGE_POLICY, "Cache-Control": "no-store"}
    return web.FileResponse(PAGE / "index.html", headers=headers)


@web.middleware
async def _own_page_only(request: web.Request, handler: Handler) -> web.StreamResponse:
    """People have no passwords here, so no foreign web page may speak for them."""
    host = urlsplit(f"//{request.host}").hostname
    origin = request.headers.get("Origin")
    # The host too: a foreign name that resolves to this machine would pass as the same origin.
    if host not in ("127.0.0.1", "localhost") or (origin and urlsplit(origin).netloc != request.host):
        return web.json_response({"ok": False, "error": "foreign_origin"}, status=403)
    return await handler(request)
