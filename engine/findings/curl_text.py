"""A curl command that a tool printed, read as the request it makes. It is read, never run."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, field

from engine.findings.endpoints import parse_endpoint
from engine.findings.hosts import BadHost
from engine.findings.http_command import HttpRequest
from engine.findings.model import Endpoint

# These only change how curl prints, trusts or tidies; the command that is made here chooses its own.
_SILENT = frozenset(
    {"-k", "--insecure", "-i", "--include", "-s", "-S", "-sS", "--path-as-is", "-g", "--compressed"}
)
_METHOD = frozenset({"-X", "--request"})
_HEADER = frozenset({"-H", "--header"})
_DATA = frozenset({"-d", "--data", "--data-ascii", "--data-binary", "--data-raw"})
_MAX_LENGTH = 100_000


@dataclass
class _Words:
    method: str = ""
    headers: list[tuple[str, str]] = field(default_factory=list)
    data: list[str] = field(default_factory=list)
    urls: list[str] = field(default_factory=list)


def parse_curl(text: str) -> tuple[HttpRequest, Endpoint] | None:
    """The request and its endpoint, or None for anything but one plain curl command.

    Further commands, unknown options and bodies read from files give None: what is left out would change
    the proof.
    """
    if len(text) > _MAX_LENGTH:
        return None
    try:
        words = _sorted(shlex.split(text))
        endpoint = parse_endpoint(words.urls[0]) if words and len(words.urls) == 1 else None
    except (ValueError, BadHost):
        return None
    if words is None or endpoint is None or endpoint.host is None:
        return None
    # As curl itself joins several -d options.
    body = "&".join(words.data)
    method = words.method or ("POST" if body else "GET")
    if not (method.isascii() and method.isalpha()):
        return None
    # From the text and not from the endpoint, whose path was made inert.
    target = words.urls[0].partition("://")[2]
    path = target[len(target.partition("/")[0].partition("?")[0]) :].partition("#")[0]
    request = HttpRequest(
        method=method,
        target=path if path.startswith("/") else f"/{path}",
        headers=tuple(words.headers),
        body=body,
    )
    return request, endpoint


def _sorted(tokens: list[str]) -> _Words | None:
    if not tokens or tokens[0] != "curl":
        return None
    words = _Words()
    rest = iter(tokens[1:])
    for token in rest:
        if token in _SILENT:
            continue
        if token in _METHOD | _HEADER | _DATA:
            value = next(rest, None)
            if value is None or not _take(words, token, value):
                return None
        elif token.startswith("-"):
            return None
        else:
            words.urls.append(token)
    return words


def _take(words: _Words, option: str, value: str) -> bool:
    if option in _METHOD:
        words.method = value
    elif option in _HEADER:
        name, colon, content = value.partition(":")
        words.headers.append((name.strip(), content.strip()))
        return bool(colon and name.strip())
    # curl would read a file of the scanner's machine here; that body is not in the record.
    elif value.startswith("@") and option != "--data-raw":
        return False
    elif value:
        words.data.append(value)
    return True
