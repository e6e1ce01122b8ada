"""Path traversal (CWE-22): the growing guides are files, named by the visitor."""

from __future__ import annotations

from pathlib import Path

from ..pages import message, page
from ..web import Request, Response

GUIDES = Path(__file__).resolve().parent.parent / "guides"


def vulnerable(request: Request) -> Response:
    """Open whatever file the name leads to."""
    name = request.query.get("file", "")
    if not name:
        return _shelf()
    try:
        return _guide((GUIDES / name).read_text(errors="replace"))
    except (OSError, ValueError):
        return _no_such_guide()


def fixed(request: Request) -> Response:
    """Open a file only by a name that stands on the shelf."""
    name = request.query.get("file", "")
    if not name:
        return _shelf()
    # A list of what there is, since no cleaning of a name is ever complete.
    if name not in _names():
        return _no_such_guide()
    return _guide((GUIDES / name).read_text())


def _names() -> list[str]:
    return sorted(guide.name for guide in GUIDES.glob("*.txt"))


def _shelf() -> Response:
    links = "".join(f'<li><a href="/guide?file={name}">{name}</a></li>' for name in _names())
    return page("Growing guides", f"<ul>{links}</ul>")


def _guide(text: str) -> Response:
    return Response(status=200, body=text, content_type="text/plain; charset=utf-8")


def _no_such_guide() -> Response:
    return message("Growing guides", "There is no such guide.", status=404)
