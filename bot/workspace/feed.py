"""The live stream of changes to the page and to the Python client."""

from __future__ import annotations

import asyncio
import contextlib
import json

from aiohttp import web

from bot.workspace.model import Change, Json
from bot.workspace.state import State


class Feed:
    """Fans changes out to listeners; each may be one person, or see everything."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._listeners: dict[asyncio.Queue[str | None], str | None] = {}

    def publish(self, change: Change) -> None:
        """Queue one change for everybody who may see it."""
        # Building a frame costs a walk over the whole message.
        if not self._listeners:
            return
        frame = json.dumps(self._frame(change))
        for queue, person in self._listeners.items():
            if person is None or self._may_see(person, change):
                queue.put_nowait(frame)

    async def serve(self, request: web.Request) -> web.StreamResponse:
        """The WebSocket endpoint; ``?person=`` narrows it to what that person sees."""
        ws = web.WebSocketResponse(heartbeat=30)
        await ws.prepare(request)
        queue: asyncio.Queue[str | None] = asyncio.Queue()
        # Before "ready" is said, so that no change between the two is missed.
        self._listeners[queue] = request.query.get("person")
        writer = asyncio.create_task(_write(ws, queue))
        queue.put_nowait(json.dumps({"type": "ready"}))
        try:
            async for _ in ws:
                pass
        finally:
            del self._listeners[queue]
            writer.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await writer
        return ws

    def close(self) -> None:
        """End all streams."""
        for queue in self._listeners:
            queue.put_nowait(None)

    def _may_see(self, person: str, change: Change) -> bool:
        if change.audience is not None:
            return change.audience == person
        channel = self._state.channels.get(change.channel or "")
        return channel is None or person in channel.members

    def _frame(self, change: Change) -> Json:
        frame: Json = {"type": change.kind, "channel": change.channel, "body": change.body}
        if change.audience is not None:
            frame["person"] = change.audience
        # The root comes along because its reply count has changed without a change of its own.
        root_ts = change.body.get("thread_ts")
        if change.kind in ("message", "message_deleted") and root_ts and change.channel:
            frame["root"] = self._state.channels[change.channel].messages.get(root_ts)
        return frame


async def _write(ws: web.WebSocketResponse, queue: asyncio.Queue[str | None]) -> None:
    while (frame := await queue.get()) is not None:
        try:
            await ws.send_str(frame)
        except ConnectionError:
            return
    await ws.close()
