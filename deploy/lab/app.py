"""The shop as one function from request to response, in either twin."""

from __future__ import annotations

from enum import StrEnum

from .pages import STYLE, STYLE_PATH, message, page
from .visitors import log_in
from .weaknesses import (
    cross_site_scripting,
    insecure_reference,
    missing_authorisation,
    open_redirect,
    path_traversal,
    sql_injection,
)
from .web import Handler, Request, Response, Twin


class Mode(StrEnum):
    """Which twin is served."""

    vulnerable = "vulnerable"
    fixed = "fixed"


TWINS = {
    "/search": Twin(vulnerable=sql_injection.vulnerable, fixed=sql_injection.fixed),
    "/track": Twin(vulnerable=cross_site_scripting.vulnerable, fixed=cross_site_scripting.fixed),
    "/guide": Twin(vulnerable=path_traversal.vulnerable, fixed=path_traversal.fixed),
    "/invoice": Twin(vulnerable=insecure_reference.vulnerable, fixed=insecure_reference.fixed),
    "/admin/orders": Twin(vulnerable=missing_authorisation.vulnerable, fixed=missing_authorisation.fixed),
    "/go": Twin(vulnerable=open_redirect.vulnerable, fixed=open_redirect.fixed),
}


def build(mode: Mode) -> Handler:
    """The shop in one mode."""
    routes: dict[str, Handler] = {"/": _welcome, "/health": _health, "/login": log_in, STYLE_PATH: _style}
    for path, twin in TWINS.items():
        routes[path] = twin.vulnerable if mode is Mode.vulnerable else twin.fixed

    def answer(request: Request) -> Response:
        handler = routes.get(request.path)
        if handler is None:
            return message("Not here", "The orchard has no such page.", status=404)
        if request.method == "POST" and request.path != "/login":
            return message("Not like this", "This page is only for reading.", status=405)
        return handler(request)

    return answer


def _welcome(_: Request) -> Response:
    return page(
        "Welcome",
        "<p>Apples, pears and the odd quince, grown on a hill that does not exist.</p>\n"
        '<p>Short of space? See <a href="/go?to=/guide">how to grow your own</a>.</p>',
    )


def _health(_: Request) -> Response:
    return Response(status=200, body="ok\n", content_type="text/plain; charset=utf-8")


def _style(_: Request) -> Response:
    return Response(status=200, body=STYLE, content_type="text/css; charset=utf-8")
