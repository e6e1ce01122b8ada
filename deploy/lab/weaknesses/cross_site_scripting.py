"""Reflected cross-site scripting (CWE-79): the parcel tracker repeats what it was asked."""

from __future__ import annotations

from html import escape

from ..pages import page, search_box
from ..shop import PARCELS
from ..web import Request, Response


def vulnerable(request: Request) -> Response:
    """Repeat the number as it came, markup and all."""
    number = request.query.get("order", "")
    return _answer(number, shown=number)


def fixed(request: Request) -> Response:
    """Repeat the number as text."""
    number = request.query.get("order", "")
    return _answer(number, shown=escape(number))


def _answer(number: str, *, shown: str) -> Response:
    box = search_box("/track", "order", "", "Your parcel's number")
    if not number:
        return page("Track a parcel", box)
    state = PARCELS.get(number)
    told = f"Parcel {shown} is {state}." if state else f"We know of no parcel {shown}."
    return page("Track a parcel", f"{box}\n<p>{told}</p>")
