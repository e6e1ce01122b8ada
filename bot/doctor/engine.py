"""The Docker engine: whether it answers, how old it is, and whether images and target networks are there."""

from __future__ import annotations

import re
from collections.abc import Iterator

from docker.api.client import APIClient

from bot.doctor.check import Check, advice, fine, problem
from bot.settings import Settings, variable_of
from engine.errors import SandboxError
from engine.sandbox.engine_client import EngineClient

IMAGES = ("revalid-sandbox", "revalid-gateway")
SECONDS = 10
"""Patience with an engine that hangs."""

_PATCHED = ((23, 0, 11), (25, 0, 4), (26, 0, 0))
"""The first of each line without CVE-2024-29018, with which a sandbox's DNS questions leave it."""


async def engine_checks(settings: Settings) -> tuple[Check, ...]:
    """Everything about the engine."""
    client = EngineClient(settings.docker_url, timeout=SECONDS)
    try:
        return await client.call(lambda api: tuple(_checks(api, settings)))
    except SandboxError:
        where = settings.docker_url or "its usual address"
        do = f"Start it (`systemctl start docker`), or set {variable_of('docker_url')}; the user that runs "
        return (
            problem(
                "Docker", f"The engine does not answer at {where}.", f"{do}Revalid must be in its group."
            ),
        )
    finally:
        client.close()


def _checks(api: APIClient, settings: Settings) -> Iterator[Check]:
    yield _version(str(api.version()["Version"]))
    yield from _limits(api)
    yield _images(api)
    yield from _networks(api, settings)


def _version(version: str) -> Check:
    numbers = tuple(int(part) for part in re.findall(r"\d+", version)[:3])
    if _is_patched(numbers):
        return fine("Docker", f"engine {version}")
    return advice(
        "Docker",
        f"engine {version}: the sandbox's lock holds on it",
        "Update it to 26.0 or later when you can: older ones let DNS out of networks (CVE-2024-29018).",
    )


def _is_patched(version: tuple[int, ...]) -> bool:
    return version >= _PATCHED[-1] or any(line <= version < (line[0] + 1,) for line in _PATCHED)


def _limits(api: APIClient) -> Iterator[Check]:
    info = api.info()
    rootless = any("rootless" in option for option in info.get("SecurityOptions") or ())
    if rootless and str(info.get("CgroupVersion")) == "1":
        yield advice(
            "limits",
            "A rootless engine on cgroup v1 ignores the limits of memory and processes.",
            "Boot with cgroup v2 (`systemd.unified_cgroup_hierarchy=1`), or run the engine as root.",
        )


def _images(api: APIClient) -> Check:
    there = {tag.partition(":")[0] for image in api.images() for tag in image.get("RepoTags") or ()}
    if gone := [name for name in IMAGES if name not in there]:
        return problem("images", f"Not there: {', '.join(gone)}.", "Run `make images`.")
    return fine("images", ", ".join(IMAGES))


def _networks(api: APIClient, settings: Settings) -> Iterator[Check]:
    if not settings.target_networks:
        return
    there = {network["Name"] for network in api.networks()}
    gone = [name for name in settings.target_networks if name not in there]
    if gone:
        yield problem(
            "targets",
            f"There is no Docker network {', '.join(gone)}.",
            f"Start what brings it, or take it out of {variable_of('target_networks')}.",
        )
    else:
        yield fine("targets", f"Docker networks {', '.join(settings.target_networks)}")
