"""``/_workspace/chaos``: read and switch what goes wrong, and break every connection of the app."""

from __future__ import annotations

from typing import Any, Literal

from aiohttp import web
from aiohttp.typedefs import Handler
from pydantic import BaseModel, ConfigDict, ValidationError

from bot.workspace.chaos import Settings
from bot.workspace.hub import Hub

# What the app uses; people's own half of the server stays sound.
_OF_THE_APP = ("/api/", "/link/", "/upload/", "/files-pri/", "/response/")


class Wishes(BaseModel):
    """The body of a POST: settings to change, and things to do once after that.

    Attributes:
        settings: see `bot.workspace.chaos.Settings`; what is absent stays.
        drop: open sockets are told goodbye (``close``) or break without a word (``cut``).
        release: how many held events are delivered, oldest first; -1 delivers all.
        shuffled: held events change their order first.
    """

    model_config = ConfigDict(extra="forbid")

    settings: dict[str, Any] = {}
    drop: Literal["close", "cut"] | None = None
    release: int = 0
    shuffled: bool = False


class ChaosApi:
    """The API over one hub."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub

    async def read(self, _request: web.Request) -> web.Response:
        """Settings and facts: open sockets, held events, and calls struck by method."""
        return web.json_response({"ok": True, **self._now()})

    async def change(self, request: web.Request) -> web.Response:
        """POST of `Wishes`; answers as `read` does."""
        hub = self._hub
        try:
            wishes = Wishes.model_validate_json(await request.read())
            hub.chaos.set(wishes.settings)
        except ValidationError as broken:
            return web.json_response({"ok": False, "error": f"invalid_arguments: {broken}"}, status=400)
        # Before the release, which would otherwise go out in the old order.
        if wishes.shuffled:
            hub.sockets.shuffle_held()
        hub.sockets.release(wishes.release)
        if hub.chaos.settings.unreachable:
            # Who is unreachable cannot say goodbye either.
            await hub.sockets.drop("cut")
        elif wishes.drop is not None:
            await hub.sockets.drop(wishes.drop)
        hub.chaos.changed()
        return web.json_response({"ok": True, **self._now()})

    def middleware(self) -> Any:  # noqa: ANN401 - aiohttp's own type is no more than that
        """Breaks connections of the app while it cannot reach the workspace."""

        @web.middleware
        async def reachable(request: web.Request, handler: Handler) -> web.StreamResponse:
            if self._hub.chaos.settings.unreachable and request.path.startswith(_OF_THE_APP):
                return cut(request)
            return await handler(request)

        return reachable

    def _now(self) -> dict[str, Any]:
        chaos, sockets = self._hub.chaos, self._hub.sockets
        settings: Settings = chaos.settings
        facts = {"sockets": sockets.count, "held": sockets.held, "struck": dict(chaos.struck)}
        return {"settings": settings.model_dump(), **facts}


def cut(request: web.Request) -> web.Response:
    """Break the connection; the response is what aiohttp wants and reaches nobody."""
    if request.transport is not None:
        # Not closed but reset, as a network that fails does it.
        request.transport.abort()
    return web.Response(status=502)
