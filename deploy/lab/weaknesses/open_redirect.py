"""Open redirect (CWE-601): the link that counts clicks sends the visitor on."""

from __future__ import annotations

import re

from ..pages import message
from ..web import Request, Response, redirect

# A second slash or a backslash makes a browser read the rest as a host.
OWN_PAGE = re.compile(r"/(?![/\\])[^\s\\]*")


def vulnerable(request: Request) -> Response:
    """Send the visitor wherever the link says."""
    return redirect(302, request.query.get("to", "/"))


def fixed(request: Request) -> Response:
    """Send the visitor to pages of the shop only."""
    target = request.query.get("to", "/")
    if not OWN_PAGE.fullmatch(target):
        return message("Leaving the orchard", "That link leads out of the shop.", status=400)
    return redirect(302, target)
