"""Everything of this installation that exists in the engine, found by label and removed in order."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial

from docker.api.client import APIClient
from docker.errors import APIError, NotFound

from engine.sandbox.engine_client import EngineClient
from engine.sandbox.labels import Labels, Role, created_of, role_of, session_of
from engine.sandbox.port import Listed

_CONFLICT = 409


@dataclass
class Leftovers:
    """The parts of one session, by id."""

    created: str = ""
    sandboxes: list[str] = field(default_factory=list)
    gateways: list[str] = field(default_factory=list)
    volumes: list[str] = field(default_factory=list)
    running: set[str] = field(default_factory=set)


async def find(client: EngineClient, labels: Labels, session_id: int | None = None) -> dict[int, Leftovers]:
    """What there is of one session or of all, never-started containers and lone volumes too."""

    def work(api: APIClient) -> dict[int, Leftovers]:
        wanted = labels.filter(session_id)
        sessions: dict[int, Leftovers] = {}
        for container in api.containers(all=True, filters=wanted):
            marks = container["Labels"]
            session = sessions.setdefault(session_of(marks), Leftovers(created_of(marks)))
            parts = session.sandboxes if role_of(marks) is Role.sandbox else session.gateways
            parts.append(container["Id"])
            if container["State"] == "running":
                session.running.add(container["Id"])
        for volume in api.volumes(filters=wanted)["Volumes"] or ():
            marks = volume["Labels"]
            session = sessions.setdefault(session_of(marks), Leftovers(created_of(marks)))
            session.volumes.append(volume["Name"])
        return sessions

    return await client.call(work)


async def remove(client: EngineClient, leftovers: Leftovers) -> None:
    """Take all parts away: first what uses, then what is used."""
    # Podman refuses to remove a gateway while a sandbox lives in its network, and volumes in use stay.
    for containers in (leftovers.sandboxes, leftovers.gateways):
        await asyncio.gather(*(client.call(partial(_container, id_)) for id_ in containers))
    await asyncio.gather(*(client.call(partial(_volume, name)) for name in leftovers.volumes))


def listed(sessions: dict[int, Leftovers]) -> tuple[Listed, ...]:
    """As the port tells it."""
    return tuple(
        Listed(session_id=session, created=parts.created, running=frozenset(parts.running))
        for session, parts in sorted(sessions.items())
    )


def _container(container_id: str, api: APIClient) -> None:
    try:
        # By force: the first process ignores a polite stop, and each would cost ten seconds.
        api.remove_container(container_id, force=True)
    except NotFound:
        return
    except APIError as error:
        # Somebody else is removing it at this moment.
        if error.status_code != _CONFLICT:
            raise


def _volume(name: str, api: APIClient) -> None:
    with suppress(NotFound):
        api.remove_volume(name, force=True)
