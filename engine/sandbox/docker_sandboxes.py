"""Sandboxes in Docker: a gateway that owns the network namespace, a sandbox that can only use it."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from docker.api.client import APIClient

from engine.errors import CommandNotStarted, LockNotProven, SandboxError, SandboxLost
from engine.sandbox import leftovers
from engine.sandbox.containers import AGENT, Plan
from engine.sandbox.engine_client import EngineClient
from engine.sandbox.follower import require_running
from engine.sandbox.gateway import Gateways
from engine.sandbox.labels import Labels
from engine.sandbox.networks import Networks
from engine.sandbox.port import Command, Handle, Limits, Listed, OutputSink, Result
from engine.sandbox.runner import Runner
from engine.scope import Pinned

T = TypeVar("T")
U = TypeVar("U")

# Nothing answers there; a sandbox that can even try has no lock.
_CANARY = ("198.51.100.7", "9")
# More at once only makes each of them slower.
_BUILDS_AT_ONCE = 4


class DockerSandboxes:
    """The `Sandboxes` of one installation on one Docker engine.

    `instance` marks everything made here; `networks` are existing Docker networks of targets, such as
    the practice lab's, whose containers can be named in a scope. `timeout` is in seconds, for each call.
    """

    def __init__(
        self,
        *,
        base_url: str | None = None,
        instance: str = "revalid",
        sandbox_image: str = "revalid-sandbox",
        gateway_image: str = "revalid-gateway",
        networks: tuple[str, ...] = (),
        limits: Limits | None = None,
        timeout: int = 60,
    ) -> None:
        self._limits = limits or Limits()
        self._sandbox_image = sandbox_image
        self._gateway_image = gateway_image
        self._labels = Labels(instance)
        self._client = EngineClient(base_url, timeout=timeout)
        self._networks = Networks(self._client, self._labels, networks)
        self._gateways = Gateways(self._client)
        self._runner = Runner(self._client, self._limits)
        self._builds = asyncio.Semaphore(_BUILDS_AT_ONCE)

    async def resolve(self, host: str) -> tuple[str, ...]:
        """See `Sandboxes`."""
        return await self._networks.resolve(host)

    async def create(self, session_id: int, pinned: Pinned) -> Handle:
        """See `Sandboxes`. Whatever an earlier sandbox of the session left is removed first."""
        async with self._builds:
            await self.remove(session_id)
            building = asyncio.ensure_future(self._build(session_id, pinned))
            try:
                return await asyncio.shield(building)
            except BaseException:
                # Half a sandbox is worse than none. What a thread is making just now cannot be called back,
                # so it is waited for even when the caller has given up.
                await asyncio.wait({building})
                building.exception()
                with suppress(SandboxError):
                    await self.remove(session_id)
                    await self._networks.tidy()
                raise

    async def _build(self, session_id: int, pinned: Pinned) -> Handle:
        plan = Plan.make(
            session_id,
            self._labels,
            self._limits,
            gateway_image=self._gateway_image,
            sandbox_image=self._sandbox_image,
        )
        async with self._networks.for_scope(pinned) as networks:
            gateway_id = await self._client.call(lambda api: plan.create_gateway(api, pinned, networks[0]))
            for network in networks[1:]:
                await self._client.call(partial(_connect, gateway_id, network))
            sandbox_id, _ = await _both(
                self._client.call(lambda api: plan.create_sandbox(api, gateway_id)),
                self._client.call(lambda api: api.start(gateway_id)),
            )
        # At once: nothing runs before the proof, and until rules are loaded the gateway lets nothing out.
        await _both(
            self._gateways.load(gateway_id, pinned), self._client.call(lambda api: api.start(sandbox_id))
        )
        image = await self._client.call(lambda api: str(api.inspect_container(sandbox_id)["Image"]))
        handle = Handle(
            session_id=session_id, gateway_id=gateway_id, sandbox_id=sandbox_id, pinned=pinned, image=image
        )
        await self._prove(handle)
        return handle

    # From inside and by a real connection: rules that were loaded need not be rules that hold.
    async def _prove(self, handle: Handle) -> None:
        code, said = await self._client.execute(
            handle.sandbox_id, ["/opt/revalid/canary", *_CANARY], user=AGENT
        )
        if code != 0:
            raise LockNotProven(
                "The sandbox's network lock could not be proven, so nothing was run: "
                f"{':'.join(_CANARY)} was not refused ({said})."
            )
        # Also empties the list of what was refused, which begins with the canary.
        await self._gateways.denied(handle.gateway_id)

    async def verify(self, handle: Handle) -> None:
        """See `Sandboxes`."""
        await require_running(self._client, handle.sandbox_id)
        # A restarted gateway has a fresh network, so having been locked once proves nothing now.
        await self._gateways.check(handle.gateway_id)

    async def run(self, handle: Handle, command: Command, sink: OutputSink | None = None) -> Result:
        """See `Sandboxes`."""
        try:
            # Preparing starts nothing, so it need not wait for the proof.
            _, prepared = await _both(
                self._gateways.check(handle.gateway_id), self._runner.prepare(handle, command)
            )
        # These say already that nothing ran; the rest failed before the start and must say so too.
        except (CommandNotStarted, LockNotProven, SandboxLost):
            raise
        except SandboxError as error:
            raise CommandNotStarted(f"{error} Nothing ran.") from error
        return await self._with_denied(handle, await self._runner.run(handle, prepared, sink))

    async def attach(self, handle: Handle, command: Command, sink: OutputSink | None = None) -> Result:
        """See `Sandboxes`."""
        return await self._with_denied(handle, await self._runner.attach(handle, command, sink))

    async def kill(self, handle: Handle, command_id: int) -> None:
        """See `Sandboxes`."""
        await self._runner.kill(handle, command_id)

    async def remove(self, session_id: int) -> None:
        """See `Sandboxes`."""
        found = await leftovers.find(self._client, self._labels, session_id)
        if session_id in found:
            parts = found[session_id]
            # Its console first, or the connection to a gateway that is gone would stay open.
            for gateway_id in parts.gateways:
                await self._gateways.forget(gateway_id)
            await leftovers.remove(self._client, parts)
            await self._networks.tidy()

    async def list(self) -> tuple[Listed, ...]:
        """See `Sandboxes`."""
        return leftovers.listed(await leftovers.find(self._client, self._labels))

    async def close(self) -> None:
        """See `Sandboxes`."""
        await self._gateways.close()
        self._client.close()

    async def _with_denied(self, handle: Handle, result: Result) -> Result:
        # The result stands whatever became of the gateway; without one there was no way out either.
        with suppress(SandboxError):
            return replace(result, denied=await self._gateways.denied(handle.gateway_id))
        return result


def _connect(container_id: str, network: str, api: APIClient) -> None:
    api.connect_container_to_network(container_id, network)


async def _both(first: Coroutine[Any, Any, T], second: Coroutine[Any, Any, U]) -> tuple[T, U]:
    """Two things at once, both finished when one of them failed: nothing may appear after the cleaning up."""
    tasks = asyncio.ensure_future(first), asyncio.ensure_future(second)
    await asyncio.wait(tasks)
    if failures := [error for task in tasks if (error := task.exception())]:
        raise failures[0]
    return tasks[0].result(), tasks[1].result()
