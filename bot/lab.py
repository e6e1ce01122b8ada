"""Start and stop the practice lab: three targets on a Docker network of their own.

`deploy/lab/compose.yaml` describes the same lab for people; this is for where the compose plugin is missing.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import docker
from docker.errors import DockerException, ImageNotFound, NotFound
from docker.models.containers import Container
from docker.models.images import Image
from docker.models.networks import Network
from requests.exceptions import RequestException

from engine.errors import EngineUnavailable, ImageMissing, SandboxError

NETWORK = "revalid-lab"
IMAGE = "revalid-lab"
PORT = 8080
LABELS = {"revalid.role": "lab"}

READY = b"is open on port"
"""What the shop prints once it listens."""

START_SECONDS = 30


class LabImageMissing(ImageMissing):
    """The image of the practice lab, revalid-lab, is not there; run `make images` and try again."""


class LabNameTaken(SandboxError):
    """The name revalid-lab is taken in Docker by something that is not the lab; rename it and try again."""


class LabNotStarted(SandboxError):
    """A practice target does not listen; `docker logs` of it says why."""


@dataclass(frozen=True, kw_only=True)
class LabTarget:
    """One of the three containers."""

    name: str
    alias: str
    environment: dict[str, str] = field(default_factory=dict)
    command: tuple[str, ...] = ()
    listens: bool = True


TARGETS = (
    LabTarget(
        name="revalid-lab-vulnerable",
        alias="vulnerable.lab.example.com",
        environment={"LAB_MODE": "vulnerable"},
    ),
    LabTarget(name="revalid-lab-fixed", alias="fixed.lab.example.com", environment={"LAB_MODE": "fixed"}),
    LabTarget(
        name="revalid-lab-dead", alias="dead.lab.example.com", command=("sleep", "infinity"), listens=False
    ),
)


def start_lab(docker_url: str | None = None) -> None:
    """Bring network and targets up and wait until the shops listen. A lab that runs already is left alone.

    `docker_url` is the engine's address; None takes what `docker` itself would.
    Raises `EngineUnavailable`, `LabImageMissing`, `LabNameTaken` or `LabNotStarted`.
    """
    with _engine(docker_url) as engine:
        try:
            image = engine.images.get(IMAGE)
        except ImageNotFound as error:
            raise LabImageMissing from error
        network = _network(engine)
        # All are started before any is waited for, so that they come up together.
        for container, target in [(_target(engine, network, image, target), target) for target in TARGETS]:
            if target.listens:
                _wait_until_open(container)


def stop_lab(docker_url: str | None = None) -> None:
    """Remove targets and network. Nothing to remove is fine; raises `EngineUnavailable` or `LabNameTaken`."""
    with _engine(docker_url) as engine:
        for target in TARGETS:
            if container := _existing_container(engine, target):
                container.remove(force=True)
        if network := _existing_network(engine):
            # A sandbox that still looks at the lab would otherwise keep the network from going.
            for attached in network.attrs["Containers"]:
                network.disconnect(attached, force=True)
            network.remove()


@contextmanager
def _engine(url: str | None) -> Iterator[docker.DockerClient]:
    engine: docker.DockerClient | None = None
    try:
        engine = docker.DockerClient(base_url=url) if url else docker.from_env()
        yield engine
    except (DockerException, RequestException) as error:
        raise EngineUnavailable(
            f"The Docker engine did not do what the practice lab needs: {error}. "
            "Start it, or mend what it names, and try again."
        ) from error
    finally:
        if engine is not None:
            engine.close()


def _network(engine: docker.DockerClient) -> Network:
    return _existing_network(engine) or engine.networks.create(
        NETWORK,
        driver="bridge",
        labels=LABELS,
        # A target that was broken into must not reach the world: without masquerading no answer comes back.
        options={"com.docker.network.bridge.enable_ip_masquerade": "false"},
    )


def _existing_network(engine: docker.DockerClient) -> Network | None:
    for network in engine.networks.list(names=[NETWORK]):
        if network.name == NETWORK:
            network.reload()
            # By its label and not its name alone: what is not the lab's is never touched.
            if not LABELS.items() <= (network.attrs["Labels"] or {}).items():
                raise LabNameTaken
            return network
    return None


def _target(engine: docker.DockerClient, network: Network, image: Image, target: LabTarget) -> Container:
    container = _existing_container(engine, target)
    if container and _serves(container, network, image):
        return container
    if container:
        container.remove(force=True)
    container = engine.containers.create(
        IMAGE,
        list(target.command) or None,
        name=target.name,
        environment=target.environment,
        labels=LABELS,
        network=NETWORK,
        networking_config={NETWORK: engine.api.create_endpoint_config(aliases=[target.alias])},
        init=True,
        read_only=True,
        cap_drop=["ALL"],
        security_opt=["no-new-privileges:true"],
        mem_limit="128m",
        pids_limit=64,
    )
    container.start()
    return container


def _serves(container: Container, network: Network, image: Image) -> bool:
    """Whether an existing container is up, of the present image, and on the present network."""
    networks = container.attrs["NetworkSettings"]["Networks"]
    return (
        container.status == "running"
        and container.attrs["Image"] == image.id
        and networks.get(NETWORK, {}).get("NetworkID") == network.id
    )


def _existing_container(engine: docker.DockerClient, target: LabTarget) -> Container | None:
    try:
        container = engine.containers.get(target.name)
    except NotFound:
        return None
    if not LABELS.items() <= container.labels.items():
        raise LabNameTaken(
            f"A container named {target.name} is there that is not the lab's; rename it and try again."
        )
    return container


def _wait_until_open(container: Container) -> None:
    # The log tells through the engine alone, so that a remote engine works too. Polled, since docker-py
    # cannot let go of a followed log without leaking its socket.
    deadline = time.monotonic() + START_SECONDS
    while READY not in (said := container.logs()):
        container.reload()
        if container.status != "running" or time.monotonic() > deadline:
            words = said.decode(errors="replace").strip() or "nothing"
            raise LabNotStarted(f"The practice target {container.name} does not listen; it said: {words}.")
        time.sleep(0.05)
