"""The lab on a real engine: it comes up, answers by name on its network, and goes without a trace."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import docker
import pytest

from bot import lab as lab_module
from bot.lab import IMAGE, PORT, LabImageMissing, LabNameTaken, start_lab, stop_lab

pytestmark = [pytest.mark.docker, pytest.mark.usefixtures("_own_names")]

# Its own names: other tests, and whoever shows the demo on this machine, use the lab meanwhile.
NETWORK = "revalid-lab-of-tests"
LABELS = {"revalid.role": "lab-of-tests"}
TARGETS = tuple(replace(target, name=f"{target.name}-of-tests") for target in lab_module.TARGETS)

ASK = (
    "import sys, urllib.request as u; "
    "print(u.build_opener(u.ProxyHandler({})).open(sys.argv[1], timeout=5).read().decode().strip())"
)


@pytest.fixture
def _own_names(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lab_module, "NETWORK", NETWORK)
    monkeypatch.setattr(lab_module, "LABELS", LABELS)
    monkeypatch.setattr(lab_module, "TARGETS", TARGETS)


@pytest.fixture
def engine() -> Iterator[docker.DockerClient]:
    client = docker.from_env()
    yield client
    client.close()


@pytest.fixture
def lab(_own_names: None) -> Iterator[None]:
    start_lab()
    yield
    stop_lab()


def ask(engine: docker.DockerClient, url: str) -> str:
    """What a neighbour on the lab's network gets from an address."""
    try:
        output = engine.containers.run(IMAGE, ["python3", "-c", ASK, url], network=NETWORK, remove=True)
    except docker.errors.ContainerError as error:
        return str(error)
    return bytes(output).decode().strip()


@pytest.mark.usefixtures("lab")
def test_targets_answer_by_name_as_soon_as_the_lab_is_up(engine: docker.DockerClient) -> None:
    assert ask(engine, f"http://vulnerable.lab.example.com:{PORT}/health") == "ok"
    assert ask(engine, f"http://fixed.lab.example.com:{PORT}/health") == "ok"
    assert "Connection refused" in ask(engine, f"http://dead.lab.example.com:{PORT}/health")
    assert "Ben Quince" in ask(engine, f"http://vulnerable.lab.example.com:{PORT}/admin/orders")
    assert "403" in ask(engine, f"http://fixed.lab.example.com:{PORT}/admin/orders")


@pytest.mark.usefixtures("lab")
def test_a_running_lab_is_left_alone_and_a_stopped_target_comes_back(engine: docker.DockerClient) -> None:
    names = [target.name for target in TARGETS]
    before = [engine.containers.get(name).id for name in names]
    start_lab()
    assert [engine.containers.get(name).id for name in names] == before
    engine.containers.get(names[1]).kill()
    start_lab()
    assert ask(engine, f"http://fixed.lab.example.com:{PORT}/health") == "ok"


@pytest.mark.usefixtures("lab")
def test_targets_run_unprivileged_and_cannot_write(engine: docker.DockerClient) -> None:
    for target in TARGETS:
        container = engine.containers.get(target.name)
        assert container.exec_run(["id", "-u"]).output == b"10001\n"
        assert container.exec_run(["touch", "/srv/lab/mark"]).exit_code != 0


def test_nothing_stays(engine: docker.DockerClient) -> None:
    start_lab()
    stranger = engine.containers.run(IMAGE, ["sleep", "60"], network=NETWORK, detach=True, init=True)
    try:
        stop_lab()
    finally:
        stranger.remove(force=True)
    lab_label: dict[str, str | list[str] | bool] = {
        "label": [f"{name}={value}" for name, value in LABELS.items()]
    }
    assert engine.containers.list(all=True, filters=lab_label) == []
    assert engine.networks.list(filters=lab_label) == []
    stop_lab()


def test_a_foreign_container_of_that_name_is_not_touched(engine: docker.DockerClient) -> None:
    foreign = engine.containers.create(IMAGE, name=TARGETS[0].name)
    try:
        with pytest.raises(LabNameTaken, match=TARGETS[0].name):
            start_lab()
        foreign.reload()
    finally:
        foreign.remove()
        stop_lab()


def test_a_missing_image_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.lab.IMAGE", "revalid-lab-that-nobody-built")
    with pytest.raises(LabImageMissing, match="make images"):
        start_lab()
