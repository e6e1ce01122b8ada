"""The network lock, proven by address: who is reached and who is not, from inside a real sandbox."""

from __future__ import annotations

import json
import shlex
import socket
import socketserver
import threading
from collections.abc import AsyncIterator, Iterator
from ipaddress import ip_network
from typing import Any

import docker
import pytest
from docker.models.containers import Container

from engine.errors import LockNotProven, SandboxLost
from engine.sandbox.docker_sandboxes import DockerSandboxes
from engine.sandbox.port import Denied, Outcome
from engine.scope import Pin, Pinned
from tests.integration.sandbox.conftest import NOWHERE, Box, Neighbourhood

pytestmark = pytest.mark.docker

NAME = "vulnerable.lab.example.com"
REFUSED = {"No route to host", "Network is unreachable", "Permission denied", "Operation not permitted"}

# Tries every address it is given and prints what came of each, and how long that took.
PROBE = r"""
import json, socket, sys, time
QUERY = b"\x12\x34\1\0\0\1\0\0\0\0\0\0\6secret\7example\3com\0\0\1\0\1"
for kind, address, port in json.loads(sys.argv[1]):
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    begin = time.monotonic()
    try:
        with socket.socket(family, socket.SOCK_DGRAM if kind == "udp" else socket.SOCK_STREAM) as probe:
            probe.settimeout(5)
            probe.connect((address, port))
            probe.send(QUERY if kind == "udp" else b"GET / HTTP/1.0\r\n\r\n")
            said = "answered" if probe.recv(100) else "closed"
    except TimeoutError:
        said = "timed out"
    except OSError as error:
        said = error.strerror
    print(json.dumps([kind, address, port, said, time.monotonic() - begin]))
"""

Place = tuple[str, str, int]


async def probe(box: Box, *places: Place) -> dict[Place, tuple[str, float]]:
    arguments = shlex.join(["python3", "-c", PROBE, json.dumps(places)])
    result = await box.run(arguments, seconds=60)
    assert (result.outcome, result.stderr) == (Outcome.exited, b"")
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    return {(kind, address, port): (said, seconds) for kind, address, port, said, seconds in lines}


def visitors(container: Container) -> set[str]:
    """Who asked a web server for something, itself left out."""
    lines = bytes(container.logs()).decode().splitlines()
    return {line.split()[0] for line in lines if '"GET' in line and "127.0.0.1" not in line}


def first_address(engine: docker.DockerClient, network: str) -> str:
    """The engine host's own address on a network."""
    subnet = engine.networks.get(network).attrs["IPAM"]["Config"][0]["Subnet"]
    return str(next(ip_network(subnet).hosts()))


class Listener(socketserver.ThreadingTCPServer):
    """Something on every address of the engine's host that notes who gets through to it."""

    address_family = socket.AF_INET6

    def __init__(self) -> None:
        super().__init__(("::", 0), socketserver.BaseRequestHandler)
        self.callers: list[Any] = []

    def verify_request(self, _request: Any, client_address: Any) -> bool:
        self.callers.append(client_address)
        return False


@pytest.fixture
def listener() -> Iterator[Listener]:
    with Listener() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
async def nearby(instance: str, neighbourhood: Neighbourhood) -> AsyncIterator[DockerSandboxes]:
    """Sandboxes that know the target network, and one that is not there."""
    networks = (str(neighbourhood.network.name), "revalid-no-such-network")
    sandboxes = DockerSandboxes(instance=instance, networks=networks)
    yield sandboxes
    await sandboxes.remove(1)
    await sandboxes.close()


async def test_only_the_scope_answers_and_everything_else_is_refused_at_once(
    nearby: DockerSandboxes, neighbourhood: Neighbourhood, engine: docker.DockerClient, listener: Listener
) -> None:
    target = neighbourhood.serve(8080, 9090, alias=NAME)
    neighbour = neighbourhood.serve(8080, alias="neighbour.lab.example.com")
    addresses = await nearby.resolve(NAME.upper())
    assert addresses == (neighbourhood.address(target), neighbourhood.address(target, "GlobalIPv6Address"))
    v4, v6 = addresses
    pinned = Pinned(pins=(Pin(host=NAME, addresses=(v4,), ports=(8080,)),))
    box = Box(nearby, await nearby.create(1, pinned))
    own_bridge = neighbourhood.address(target, "Gateway")
    default_bridge = first_address(engine, "bridge")
    outside: list[Place] = [
        ("tcp", v4, 9090),
        ("tcp", neighbourhood.address(neighbour), 8080),
        ("tcp", own_bridge, listener.server_address[1]),
        ("tcp", default_bridge, listener.server_address[1]),
        ("tcp", "198.51.100.7", 80),
        ("tcp", "198.51.100.7", 443),
        ("udp", "198.51.100.53", 53),
        ("udp", "127.0.0.11", 53),
        ("tcp", "127.0.0.11", 53),
        ("udp", own_bridge, 53),
        ("tcp", v6, 8080),
        ("tcp", neighbourhood.address(neighbour, "GlobalIPv6Address"), 8080),
        ("tcp", neighbourhood.address(target, "IPv6Gateway"), listener.server_address[1]),
        ("tcp", "2001:db8::7", 80),
    ]
    found = await probe(box, ("tcp", v4, 8080), *outside)
    assert found["tcp", v4, 8080][0] == "answered"
    assert {place: found[place][0] for place in outside if found[place][0] not in REFUSED} == {}
    # The kernel takes a second over an IPv6 refusal, whatever the rule says.
    assert {
        place: seconds for place, (_, seconds) in found.items() if seconds > (2 if ":" in place[1] else 0.5)
    } == {}
    assert listener.callers == []
    assert visitors(neighbour) == set()
    assert len(visitors(target)) == 1
    page = await box.run(f"curl -s -o /dev/null -w '%{{http_code}}' http://{NAME}:8080/")
    assert page.stdout == b"200"


async def test_an_ipv6_target_in_scope_is_reached_by_its_name(
    nearby: DockerSandboxes, neighbourhood: Neighbourhood
) -> None:
    target = neighbourhood.serve(8080, alias=NAME)
    v6 = neighbourhood.address(target, "GlobalIPv6Address")
    pinned = Pinned(pins=(Pin(host=NAME, addresses=(v6,), ports=(8080,)),))
    box = Box(nearby, await nearby.create(1, pinned))
    page = await box.run(f"curl -s -o /dev/null -w '%{{http_code}}' http://{NAME}:8080/")
    assert page.stdout == b"200"
    assert (await probe(box, ("tcp", neighbourhood.address(target), 8080))).popitem()[1][0] in REFUSED


async def test_a_scope_on_and_off_the_target_network_joins_both(
    nearby: DockerSandboxes, neighbourhood: Neighbourhood, engine: docker.DockerClient
) -> None:
    target = neighbourhood.serve(8080, alias=NAME)
    v4 = neighbourhood.address(target)
    pins = (Pin(host=NAME, addresses=(v4,), ports=(8080,)), *NOWHERE.pins)
    box = Box(nearby, await nearby.create(1, Pinned(pins=pins)))
    joined = engine.containers.get(box.handle.gateway_id).attrs["NetworkSettings"]["Networks"]
    assert len(joined) == 2
    found = await probe(box, ("tcp", v4, 8080), ("tcp", "198.51.100.7", 80))
    assert found["tcp", v4, 8080][0] == "answered"
    assert found["tcp", "198.51.100.7", 80][0] in REFUSED


async def test_names_outside_the_scope_are_unknown_at_once(box: Box) -> None:
    result = await box.run("getent hosts secret.example.com; echo $?; getent hosts app.example.com")
    assert result.stdout.split() == [b"2", b"198.51.100.20", b"app.example.com"]
    assert result.elapsed_seconds < 2


async def test_what_was_refused_is_told_once(box: Box) -> None:
    result = await box.run("curl -s http://203.0.113.7:81/; curl -s http://203.0.113.7:81/; true")
    assert result.denied == (Denied(address="203.0.113.7", port=81, protocol="tcp", packets=2),)
    assert (await box.run("true")).denied == ()


@pytest.mark.parametrize(
    "attempt",
    [
        "python3 -c 'import socket; socket.socket(socket.AF_PACKET, socket.SOCK_RAW)'",
        "python3 -c 'import socket; socket.socket(socket.AF_INET, socket.SOCK_RAW, 1)'",
        "unshare -Urn true",
        "echo 1 > /proc/sys/net/ipv4/ip_forward",
        "echo '203.0.113.7 app.example.com' >> /etc/hosts",
        "touch /opt/revalid/run",
        "kill -9 1",
    ],
)
async def test_the_command_can_change_nothing_around_it(box: Box, attempt: str) -> None:
    result = await box.run(f"{attempt} && echo changed")
    assert b"changed" not in result.stdout
    await box.sandboxes.verify(box.handle)


async def test_a_sandbox_whose_rules_are_gone_runs_nothing(box: Box, engine: docker.DockerClient) -> None:
    await box.run("true")
    engine.containers.get(box.handle.gateway_id).exec_run(["nft", "flush", "ruleset"])
    with pytest.raises(LockNotProven):
        await box.sandboxes.verify(box.handle)
    refused = box.command("touch /scratch/ran")
    with pytest.raises(LockNotProven):
        await box.sandboxes.run(box.handle, refused)
    assert (await box.sandboxes.attach(box.handle, refused)).outcome is Outcome.lost


async def test_restarts_never_open_the_lock(box: Box, engine: docker.DockerClient) -> None:
    gateway = engine.containers.get(box.handle.gateway_id)
    sandbox = engine.containers.get(box.handle.sandbox_id)

    def tries_to_get_out(address: str = "198.51.100.7", port: str = "9") -> int | None:
        canary = ["/opt/revalid/canary", address, port]
        return sandbox.exec_run(canary, user="10001").exit_code

    gateway.kill()
    assert tries_to_get_out() == 0
    with pytest.raises(SandboxLost):
        await box.run("true")
    gateway.start()
    assert tries_to_get_out() == 0
    with pytest.raises(LockNotProven):
        await box.run("true")
    sandbox.restart(timeout=0)
    assert tries_to_get_out() == 0
    # Also what the scope allowed is closed now: the gateway's own base knows no scope.
    assert tries_to_get_out("198.51.100.20", "443") == 0
    with pytest.raises(LockNotProven):
        await box.run("true")


async def test_a_console_that_broke_is_opened_again(box: Box, engine: docker.DockerClient) -> None:
    await box.run("true")
    gateway = engine.containers.get(box.handle.gateway_id)
    gateway.exec_run(["busybox", "pkill", "-f", "/bin/console"])
    assert (await box.run("echo fine")).stdout == b"fine\n"
