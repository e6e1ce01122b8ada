"""A Docker sandbox whose every trace is checked for after each test."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from secrets import token_hex

import docker
import pytest
from docker.models.containers import Container
from docker.models.networks import Network

from engine.sandbox.docker_sandboxes import DockerSandboxes
from engine.sandbox.port import Command, Handle, OutputSink, Result
from engine.scope import Pin, Pinned

NOWHERE = Pinned(pins=(Pin(host="app.example.com", addresses=("198.51.100.20",), ports=(443,)),))


@dataclass
class Box:
    """One sandbox with a counter of command ids."""

    sandboxes: DockerSandboxes
    handle: Handle
    next_id: int = 1

    def command(self, text: str, seconds: int = 20) -> Command:
        self.next_id += 1
        return Command(id=self.next_id, text=text, timeout_seconds=seconds)

    async def run(self, text: str, seconds: int = 20, sink: OutputSink | None = None) -> Result:
        return await self.sandboxes.run(self.handle, self.command(text, seconds), sink)


@dataclass
class Neighbourhood:
    """A network of targets, IPv4 and IPv6, with web servers on it."""

    engine: docker.DockerClient
    network: Network
    containers: list[Container] = field(default_factory=list)

    def serve(self, *ports: int, alias: str) -> Container:
        """A container that answers on these ports."""
        servers = " & ".join(f"python3 -m http.server --bind :: {port}" for port in ports)
        container = self.engine.containers.create("revalid-sandbox", ["sh", "-c", servers], init=True)
        self.containers.append(container)
        self.network.connect(container, aliases=[alias])
        self.engine.networks.get("bridge").disconnect(container)
        container.start()
        for port in ports:
            knock = f"until curl -sf -o /dev/null http://127.0.0.1:{port}/; do :; done"
            container.exec_run(["timeout", "20", "sh", "-c", knock])
        container.reload()
        return container

    def address(self, container: Container, kind: str = "IPAddress") -> str:
        return str(container.attrs["NetworkSettings"]["Networks"][self.network.name][kind])


@pytest.fixture
def engine() -> Iterator[docker.DockerClient]:
    client = docker.from_env()
    yield client
    client.close()


@pytest.fixture
def instance(engine: docker.DockerClient) -> Iterator[str]:
    """A name of an installation; nothing of it may be left when the test is over."""
    name = f"revalid-test-{token_hex(4)}"
    yield name
    left = traces(engine, name)
    remove_traces(engine, name)
    assert left == []


def traces(engine: docker.DockerClient, instance: str) -> list[str]:
    """What there is of an installation: containers, volumes, networks."""
    marked: dict[str, str | list[str] | bool] = {"label": f"revalid.instance={instance}"}
    containers = engine.containers.list(all=True, filters=marked)
    volumes = engine.volumes.list(filters=marked)
    networks = engine.networks.list(filters=marked)
    return [str(thing.name) for things in (containers, volumes, networks) for thing in things]


def remove_traces(engine: docker.DockerClient, instance: str) -> None:
    marked: dict[str, str | list[str] | bool] = {"label": f"revalid.instance={instance}"}
    for container in engine.containers.list(all=True, filters=marked):
        container.remove(force=True)
    for volume in engine.volumes.list(filters=marked):
        volume.remove(force=True)
    for network in engine.networks.list(filters=marked):
        network.remove()


@pytest.fixture
async def sandboxes(instance: str) -> AsyncIterator[DockerSandboxes]:
    sandboxes = DockerSandboxes(instance=instance)
    yield sandboxes
    for listed in await sandboxes.list():
        await sandboxes.remove(listed.session_id)
    await sandboxes.close()


@pytest.fixture
async def box(sandboxes: DockerSandboxes) -> Box:
    return Box(sandboxes, await sandboxes.create(1, NOWHERE))


@pytest.fixture
def neighbourhood(engine: docker.DockerClient) -> Iterator[Neighbourhood]:
    token = token_hex(2)
    pool = docker.types.IPAMConfig(pool_configs=[docker.types.IPAMPool(subnet=f"fd00:{token}::/64")])
    network = engine.networks.create(f"revalid-test-targets-{token}", enable_ipv6=True, ipam=pool)
    place = Neighbourhood(engine, network)
    yield place
    for container in place.containers:
        container.remove(force=True)
    network.remove()
