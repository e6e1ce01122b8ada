"""Which `host:port` a sandbox may reach: propose, parse, change, resolve, match.

A scope is proposed from a finding's structured endpoints only, never from its text, evidence or commands. A
person confirms it; names are resolved once and what they came to is checked again.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Awaitable, Callable, Sequence

from pydantic import BaseModel, ConfigDict, field_serializer

from engine.dangers import Danger, dangers
from engine.errors import ScopeError
from engine.findings.endpoints import parse_endpoint
from engine.findings.hosts import (
    BadHost,
    as_address,
    bracketed,
    is_network,
    is_pattern,
    normal_host,
    port_number,
)
from engine.findings.model import Finding

__all__ = [
    "Danger",
    "DangerousTarget",
    "Pin",
    "Pinned",
    "Resolve",
    "Scope",
    "Target",
    "accept",
    "add",
    "covers",
    "dangers",
    "labels",
    "look_up",
    "parse_target",
    "pin",
    "propose",
    "strike",
    "unconfirmed",
]

# A /24; each address becomes elements of the firewall's sets, one for every port and protocol.
MAX_ADDRESSES = 256
"""Addresses that one target may come to, a network above all."""

Resolve = Callable[[str], Awaitable[Sequence[str]]]
"""Gives the addresses of a name, both families; raises OSError or gives none when there are none."""


class DangerousTarget(ScopeError):
    """A target came to an address that nobody said yes to; strike it or accept it."""

    # The address is told besides the name, since a name may point where nobody expects.
    def __init__(self, host: str, address: str, found: frozenset[Danger]) -> None:
        words = ", ".join(sorted(danger.value.replace("_", " ") for danger in found))
        place = bracketed(host) if host == address else f"{bracketed(host)} (at {address})"
        super().__init__(f"{place} is {words}; that needs an explicit yes before anything is sent there.")
        self.host = host
        self.address = address
        self.dangers = found


class Target(BaseModel):
    """One host with its ports, as a person confirmed it. No ports means that they are still to be named."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    host: str
    """A lower-case name or address, IPv6 without brackets; or a network or pattern, which needs a yes."""
    ports: tuple[int, ...] = ()
    accepted: frozenset[Danger] = frozenset()
    """The dangers that the person said yes to."""
    flagged: frozenset[Danger] = frozenset()
    """Dangers that the host's spelling does not show: from the source (`third_party`) or from `look_up`."""

    # In one order, so that a digest of a scope is the same in every process.
    @field_serializer("accepted", "flagged")
    def _in_order(self, value: frozenset[Danger]) -> list[str]:
        return sorted(value)


class Scope(BaseModel):
    """All targets of a session."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    targets: tuple[Target, ...] = ()


class Pin(BaseModel):
    """A target with the addresses it resolved to when the sandbox was built."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    host: str
    addresses: tuple[str, ...]
    ports: tuple[int, ...]


class Pinned(BaseModel):
    """A scope ready for the firewall."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    pins: tuple[Pin, ...] = ()


def propose(finding: Finding) -> Scope:
    """The scope that a finding's own endpoints suggest, nothing accepted yet."""
    scope = Scope()
    # A host that the finding names on its own account elsewhere is no third party.
    own = {endpoint.host for endpoint in finding.endpoints if not endpoint.third_party}
    for endpoint in finding.endpoints:
        if endpoint.host is None:
            continue
        scope = add(
            scope,
            Target(
                host=endpoint.host,
                ports=() if endpoint.port is None else (endpoint.port,),
                flagged=frozenset() if endpoint.host in own else frozenset({Danger.third_party}),
            ),
        )
    return scope


def parse_target(text: str) -> Target:
    """What an operator adds, as a target.

    `host`, `host:443`, `host:8443,80`, `[2001:db8::1]:443`, `192.0.2.0/28:80` or a URL. Raises `ScopeError`.
    """
    text = text.strip()
    ports: tuple[int, ...]
    try:
        if "://" in text:
            endpoint = parse_endpoint(text)
            host, ports = endpoint.host or "", () if endpoint.port is None else (endpoint.port,)
        else:
            written, listed = _split_ports(text)
            host = normal_host(written)
            ports = tuple(sorted({port_number(port) for port in listed.split(",")})) if listed else ()
    except BadHost as error:
        raise ScopeError(f"{error}; name a host with a port, such as app.example.com:443.") from error
    if not host:
        raise ScopeError(f"{text!r} names no host; name a host with a port, such as app.example.com:443.")
    return Target(host=host, ports=ports)


def add(scope: Scope, target: Target) -> Scope:
    """The scope with a target; ports and accepted dangers join those of the same host."""
    if all(known.host != target.host for known in scope.targets):
        return Scope(targets=(*scope.targets, target))
    return Scope(targets=tuple(_joined(known, target) for known in scope.targets))


def strike(scope: Scope, text: str) -> Scope:
    """The scope without a host, or without named ports of it. Raises `ScopeError` when it is not there."""
    struck = parse_target(text)
    known = next((target for target in scope.targets if target.host == struck.host), None)
    # A struck port that was never there is refused, or a slip would leave the real one open unnoticed.
    if known is None or not set(struck.ports) <= set(known.ports):
        raise ScopeError(f"{text.strip()} is not in the scope, so it cannot be struck.")
    left = tuple(port for port in known.ports if port not in struck.ports)
    changed = [known.model_copy(update={"ports": left})] if struck.ports and left else []
    kept = ([target] if target is not known else changed for target in scope.targets)
    return Scope(targets=tuple(target for targets in kept for target in targets))


def accept(scope: Scope, host: str, found: frozenset[Danger] | None = None) -> Scope:
    """The scope with a person's yes to what is known of a host, or to just the dangers that were shown."""
    normal = parse_target(host).host
    if all(target.host != normal for target in scope.targets):
        raise ScopeError(f"{host} is not in the scope, so it cannot be accepted.")
    return Scope(
        targets=tuple(
            target.model_copy(
                update={"accepted": target.accepted | (_all_dangers(target) if found is None else found)}
            )
            if target.host == normal
            else target
            for target in scope.targets
        )
    )


def unconfirmed(scope: Scope) -> tuple[tuple[Target, frozenset[Danger]], ...]:
    """The targets that still need a yes, each with the reasons."""
    open_ones = ((target, _all_dangers(target) - target.accepted) for target in scope.targets)
    return tuple((target, found) for target, found in open_ones if found)


def labels(target: Target) -> tuple[str, ...]:
    """`host:port` for every port, or the bare host while no port is named; IPv6 in brackets."""
    return tuple(bracketed(target.host, port) for port in target.ports) or (bracketed(target.host),)


async def look_up(scope: Scope, resolve: Resolve) -> Scope:
    """The scope with what its names resolve to now added to `flagged`, so that a person is asked in time.

    Decides nothing: a name without an address stays as it is, and `pin` checks everything again.
    """
    targets: list[Target] = []
    for target in scope.targets:
        try:
            addresses = await _addresses(target, resolve)
        except ScopeError:
            # A name that cannot be resolved yet may be right by the time the sandbox is built.
            addresses = ()
        targets.append(target.model_copy(update={"flagged": target.flagged | dangers(addresses)}))
    return Scope(targets=tuple(targets))


def check(scope: Scope) -> None:
    """Raise `ScopeError` unless every target has a port and a yes to the dangers known so far."""
    if not scope.targets:
        raise ScopeError("The scope is empty; add a host with a port, such as app.example.com:443.")
    for target in scope.targets:
        if not target.ports:
            raise ScopeError(
                f"{bracketed(target.host)} has no port; name one, such as {bracketed(target.host, 443)}."
            )
        if found := _all_dangers(target) - target.accepted:
            raise DangerousTarget(target.host, target.host, found)


async def pin(scope: Scope, resolve: Resolve) -> Pinned:
    """Resolve every name once and check what it came to.

    Fails closed with a `ScopeError` (a `DangerousTarget` where a yes is missing): an empty scope, a target
    without ports, a pattern, a name without addresses, and any address with a danger that was not accepted.
    """
    check(scope)
    # One after the other, so that the problem told is the first in the person's own order.
    return Pinned(pins=tuple([await _pin(target, resolve) for target in scope.targets]))


def covers(scope: Scope | Pinned, host: str, port: int) -> bool:
    """Whether a host (a name or an address) and port are within the scope."""
    try:
        normal = normal_host(host)
    except BadHost:
        return False
    if isinstance(scope, Pinned):
        # After pinning only what was resolved counts; the name's later answers are somebody else's word.
        return any(port in pin.ports and normal in (pin.host, *pin.addresses) for pin in scope.pins)
    return any(port in target.ports and _matches(target.host, normal) for target in scope.targets)


async def _pin(target: Target, resolve: Resolve) -> Pin:
    addresses = await _addresses(target, resolve)
    # A harmless name may point anywhere, so the yes that counts is the one for the address.
    for address in addresses:
        if found := dangers(address) - target.accepted:
            raise DangerousTarget(target.host, address, found)
    return Pin(host=target.host, addresses=addresses, ports=target.ports)


async def _addresses(target: Target, resolve: Resolve) -> tuple[str, ...]:
    host = target.host
    if as_address(host):
        return (host,)
    if is_network(host):
        network = ipaddress.ip_network(host)
        if network.num_addresses > MAX_ADDRESSES:
            raise ScopeError(
                f"{host} is larger than {MAX_ADDRESSES} addresses; name a smaller network or the hosts."
            )
        # Network and broadcast address stay in: in a routed /31 or a cloud they are ordinary hosts.
        return tuple(str(address) for address in network)
    # A firewall knows addresses, and a wildcard has none that could be listed.
    if is_pattern(host):
        raise ScopeError(f"{host} is a pattern, not a host; strike it and add the hosts that you mean.")
    try:
        answers = await resolve(host)
        # Resolvers answer in odd spellings (zones, mapped IPv4) that would slip past the danger check.
        addresses = tuple(dict.fromkeys(normal_host(answer) for answer in answers))
    except (OSError, BadHost) as error:
        raise ScopeError(f"{host} could not be resolved, so nothing was opened; check the name.") from error
    if not addresses or not all(as_address(address) for address in addresses):
        raise ScopeError(f"{host} has no address, so nothing was opened; check the name.")
    # A hostile zone can answer with thousands, and the firewall is loaded with each of them.
    if len(addresses) > MAX_ADDRESSES:
        raise ScopeError(
            f"{host} has more than {MAX_ADDRESSES} addresses; add the ones that you mean instead."
        )
    return addresses


def _all_dangers(target: Target) -> frozenset[Danger]:
    return dangers(target.host) | target.flagged


def _joined(known: Target, target: Target) -> Target:
    if known.host != target.host:
        return known
    return Target(
        host=known.host,
        ports=tuple(sorted({*known.ports, *target.ports})),
        accepted=known.accepted | target.accepted,
        flagged=known.flagged | target.flagged,
    )


def _matches(pattern: str, host: str) -> bool:
    if not is_network(pattern):
        return pattern == host
    address = as_address(host)
    return address is not None and address in ipaddress.ip_network(pattern)


def _split_ports(text: str) -> tuple[str, str]:
    """The host as written and its comma-separated ports."""
    if text.startswith("["):
        host, bracket, rest = text.partition("]")
        length, colon, ports = rest.partition(":")
        written = host + bracket + length
    # Several colons are a bare IPv6 address; its port needs brackets.
    elif text.count(":") > 1 and "," not in text:
        written, colon, ports = text, "", ""
    else:
        written, colon, ports = text.partition(":")
    if colon and not ports:
        raise BadHost(f"{text!r} ends where a port should be")
    return written, ports.replace(" ", "")
