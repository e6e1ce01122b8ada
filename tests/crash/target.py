"""A target that counts: every request to it is a line in its container's log."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from secrets import token_hex

import docker
from docker.models.containers import Container

from engine.findings.model import Endpoint, Finding, Matcher, RecordedStep, Severity

HOST, PORT = "target.crash.example.com", 8080
_ADDRESS = f"http://{HOST}:{PORT}"
ALIVE = f"echo begin; curl -sS -i '{_ADDRESS}/?alive'"
PROOF = f"curl -sS -i '{_ADDRESS}/?proof'; seq 1 4000"
LISTENS = "until curl -sf -o /dev/null http://127.0.0.1:8080/?ready; do :; done"
FINDING = Finding(
    format="manual",
    ref="crash",
    title="Directory listing on the target",
    severity=Severity.low,
    endpoints=(Endpoint(scheme="http", host=HOST, port=PORT, path="/"),),
    replay=(RecordedStep(command=PROOF, matchers=(Matcher(type="word", values=("Directory listing",)),)),),
    control=(RecordedStep(command=ALIVE, matchers=(Matcher(type="word", values=("200 OK",)),)),),
)


@dataclass(frozen=True)
class Target:
    """The container, on a Docker network of its own."""

    engine: docker.DockerClient
    container: Container
    network: str

    def hits(self, name: str) -> int:
        """How often a request with the name has come in."""
        said: bytes = self.container.logs()
        return said.decode().count(f"GET /?{name} ")

    @contextmanager
    def held(self) -> Iterator[None]:
        """While held it takes connections and answers none."""
        self.container.pause()
        try:
            yield
        finally:
            self.container.unpause()


@contextmanager
def counting_target() -> Iterator[Target]:
    """Up within the block."""
    engine = docker.from_env()
    name = f"revalid-crash-{token_hex(4)}"
    network = engine.networks.create(name)
    serve = ["python3", "-u", "-m", "http.server", str(PORT), "--directory", "/usr"]
    container = engine.containers.create("revalid-sandbox", serve, init=True, name=name)
    try:
        network.connect(container, aliases=[HOST])
        engine.networks.get("bridge").disconnect(container)
        container.start()
        container.exec_run(["timeout", "20", "sh", "-c", LISTENS])
        yield Target(engine, container, name)
    finally:
        container.remove(force=True)
        network.remove()
        engine.close()
