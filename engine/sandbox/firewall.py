"""The allow-list of one session as an nftables ruleset, and what it refused. Pure text in, text out."""

from __future__ import annotations

import ipaddress
import json
from collections.abc import Iterable
from typing import Any

from engine.errors import ScopeError
from engine.sandbox.port import Denied
from engine.scope import Pinned

TABLE = "revalid"
_PROTOCOLS = ("tcp", "udp")
_PROTOCOL_NUMBERS = {6: "tcp", 17: "udp"}

# Accepting by address and not by connection state: a narrowed scope cuts open connections too.
# No target gets in, since no command may listen; ICMP has no ports, so ping goes by address alone.
_CHAINS = """\
  set denied4 { type ipv4_addr . inet_proto . inet_service; flags dynamic; size 1024; counter; }
  set denied6 { type ipv6_addr . inet_proto . inet_service; flags dynamic; size 1024; counter; }
  chain out {
    type filter hook output priority 0; policy drop;
    ip daddr 127.0.0.11 reject with icmpx admin-prohibited
    oif lo accept
    ip daddr . meta l4proto . th dport @allow4 accept
    ip6 daddr . meta l4proto . th dport @allow6 accept
    ip daddr @peer4 icmp type echo-request accept
    ip6 daddr @peer6 icmpv6 type echo-request accept
    icmpv6 type { nd-neighbor-solicit, nd-neighbor-advert, nd-router-solicit } accept
    meta nfproto ipv4 meta l4proto { tcp, udp } add @denied4 { ip daddr . meta l4proto . th dport }
    meta nfproto ipv6 meta l4proto { tcp, udp } add @denied6 { ip6 daddr . meta l4proto . th dport }
    reject with icmpx admin-prohibited
  }
  chain in {
    type filter hook input priority 0; policy drop;
    iif lo accept
    icmpv6 type { nd-neighbor-solicit, nd-neighbor-advert, nd-router-advert } accept
    ct state established,related accept
  }
  chain through { type filter hook forward priority 0; policy drop; }
"""


def session_rules(pinned: Pinned) -> str:
    """The whole ruleset for `nft -f -`, replacing what was there in one transaction.

    A pinned port is open for TCP and UDP. Docker's own resolver is refused before the loopback rule, since
    it would carry any name out. A refusal is `admin-prohibited`: it fails at once and never reads as closed.
    Raises `ScopeError` for something that is no address or no port.
    """
    allowed: dict[int, set[tuple[str, int]]] = {4: set(), 6: set()}
    for pin in pinned.pins:
        for text in pin.addresses:
            address = address_of(text)
            allowed[address.version] |= {(str(address), _port(port)) for port in pin.ports}
    # Declared before it is deleted, because nft fails on deleting a table that is not there.
    lines = [f"table inet {TABLE}", f"delete table inet {TABLE}", f"table inet {TABLE} {{"]
    for version, pairs in allowed.items():
        opened = [f"{host} . {proto} . {port}" for host, port in sorted(pairs) for proto in _PROTOCOLS]
        kind = f"ipv{version}_addr"
        lines.append(_set(f"allow{version}", f"{kind} . inet_proto . inet_service", opened))
        lines.append(_set(f"peer{version}", kind, sorted({host for host, _ in pairs})))
    return "\n".join(lines) + f"\n{_CHAINS}}}\n"


def address_of(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address:
    """An address in one spelling, IPv4 in IPv6 unwrapped. Raises `ScopeError` for anything else."""
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        raise ScopeError(f"{text!r} is not an address that the sandbox can be opened to.") from None
    if isinstance(address, ipaddress.IPv6Address):
        # The kernel sends these over IPv4, where only the IPv4 set is looked at.
        if address.ipv4_mapped:
            return address.ipv4_mapped
        if address.scope_id:
            raise ScopeError(f"{text} names an interface; give the address without it.")
    return address


def parse_denied(listings: Iterable[str]) -> tuple[Denied, ...]:
    """What the `denied` sets hold, from `nft -j list set`, one listing an item, most packets first."""
    found = [
        _denied(element["elem"])
        for listing in listings
        for item in json.loads(listing)["nftables"]
        for element in item.get("set", {}).get("elem", ())
    ]
    return tuple(sorted(found, key=lambda denied: -denied.packets))


def _denied(element: dict[str, Any]) -> Denied:
    address, protocol, port = element["val"]["concat"]
    return Denied(
        address=address,
        port=int(port),
        protocol=_PROTOCOL_NUMBERS.get(protocol, str(protocol)),
        packets=element["counter"]["packets"],
    )


def _set(name: str, kind: str, elements: list[str]) -> str:
    # nft takes an empty list of elements for a syntax error.
    listed = f" elements = {{ {', '.join(elements)} }};" if elements else ""
    return f"  set {name} {{ type {kind};{listed} }}"


def _port(port: int) -> int:
    if not 0 < port < 1 << 16:
        raise ScopeError(f"{port} is not a port; ports go from 1 to 65535.")
    return port
