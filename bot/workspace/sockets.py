"""Socket Mode: tickets, sockets, envelopes, acknowledgements and retries.

Each envelope goes to one of the open sockets. An event that is not acknowledged in three seconds is sent
again, up to three times; commands and interactions never are.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from aiohttp import WSMsgType, web

from bot.workspace.chaos import Chaos
from bot.workspace.clock import Clock, Timer
from bot.workspace.errors import AppTimedOut, AppUnreachable
from bot.workspace.ids import Ids
from bot.workspace.model import Json

ACK_SECONDS = 3.0
RETRY_DELAYS = (0.0, 60.0, 300.0)
# Slack takes no more per app.
MOST_SOCKETS = 10
# Slack renews connections every few hours and tells about ten seconds ahead.
LIFETIME = 4 * 3600.0
DEBUG_LIFETIME = 360.0
WARNING_AHEAD = 10.0


@dataclass(eq=False)
class _Socket:
    """One open connection; frames are queued so that their order is that of the changes."""

    ws: web.WebSocketResponse
    transport: asyncio.Transport | None
    frames: asyncio.Queue[Json] = field(default_factory=asyncio.Queue)
    timers: list[Timer] = field(default_factory=list)
    envelopes: int = 0
    """How many have been sent."""

    async def write(self, sent: Callable[[_Socket, Json], None]) -> None:
        """Send queued frames until the connection ends."""
        while True:
            frame = await self.frames.get()
            try:
                await self.ws.send_str(json.dumps(frame))
            except ConnectionError:
                return
            sent(self, frame)

    def cut(self) -> None:
        """Break without a word."""
        if self.transport is not None:
            self.transport.abort()


@dataclass(eq=False)
class _Delivery:
    """An envelope on its way; `answer` is set for those whose sender waits."""

    kind: str
    payload: Json
    attempt: int = 0
    reason: str = ""
    answer: asyncio.Future[Json] | None = None
    timer: Timer | None = None


class Sockets:
    """All Socket Mode connections of the app.

    Args:
        clock: the time that acknowledgements and retries go by.
        ids: source of envelope ids and tickets.
        app_id: what ``hello`` names.
        chaos: what goes wrong.
    """

    def __init__(self, clock: Clock, ids: Ids, app_id: str, chaos: Chaos) -> None:
        self._clock = clock
        self._ids = ids
        self._app_id = app_id
        self._chaos = chaos
        self._held: list[_Delivery] = []
        self._tickets: set[str] = set()
        self._open: list[_Socket] = []
        self._turn = 0
        self._waiting: dict[str, _Delivery] = {}
        self._retries: set[Timer] = set()

    @property
    def count(self) -> int:
        """How many sockets are open."""
        return len(self._open)

    @property
    def held(self) -> int:
        """How many events wait for their release."""
        return len(self._held)

    def ticket(self) -> str:
        """A one-time ticket for one connection."""
        ticket = self._ids.uuid("ticket")
        self._tickets.add(ticket)
        return ticket

    async def serve(self, request: web.Request) -> web.StreamResponse:
        """The WebSocket endpoint that ``apps.connections.open`` points to."""
        ticket = request.query.get("ticket", "")
        if ticket not in self._tickets:
            return web.json_response({"ok": False, "error": "invalid_ticket"}, status=403)
        # Before the door, where it may wait: a ticket is good for one try.
        self._tickets.discard(ticket)
        if not await self._chaos.lets_in():
            return web.json_response({"ok": False, "error": "service_unavailable"}, status=503)
        ws = web.WebSocketResponse()
        await ws.prepare(request)
        if len(self._open) >= MOST_SOCKETS:
            await ws.send_str(json.dumps(self._disconnect("too_many_websockets")))
            await ws.close()
            return ws
        lifetime = DEBUG_LIFETIME if request.query.get("debug_reconnects") == "true" else LIFETIME
        socket = _Socket(ws, request.transport)
        self._open.append(socket)
        self._chaos.changed()
        socket.frames.put_nowait(self._hello(lifetime))
        socket.timers = [
            self._clock.call_later(lifetime - WARNING_AHEAD, lambda: self._tell(socket, "warning")),
            self._clock.call_later(lifetime, lambda: self._tell(socket, "refresh_requested")),
        ]
        await self._converse(socket)
        return ws

    def send_event(self, payload: Json) -> None:
        """Deliver an event, again and again until it is acknowledged or the retries are used up."""
        delivery = _Delivery("events_api", payload)
        if self._chaos.settings.hold:
            self._held.append(delivery)
            self._chaos.changed()
        else:
            self._deliver(delivery)

    async def ask(self, kind: str, payload: Json) -> Json:
        """Deliver a command or an interaction once and return what the acknowledgement carried.

        Raises:
            AppUnreachable: no socket is open.
            AppTimedOut: no acknowledgement within three seconds.
        """
        answer: asyncio.Future[Json] = asyncio.get_running_loop().create_future()
        self._deliver(_Delivery(kind, payload, answer=answer))
        return await answer

    def release(self, count: int) -> None:
        """Deliver so many of the events that wait, oldest first; all of them when negative."""
        end = len(self._held) if count < 0 else count
        released, self._held = self._held[:end], self._held[end:]
        for delivery in released:
            self._deliver(delivery)

    def shuffle_held(self) -> None:
        """Change the order of the events that wait."""
        self._held = self._chaos.shuffled(self._held)

    async def drop(self, how: Literal["close", "cut"]) -> None:
        """End every open socket; what happens from now on finds none."""
        # Emptied first: closing takes time, and nothing may be sent to a socket that is on its way out.
        dropped, self._open = self._open, []
        for socket in dropped:
            if how == "cut":
                socket.cut()
            else:
                await socket.ws.close()

    def refresh(self, reason: str = "refresh_requested") -> None:
        """Ask every open socket to connect anew, as Slack does every few hours."""
        for socket in list(self._open):
            self._tell(socket, reason)

    async def close(self) -> None:
        """Drop all sockets and forget what was on its way."""
        for timer in self._retries:
            timer.cancel()
        for delivery in self._waiting.values():
            if delivery.timer is not None:
                delivery.timer.cancel()
            if delivery.answer is not None and not delivery.answer.done():
                delivery.answer.set_exception(AppUnreachable())
        self._retries.clear()
        self._waiting.clear()
        self._tickets.clear()
        await self.drop("close")

    async def _converse(self, socket: _Socket) -> None:
        writer = asyncio.create_task(socket.write(self._sent))
        try:
            async for message in socket.ws:
                if message.type is WSMsgType.TEXT:
                    self._acknowledge(json.loads(message.data))
        finally:
            writer.cancel()
            if socket in self._open:
                self._open.remove(socket)
            for timer in socket.timers:
                timer.cancel()
            self._chaos.changed()

    def _sent(self, socket: _Socket, frame: Json) -> None:
        # Greetings and goodbyes are no deliveries.
        if "envelope_id" not in frame:
            return
        socket.envelopes += 1
        if socket in self._open and self._chaos.breaks_after(socket.envelopes):
            self._open.remove(socket)
            socket.cut()

    def _acknowledge(self, frame: Json) -> None:
        delivery = self._waiting.pop(frame.get("envelope_id", ""), None)
        if delivery is None:
            return
        if delivery.timer is not None:
            delivery.timer.cancel()
        if delivery.kind == "events_api" and self._chaos.loses_ack():
            self._failed(delivery, "timeout", AppTimedOut())
            return
        if delivery.answer is not None and not delivery.answer.done():
            delivery.answer.set_result(frame.get("payload") or {})

    def _deliver(self, delivery: _Delivery) -> None:
        self._send(delivery)
        for _ in range(self._chaos.more_deliveries()):
            # Nothing comes of one that fails: the first has its own retries.
            self._send(_Delivery(delivery.kind, delivery.payload, len(RETRY_DELAYS), "timeout"))

    def _send(self, delivery: _Delivery) -> None:
        if not self._open:
            self._failed(delivery, "connection_failed", AppUnreachable())
            return
        envelope_id = self._ids.uuid("envelope")
        self._waiting[envelope_id] = delivery
        delivery.timer = self._clock.call_later(ACK_SECONDS, lambda: self._expired(envelope_id))
        self._turn += 1
        # In turn, so that an app which keeps state in one process is found out.
        self._open[self._turn % len(self._open)].frames.put_nowait(_envelope(envelope_id, delivery))

    def _expired(self, envelope_id: str) -> None:
        if (delivery := self._waiting.pop(envelope_id, None)) is not None:
            self._failed(delivery, "timeout", AppTimedOut())

    def _failed(self, delivery: _Delivery, reason: str, error: Exception) -> None:
        # A person waits for this one and is told; Slack repeats only events.
        if delivery.answer is not None:
            if not delivery.answer.done():
                delivery.answer.set_exception(error)
            return
        if delivery.attempt >= len(RETRY_DELAYS):
            return
        again = _Delivery(delivery.kind, delivery.payload, delivery.attempt + 1, reason)

        def retry() -> None:
            self._retries.discard(timer)
            self._send(again)

        timer = self._clock.call_later(RETRY_DELAYS[delivery.attempt], retry)
        self._retries.add(timer)

    def _tell(self, socket: _Socket, reason: str) -> None:
        socket.frames.put_nowait(self._disconnect(reason))

    def _hello(self, lifetime: float) -> Json:
        return {
            "type": "hello",
            "num_connections": len(self._open),
            "debug_info": {"host": "applink-local", "approximate_connection_time": int(lifetime)},
            "connection_info": {"app_id": self._app_id},
        }

    def _disconnect(self, reason: str) -> Json:
        return {"type": "disconnect", "reason": reason, "debug_info": {"host": "applink-local"}}


def _envelope(envelope_id: str, delivery: _Delivery) -> Json:
    envelope: Json = {
        "envelope_id": envelope_id,
        "payload": delivery.payload,
        "type": delivery.kind,
        "accepts_response_payload": delivery.kind != "events_api",
    }
    if delivery.kind == "events_api":
        envelope |= {"retry_attempt": delivery.attempt, "retry_reason": delivery.reason}
    return envelope
