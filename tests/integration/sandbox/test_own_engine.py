"""An engine of the test's own, in its own network namespace, for what nobody else should have to suffer."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import docker
import pytest

from engine.errors import EngineUnavailable, NetworksExhausted
from engine.sandbox.docker_sandboxes import DockerSandboxes
from tests.integration.sandbox.conftest import NOWHERE

pytestmark = [
    pytest.mark.docker,
    pytest.mark.skipif(
        os.geteuid() != 0 or not shutil.which("dockerd"), reason="needs root and a Docker engine to start"
    ),
]

TWO_NETWORKS = "base=172.31.240.0/28,size=29"


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    """The address of an engine that has two networks to give."""
    address = f"unix://{tmp_path}/d.sock"
    engine = subprocess.Popen(
        [
            *("unshare", "--net", "--mount", "dockerd", "--host", address, "--pidfile", f"{tmp_path}/pid"),
            *("--data-root", f"{tmp_path}/data", "--exec-root", f"{tmp_path}/exec"),
            *("--bridge", "none", "--iptables=false", "--ip6tables=false"),
            *("--default-address-pool", TWO_NETWORKS),
        ],
        stderr=subprocess.PIPE,
        text=True,
    )
    assert engine.stderr is not None
    with engine, engine.stderr as said:
        assert any("API listen on" in line for line in said), "the engine did not start"
        yield address
        engine.terminate()
        said.read()


async def test_networks_that_are_used_up_are_named_and_leave_nothing(address: str) -> None:
    client = docker.DockerClient(base_url=address)
    for name in ("first", "second"):
        client.networks.create(name)
    client.close()
    sandboxes = DockerSandboxes(base_url=address)
    with pytest.raises(NetworksExhausted, match="docker network prune"):
        await sandboxes.create(1, NOWHERE)
    assert await sandboxes.list() == ()
    await sandboxes.close()


async def test_an_engine_that_was_stopped_does_not_answer(address: str, tmp_path: Path) -> None:
    sandboxes = DockerSandboxes(base_url=address)
    assert await sandboxes.list() == ()
    os.kill(int((tmp_path / "pid").read_text()), 9)
    with pytest.raises(EngineUnavailable):
        await sandboxes.list()
    await sandboxes.close()
