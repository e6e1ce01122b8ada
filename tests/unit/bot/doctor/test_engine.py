"""The doctor's look at the Docker engine."""

from __future__ import annotations

from typing import Any, cast

import pytest
from docker.api.client import APIClient

from bot.doctor import engine
from bot.doctor.check import Check
from bot.settings import Settings


class Engine:
    """What the checks ask of an engine."""

    def __init__(
        self,
        *,
        version: str = "28.5.2",
        images: tuple[str, ...] = engine.IMAGES,
        networks: tuple[str, ...] = (),
        info: dict[str, Any] | None = None,
    ) -> None:
        self._version, self._images, self._networks = version, images, networks
        self._info = info or {"SecurityOptions": ["name=seccomp"], "CgroupVersion": "2"}

    def version(self) -> dict[str, Any]:
        return {"Version": self._version}

    def images(self) -> list[dict[str, Any]]:
        return [{"RepoTags": [f"{name}:latest"]} for name in self._images] + [{"RepoTags": None}]

    def networks(self) -> list[dict[str, Any]]:
        return [{"Name": name} for name in self._networks]

    def info(self) -> dict[str, Any]:
        return self._info


def checks(engine_: Engine, **given: Any) -> dict[str, Check]:
    found = engine._checks(cast("APIClient", engine_), Settings(_env_file=None, **given))
    return {check.what: check for check in found}


def test_a_good_engine_is_fine_in_every_line() -> None:
    found = checks(Engine(networks=("lab",)), target_networks=("lab",))
    assert {check.level for check in found.values()} == {"ok"}
    assert found["Docker"].says == "engine 28.5.2"
    assert found["images"].says == "revalid-sandbox, revalid-gateway"
    assert found["targets"].says == "Docker networks lab"


@pytest.mark.parametrize(
    ("version", "level"),
    [
        ("20.10.24+dfsg1", "advice"),
        ("23.0.10", "advice"),
        ("23.0.11", "ok"),
        ("24.0.9", "advice"),
        ("25.0.3", "advice"),
        ("25.0.4", "ok"),
        ("26.0.0", "ok"),
        ("29.1.2-rc.1", "ok"),
    ],
)
def test_an_old_engine_is_worth_an_advice(version: str, level: str) -> None:
    assert checks(Engine(version=version))["Docker"].level == level


def test_missing_images_are_named() -> None:
    check = checks(Engine(images=("revalid-sandbox", "debian")))["images"]
    assert (check.level, check.says, check.do) == (
        "problem",
        "Not there: revalid-gateway.",
        "Run `make images`.",
    )


def test_missing_target_networks_are_named() -> None:
    check = checks(Engine(networks=("lab",)), target_networks=("lab", "office"))["targets"]
    assert (check.level, check.says) == ("problem", "There is no Docker network office.")


def test_limits_that_a_rootless_engine_ignores_are_told() -> None:
    options = ["name=seccomp", "name=rootless"]
    old = checks(Engine(info={"SecurityOptions": options, "CgroupVersion": "1"}))
    assert old["limits"].level == "advice"
    assert "limits" not in checks(Engine(info={"SecurityOptions": options, "CgroupVersion": "2"}))


async def test_an_engine_that_is_not_there_is_one_problem() -> None:
    found = await engine.engine_checks(Settings(_env_file=None, docker_url="tcp://127.0.0.1:1"))
    assert [(check.what, check.level) for check in found] == [("Docker", "problem")]
    assert "tcp://127.0.0.1:1" in found[0].says
    assert "REVALID_DOCKER_URL" in found[0].do
