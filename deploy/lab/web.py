"""What the shop takes and gives: a request, a response, and the few ways to make one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie
from typing import Self
from urllib.parse import parse_qsl, quote

URL_CHARACTERS = "/:?#[]@!$&'()*+,;=%~"


@dataclass(frozen=True, kw_only=True)
class Request:
    """One request. Of a repeated field the first value counts."""

    method: str
    path: str
    query: Mapping[str, str] = field(default_factory=dict)
    form: Mapping[str, str] = field(default_factory=dict)
    cookies: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, method: str, target: str, *, cookie: str = "", body: bytes = b"") -> Self:
        """A request from its target (`/search?q=pear`), its Cookie header and its form-encoded body."""
        path, _, query = target.partition("?")
        return cls(
            method=method,
            path=path,
            query=_fields(query),
            form=_fields(body.decode(errors="replace")),
            cookies=_cookies(cookie),
        )


@dataclass(frozen=True, kw_only=True)
class Response:
    """One response; the length and the connection headers are the server's business."""

    status: int
    body: str
    content_type: str = "text/html; charset=utf-8"
    headers: tuple[tuple[str, str], ...] = ()


Handler = Callable[[Request], Response]


@dataclass(frozen=True, kw_only=True)
class Twin:
    """The same page twice: once with the weakness, once without."""

    vulnerable: Handler
    fixed: Handler


def redirect(status: int, location: str, *headers: tuple[str, str]) -> Response:
    """Send the browser elsewhere.

    The location is percent-encoded, so that it can never become a header of its own: header injection is
    none of the weaknesses that this shop is meant to have.
    """
    target = quote(location, safe=URL_CHARACTERS)
    return Response(status=status, body="", headers=(("Location", target), *headers))


def _fields(encoded: str) -> dict[str, str]:
    # Reversed, so that the first of several wins.
    return dict(reversed(parse_qsl(encoded, keep_blank_values=True)))


def _cookies(header: str) -> dict[str, str]:
    try:
        return {name: morsel.value for name, morsel in SimpleCookie(header).items()}
    # A visitor with a broken cookie is a stranger, not an error of the shop.
    except CookieError:
        return {}
