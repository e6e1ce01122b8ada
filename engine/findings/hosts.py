"""One spelling for every way to write a host, so that two spellings can never slip past a scope.

Follows the WHATWG URL rules where they are stricter than Python: `2130706433`, `0x7f.1` and `127.0.0.1` are
the same host to curl and to a browser, so they are the same host here.
"""

from __future__ import annotations

import ipaddress
import re
from functools import lru_cache

import idna

DEFAULT_PORTS = {
    "http": 80,
    "https": 443,
    "ws": 80,
    "wss": 443,
    "ftp": 21,
    "ssh": 22,
    "sftp": 22,
    "telnet": 23,
    "smtp": 25,
    "imap": 143,
    "imaps": 993,
    "ldap": 389,
    "ldaps": 636,
    "smb": 445,
    "mysql": 3306,
    "rdp": 3389,
    "postgresql": 5432,
    "redis": 6379,
    "mongodb": 27017,
}
_MAX_NAME = 253
_MAX_PORT = 65535
_IPV4_PARTS = 4

# Underscores are no host names by the book, but containers and Windows machines have them.
_LABEL = re.compile(r"[a-z0-9_*](?:[a-z0-9_*-]{0,61}[a-z0-9_*])?")
# A last label of digits makes the whole an address to curl and browsers, however odd the rest looks.
_NUMERIC_LABEL = re.compile(r"[0-9]+|0x[0-9a-f]*")
_NETWORK = re.compile(r"\[?[0-9a-fA-F:.]+\]?/[0-9]{1,3}")


class BadHost(ValueError):
    """This is not a host."""


@lru_cache(maxsize=4096)
def normal_host(text: str) -> str:
    """The host in its one spelling: lower-case A-labels, or an address without brackets, zone and odd bases.

    A pattern (`*.example.com`) and a network (`192.0.2.0/28`) pass, see `is_pattern`. Raises `BadHost`.
    """
    if "/" in text:
        return _network(text)
    bare = text[1:-1] if text.startswith("[") and text.endswith("]") else text
    if ":" in bare:
        return _ipv6(bare)
    # The trailing dot names the same host to DNS and another one to a plain comparison.
    name = _ascii(bare).removesuffix(".")
    labels = name.split(".")
    if _NUMERIC_LABEL.fullmatch(labels[-1]):
        return _ipv4(labels, text)
    if len(name) > _MAX_NAME or not all(_LABEL.fullmatch(label) for label in labels):
        raise BadHost(f"{text!r} is not a host name")
    return name


def is_network(host: str) -> bool:
    """Whether a normal host is a whole network, such as `192.0.2.0/28`."""
    return "/" in host


def is_pattern(host: str) -> bool:
    """Whether a normal host stands for more than one machine."""
    return is_network(host) or "*" in host


def looks_like_network(text: str) -> bool:
    """Whether a text is meant as a network rather than as a host with a path."""
    return _NETWORK.fullmatch(text.strip()) is not None


def as_address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """The address that a normal host spells, or None for a name or a network."""
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


def bracketed(host: str, port: int | None = None) -> str:
    """`host:port` for people, an IPv6 address in brackets, as everything here reads it back."""
    address, slash, length = host.partition("/")
    shown = f"[{address}]{slash}{length}" if ":" in host else host
    return shown if port is None else f"{shown}:{port}"


def port_number(value: object) -> int:
    """A port from a number or its digits. Raises `BadHost`."""
    text = str(value).strip() if isinstance(value, int | str) and not isinstance(value, bool) else ""
    # `isdigit` alone would take digits of other scripts.
    if text.isascii() and text.isdigit() and len(text) <= len(str(_MAX_PORT)) and 0 < int(text) <= _MAX_PORT:
        return int(text)
    raise BadHost(f"{value!r} is not a port")


def _ascii(name: str) -> str:
    if name.isascii():
        return name.lower()
    try:
        # As browsers do: full-width digits and dots become plain ones before anything is compared.
        mapped = idna.uts46_remap(name, std3_rules=False, transitional=False)
        return mapped.lower() if mapped.isascii() else idna.encode(mapped).decode("ascii").lower()
    except (idna.IDNAError, UnicodeError) as error:
        raise BadHost(f"{name!r} is not a host name") from error


def _network(text: str) -> str:
    address, _, length = text.strip().partition("/")
    try:
        # People write 192.0.2.17/28 for the network that the host is in.
        return str(ipaddress.ip_network(f"{address.strip('[]')}/{length}", strict=False))
    except ValueError as error:
        raise BadHost(f"{text!r} is not a network") from error


def _ipv6(text: str) -> str:
    # A zone names an interface of the machine that wrote it and means nothing on another.
    address, _, _zone = text.partition("%")
    try:
        parsed = ipaddress.IPv6Address(address)
    except ValueError as error:
        raise BadHost(f"{text!r} is not an IPv6 address") from error
    # The system sends a mapped address over IPv4, where only the IPv4 rules of a firewall see it.
    return str(parsed.ipv4_mapped or parsed)


def _ipv4(labels: list[str], text: str) -> str:
    try:
        numbers = [_ipv4_part(label) for label in labels]
    except ValueError as error:
        raise BadHost(f"{text!r} is not an IPv4 address") from error
    *leading, last = numbers
    room = 256 ** (_IPV4_PARTS + 1 - len(numbers)) if len(numbers) <= _IPV4_PARTS else 0
    if last >= room or any(number > 255 for number in leading):  # noqa: PLR2004 - an octet
        raise BadHost(f"{text!r} is not an IPv4 address")
    value = last + sum(number * 256 ** (3 - place) for place, number in enumerate(leading))
    return str(ipaddress.IPv4Address(value))


def _ipv4_part(label: str) -> int:
    if label.startswith("0x"):
        return int(label[2:] or "0", 16)
    # A leading zero means octal to curl and browsers; Python's own parser refuses such an address.
    if len(label) > 1 and label.startswith("0"):
        return int(label, 8)
    return int(label)
