"""SQL injection (CWE-89): the fruit search."""

from __future__ import annotations

import sqlite3

from ..pages import message, page, search_box, table
from ..shop import database
from ..web import Request, Response

COLUMNS = "SELECT name, note, price FROM products WHERE on_sale = 1 AND name LIKE "


def vulnerable(request: Request) -> Response:
    """Search with the visitor's words pasted into the statement."""
    words = request.query.get("q", "")
    statement = f"{COLUMNS}'%{words}%' ORDER BY name"
    with database() as shop:
        try:
            return _found(words, shop.execute(statement).fetchall())
        except (sqlite3.Error, sqlite3.Warning) as error:
            # The error is shown on purpose: it is the usual first sign of this weakness.
            return message("Fruit", f"Database error: {error}", status=500)


def fixed(request: Request) -> Response:
    """Search with the visitor's words as a parameter."""
    words = request.query.get("q", "")
    with database() as shop:
        rows = shop.execute(f"{COLUMNS}? ORDER BY name", (f"%{words}%",)).fetchall()
    return _found(words, rows)


def _found(words: str, rows: list[tuple[object, ...]]) -> Response:
    box = search_box("/search", "q", words, "What are you looking for?")
    if not rows:
        return page("Fruit", f"{box}\n<p>No fruit of that name this season.</p>")
    return page("Fruit", box + "\n" + table(("Fruit", "About it", "Price"), rows))
