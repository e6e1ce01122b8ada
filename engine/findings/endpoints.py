"""Endpoints from the texts and objects in which tools write them."""

from __future__ import annotations

import re
from collections.abc import Mapping

from engine.findings.hosts import DEFAULT_PORTS, BadHost, looks_like_network, normal_host, port_number
from engine.findings.limits import MAX_ENDPOINTS
from engine.findings.model import Endpoint
from engine.findings.text import excerpt, first_given, inert, is_given

# Not urlsplit: it drops tabs and line ends in silence, and a proof may rest on exactly those.
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]{0,31})://")
_PARTS = re.compile(r"([^/?#]*)([^?#]*)(?:\?([^#]*))?(?:#(.*))?", re.DOTALL)
# A backslash is a slash to a browser and a plain character to others: the two see different hosts.
_CONFUSING = re.compile(r"[\\\s]")


def parse_endpoint(text: str) -> Endpoint:
    """An endpoint from a URL, `host[:port][/path]`, a network, or a bare path.

    Path, query and fragment stay as written. Without a port the scheme's default is taken; without a scheme
    the port stays unknown. Raises `BadHost`.
    """
    text = text.strip()
    # Before anything else, since 192.0.2.0/28 also reads as a host with the path /28.
    if looks_like_network(text):
        return Endpoint(host=normal_host(text))
    if match := _SCHEME.match(text):
        scheme, text = match[1].lower(), text[match.end() :]
    else:
        scheme = None
    parts = _PARTS.fullmatch(text)
    authority, path, query, fragment = (
        (inert_part or "" for inert_part in parts.groups()) if parts else ("",) * 4
    )
    userinfo, host, port = split_authority(authority)
    if host is not None and port is None and scheme is not None:
        port = DEFAULT_PORTS.get(scheme)
    return Endpoint(
        scheme=scheme,
        host=host,
        port=port,
        path=inert(path),
        query=inert(query),
        fragment=inert(fragment),
        userinfo=inert(userinfo),
    )


def split_authority(authority: str) -> tuple[str, str | None, int | None]:
    """`user:password@host:port` as userinfo, normal host and port. Raises `BadHost`."""
    if not authority:
        return "", None, None
    if inert(authority) != authority or _CONFUSING.search(authority):
        raise BadHost(f"{excerpt(authority)!r} does not name one host to every reader")
    # The last @ counts, to curl and to browsers alike; whatever stands before it is no host.
    userinfo, _, rest = authority.rpartition("@")
    if rest.startswith("["):
        host, bracket, port = rest.partition("]")
        host += bracket
    # More than one colon without brackets can only be an IPv6 address, which then has no port.
    elif rest.count(":") > 1:
        host, port = rest, ""
    else:
        host, colon, port = rest.partition(":")
        port = colon + port
    if port and not port.startswith(":"):
        raise BadHost(f"{excerpt(authority)!r} is not a host with a port")
    digits = port.removeprefix(":")
    return userinfo, normal_host(host), port_number(digits) if digits else None


def endpoint_of(value: object) -> Endpoint:
    """An endpoint from a text or from `{protocol, host, port, path, query, fragment, userinfo}`.

    Raises `BadHost`.
    """
    if isinstance(value, str):
        return parse_endpoint(value)
    if not isinstance(value, Mapping):
        raise BadHost(f"{excerpt(value)} is neither a text nor an object")
    host = first_given(value, "host")
    if not isinstance(host, str | None):
        raise BadHost(f"{excerpt(host)} is not a host")
    # Exporters put whole URLs into the host field, so it is read like any other text.
    parsed = parse_endpoint(host) if host else Endpoint()
    scheme = _text(value, "protocol").lower().removesuffix("://") or parsed.scheme
    port = port_number(value["port"]) if is_given(value.get("port")) else parsed.port
    path = _text(value, "path") or parsed.path
    return Endpoint(
        scheme=scheme,
        host=parsed.host,
        port=port or (DEFAULT_PORTS.get(scheme or "") if parsed.host else None),
        path=f"/{path}" if path and parsed.host and not path.startswith("/") else path,
        query=_text(value, "query").removeprefix("?") or parsed.query,
        fragment=_text(value, "fragment").removeprefix("#") or parsed.fragment,
        userinfo=_text(value, "userinfo") or parsed.userinfo,
    )


def endpoints_of(value: object, notes: list[str]) -> tuple[Endpoint, ...]:
    """All endpoints of a list (or of a single value), without repeats; what is not one becomes a note."""
    if not is_given(value):
        return ()
    entries = value if isinstance(value, list) else [value]
    if len(entries) > MAX_ENDPOINTS:
        notes.append(f"Only the first {MAX_ENDPOINTS:,} of {len(entries):,} endpoints were taken.")
    endpoints: dict[Endpoint, None] = {}
    for entry in entries[:MAX_ENDPOINTS]:
        try:
            endpoint = endpoint_of(entry)
        except BadHost as error:
            notes.append(f"Endpoint left out: {excerpt(str(error), 120)}.")
            continue
        if endpoint.address or endpoint.path:
            endpoints[endpoint] = None
    return tuple(endpoints)


def _text(value: Mapping[str, object], name: str) -> str:
    field = value.get(name)
    return inert(field).strip() if isinstance(field, str) and is_given(field) else ""
