"""Which Docker networks a gateway joins, and who is on them."""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import socket
from collections.abc import AsyncIterator
from typing import Any

from docker.api.client import APIClient
from docker.errors import APIError, NotFound

from engine.errors import ScopeError
from engine.sandbox.engine_client import EngineClient
from engine.sandbox.firewall import address_of
from engine.sandbox.labels import Labels
from engine.scope import Pinned


class Networks:
    """The target networks by name, and one bridge of our own for everything else."""

    def __init__(self, client: EngineClient, labels: Labels, targets: tuple[str, ...]) -> None:
        self._client = client
        self._labels = labels
        self._targets = targets
        self._bridge = f"{labels.instance}-outside"
        # Counted, because a network without a container looks unused while a gateway is about to join it.
        self._building = 0
        self._changing = asyncio.Lock()

    @contextlib.asynccontextmanager
    async def for_scope(self, pinned: Pinned) -> AsyncIterator[tuple[str, ...]]:
        """The networks that a scope needs, there until the gateway that joins them runs.

        A target network is joined only when a pinned address lies on it, and the bridge only when one does
        not: what is not joined needs no rule.
        """
        addresses = {address_of(address) for pin in pinned.pins for address in pin.addresses}
        self._building += 1
        try:
            joined = []
            for network in await self._client.call(self._inspect_targets):
                here = {
                    address for address in addresses if any(address in subnet for subnet in _subnets(network))
                }
                if here:
                    joined.append(network["Name"])
                    # Each address belongs to one network, or two routes to a target would compete.
                    addresses -= here
            # One bridge for all sessions: Docker's default address pools give about thirty networks in all.
            if addresses or not joined:
                async with self._changing:
                    await self._client.call(self._ensure_bridge)
                joined.append(self._bridge)
            yield tuple(joined)
        finally:
            self._building -= 1

    async def tidy(self) -> None:
        """Remove the bridge unless a gateway is on it or about to be."""
        async with self._changing:
            if not self._building:
                await self._client.call(self._remove_bridge)

    async def resolve(self, host: str) -> tuple[str, ...]:
        """Addresses of a container's name or alias on a target network, else of a name in DNS.

        Raises `ScopeError` when nobody knows the name.
        """
        with contextlib.suppress(ValueError):
            return (str(ipaddress.ip_address(host)),)
        name = host.lower().rstrip(".")
        # The lab comes first, or a name that somebody registered outside would win over the lab's own.
        found = await self._client.call(lambda api: self._find(api, name)) if self._targets else ()
        return found or await self._client.off_loop(lambda: _look_up(name))

    def _inspect_targets(self, api: APIClient) -> list[dict[str, Any]]:
        networks = []
        for name in self._targets:
            # A practice lab that is not running is no reason to refuse a target elsewhere.
            with contextlib.suppress(NotFound):
                networks.append(api.inspect_network(name))
        return networks

    def _find(self, api: APIClient, name: str) -> tuple[str, ...]:
        found: list[str] = []
        for network in self._inspect_targets(api):
            # Asked of the engine: the application may run where Docker's own resolver is out of reach.
            for container_id in network["Containers"] or {}:
                with contextlib.suppress(NotFound):
                    container = api.inspect_container(container_id)
                    found += _addresses(container, network["Name"], name)
        return tuple(dict.fromkeys(found))

    def _ensure_bridge(self, api: APIClient) -> None:
        if api.networks(names=[self._bridge], filters=self._labels.filter_shared()):
            return
        api.create_network(
            self._bridge,
            driver="bridge",
            # Sessions share the bridge and must not see each other on it.
            options={"com.docker.network.bridge.enable_icc": "false"},
            labels=self._labels.shared(),
            check_duplicate=True,
        )

    def _remove_bridge(self, api: APIClient) -> None:
        # The engine itself refuses while somebody is on it.
        with contextlib.suppress(APIError):
            api.remove_network(self._bridge)


def _subnets(network: dict[str, Any]) -> list[ipaddress.IPv4Network | ipaddress.IPv6Network]:
    return [
        ipaddress.ip_network(entry["Subnet"])
        for entry in network["IPAM"]["Config"] or ()
        if "Subnet" in entry
    ]


def _addresses(container: dict[str, Any], network: str, name: str) -> list[str]:
    endpoint = container["NetworkSettings"]["Networks"].get(network)
    if endpoint is None:
        return []
    known = {container["Name"].lstrip("/").lower(), *(alias.lower() for alias in endpoint["Aliases"] or ())}
    if name not in known:
        return []
    return [address for address in (endpoint["IPAddress"], endpoint["GlobalIPv6Address"]) if address]


def _look_up(name: str) -> tuple[str, ...]:
    try:
        answers = socket.getaddrinfo(name, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise ScopeError(f"Nobody knows the name {name}; check its spelling, or give the address.") from None
    return tuple(dict.fromkeys(str(answer[4][0]) for answer in answers))
