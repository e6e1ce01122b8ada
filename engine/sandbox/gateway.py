"""The line to a session's gateway: load the rules, check them, ask what they refused."""

from __future__ import annotations

import threading

from docker.api.client import APIClient

from engine.errors import LockNotProven, SandboxLost
from engine.sandbox.engine_client import EngineClient
from engine.sandbox.firewall import parse_denied, session_rules
from engine.sandbox.port import Denied
from engine.sandbox.stream import STDOUT, ExecStream
from engine.scope import Pinned

_ANSWER_SECONDS = 15.0


class Gateways:
    """Keeps one open console per gateway, so that asking costs a round trip and not a process."""

    def __init__(self, client: EngineClient) -> None:
        self._client = client
        self._consoles: dict[str, _Console] = {}

    async def load(self, gateway_id: str, pinned: Pinned) -> None:
        """Put a session's rules in force, all at once. Raises `LockNotProven`."""
        await self._ask(gateway_id, f"load\n{session_rules(pinned)}.\n")

    async def check(self, gateway_id: str) -> None:
        """Raise `LockNotProven` unless the loaded rules are in force, `SandboxLost` without a gateway."""
        await self._ask(gateway_id, "check\n")

    async def denied(self, gateway_id: str) -> tuple[Denied, ...]:
        """What was refused since the last time."""
        return parse_denied((await self._ask(gateway_id, "denied\n")).splitlines())

    async def forget(self, gateway_id: str) -> None:
        """Hang up on one gateway; its rules stay."""
        if console := self._consoles.pop(gateway_id, None):
            await self._client.off_loop(console.close)

    async def close(self) -> None:
        """Hang up on all of them."""
        for gateway_id in list(self._consoles):
            await self.forget(gateway_id)

    async def _ask(self, gateway_id: str, request: str) -> str:
        console = self._consoles.setdefault(gateway_id, _Console(gateway_id))
        accepted, answer = await self._client.call(lambda api: console.ask(api, request))
        if not accepted:
            raise LockNotProven(
                f"The sandbox's network lock is not in force, so nothing was run. {answer}".strip()
            )
        return answer


class _Console:
    """One open exec in a gateway; opened when first needed and again when it broke."""

    def __init__(self, gateway_id: str) -> None:
        self._gateway_id = gateway_id
        # Answers carry no number, so two questions at once would read each other's.
        self._turn = threading.Lock()
        self._stream: ExecStream | None = None

    def ask(self, api: APIClient, request: str) -> tuple[bool, str]:
        """Whether the gateway said yes, and what it said. Blocking."""
        with self._turn:
            fresh = self._stream is None
            try:
                return self._exchange(api, request)
            except (OSError, EOFError):
                self._drop()
            if not fresh:
                # An idle connection may have been cut on the way; only a new one tells how the gateway is.
                try:
                    return self._exchange(api, request)
                except (OSError, EOFError):
                    self._drop()
            return self._diagnose(api)

    def close(self) -> None:
        with self._turn:
            self._drop()

    def _exchange(self, api: APIClient, request: str) -> tuple[bool, str]:
        if self._stream is None:
            self._stream = ExecStream(api, self._gateway_id, ["console"], stdin=True)
            self._stream.set_timeout(_ANSWER_SECONDS)
        self._stream.write(request.encode())
        answer = b""
        # The closing mark is a line of its own, which no line of nft's JSON can be.
        while answer.rpartition(b"\n")[0].rpartition(b"\n")[2] not in (b".", b"!"):
            piece = self._stream.read()
            if piece is None:
                raise EOFError
            if piece[0] == STDOUT:
                answer += piece[1]
        return answer.endswith(b".\n"), answer[:-2].decode(errors="replace").strip()

    def _diagnose(self, api: APIClient) -> tuple[bool, str]:
        state = api.inspect_container(self._gateway_id)["State"]
        if not state["Running"]:
            raise SandboxLost
        return False, "Its gateway does not answer."

    def _drop(self) -> None:
        if self._stream is not None:
            self._stream.close()
            self._stream = None
