"""Why a host or an address needs a person's explicit yes before a sandbox may reach it."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable
from enum import StrEnum

from engine.findings.hosts import BadHost, as_address, is_network, is_pattern, normal_host

_Address = ipaddress.IPv4Address | ipaddress.IPv6Address
_Network = ipaddress.IPv4Network | ipaddress.IPv6Network


# The words are stored with every scope and are part of its digest, so none is ever renamed.
class Danger(StrEnum):
    """Why a target needs an explicit yes from a person."""

    third_party = "third_party"
    private = "private"
    loopback = "loopback"
    link_local = "link_local"
    metadata = "metadata"
    wildcard = "wildcard"


# Documentation networks (192.0.2.0/24 and the like) are left out on purpose: nothing answers there.
_NETWORKS: tuple[tuple[_Network, Danger], ...] = tuple(
    (ipaddress.ip_network(network), danger)
    for danger, networks in {
        Danger.loopback: ("127.0.0.0/8", "0.0.0.0/8", "::1/128", "::/128"),
        Danger.link_local: ("169.254.0.0/16", "fe80::/10"),
        Danger.private: (
            "10.0.0.0/8",
            "172.16.0.0/12",
            "192.168.0.0/16",
            "100.64.0.0/10",
            "198.18.0.0/15",
            "240.0.0.0/4",
            "fc00::/7",
            "fec0::/10",
        ),
        # Metadata addresses hand out the credentials of whoever's machine runs the sandbox.
        Danger.metadata: (
            "169.254.169.254/32",  # AWS, Azure, Google, OpenStack and others
            "169.254.170.2/32",  # AWS containers
            "169.254.170.23/32",  # AWS pod identity
            "169.254.42.42/32",  # Scaleway
            "168.63.129.16/32",  # Azure's host, a public address
            "100.100.100.200/32",  # Alibaba
            "192.0.0.192/32",  # Oracle
            "fd00:ec2::254/128",  # AWS
            "fd00:ec2::23/128",  # AWS pod identity
            "fd20:ce::254/128",  # Google
            "fd00:42::42/128",  # Scaleway
        ),
        # One packet to many machines, as a pattern is one name for many.
        Danger.wildcard: ("224.0.0.0/4", "255.255.255.255/32", "ff00::/8"),
    }.items()
    for network in networks
)
_METADATA_NAMES = frozenset(
    {"metadata", "metadata.google.internal", "metadata.azure.internal", "instance-data"}
)
_LOCAL_NAMES = ("localhost", "localdomain", "ip6-localhost", "ip6-loopback")
# Reserved for private use, or so widely used for it that a public name there is no safe guess.
_PRIVATE_ENDINGS = (".local", ".internal", ".intranet", ".lan", ".corp", ".private", ".home.arpa")
# Behind these prefixes an IPv6 address ends in an IPv4 one that a gateway really sends to.
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
_V4_COMPATIBLE = ipaddress.IPv6Network("::/96")


def dangers(where: str | Iterable[str]) -> frozenset[Danger]:
    """The dangers of one host (name, address, network or pattern, in any spelling) or of all given addresses.

    Names are judged by what they are reserved for; what they resolve to is for the caller to ask again.
    What is no host at all counts as `wildcard`, since nobody can say what it would reach.
    """
    hosts = (where,) if isinstance(where, str) else where
    return frozenset(danger for host in hosts for danger in _of_host(host))


def _of_host(text: str) -> frozenset[Danger]:
    try:
        host = normal_host(text)
    except BadHost:
        return frozenset({Danger.wildcard})
    if is_network(host):
        return _of_network(ipaddress.ip_network(host)) | {Danger.wildcard}
    address = as_address(host)
    if address is not None:
        return _of_address(address)
    return _of_name(host)


def _of_address(address: _Address) -> frozenset[Danger]:
    # An address that carries another one is as dangerous as either.
    inner = _embedded(address)
    own = _of_network(ipaddress.ip_network(address))
    return own if inner is None else own | _of_network(ipaddress.ip_network(inner))


def _of_network(network: _Network) -> frozenset[Danger]:
    # Overlap and not containment: a wide network hides the dangerous part inside it.
    return frozenset(
        danger for known, danger in _NETWORKS if known.version == network.version and known.overlaps(network)
    )


def _embedded(address: _Address) -> ipaddress.IPv4Address | None:
    if isinstance(address, ipaddress.IPv4Address):
        return None
    if address in _NAT64 or address in _V4_COMPATIBLE:
        return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    teredo = address.teredo
    return address.ipv4_mapped or address.sixtofour or (teredo[1] if teredo else None)


def _of_name(host: str) -> frozenset[Danger]:
    found: set[Danger] = set()
    if is_pattern(host):
        found.add(Danger.wildcard)
    if host in _METADATA_NAMES:
        found.add(Danger.metadata)
    if host.rpartition(".")[2] in _LOCAL_NAMES:
        found.add(Danger.loopback)
    elif host.endswith(_PRIVATE_ENDINGS) or "." not in host:
        found.add(Danger.private)
    return frozenset(found)
