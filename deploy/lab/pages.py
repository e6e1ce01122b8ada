"""How a page of the shop looks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from .web import Response

STYLE_PATH = "/style.css"
# A page of its own, so that what a retest shows of an answer is the answer.
STYLE = """\
body { margin: 0; background: #f6f3ea; color: #2d2a24; font: 17px/1.55 Georgia, serif }
header { background: #3c5a3a; color: #fff; padding: 1.1rem 8vw }
header a { color: #fff; margin-right: 1.4rem; text-decoration: none }
header strong { display: block; font-size: 1.6rem }
main { padding: 1.5rem 8vw; max-width: 46rem }
table { border-collapse: collapse; width: 100%; margin-top: 1rem }
th, td { text-align: left; padding: .45rem .8rem .45rem 0; border-bottom: 1px solid #d9d2bf }
input, button { font: inherit; padding: .35rem .6rem }
footer { padding: 1rem 8vw; color: #7a735f; font-size: .85rem }
"""

LINKS = (
    ("/", "Welcome"),
    ("/search", "Fruit"),
    ("/track", "Track a parcel"),
    ("/guide", "Growing guides"),
    ("/invoice", "Invoices"),
    ("/login", "Log in"),
)


def page(title: str, content: str, *, status: int = 200) -> Response:
    """A whole page around `content`, which is HTML already; the title is text."""
    links = "".join(f'<a href="{path}">{name}</a>' for path, name in LINKS)
    return Response(
        status=status,
        body=(
            f'<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8"><title>{escape(title)}'
            f' - Example Orchard</title><link rel="stylesheet" href="{STYLE_PATH}"></head>\n<body>\n'
            f"<header><strong>Example Orchard</strong>{links}</header>\n"
            f"<main>\n<h1>{escape(title)}</h1>\n{content}\n</main>\n"
            "<footer>An invented shop for practice. Nothing here is for sale.</footer>\n</body>\n</html>\n"
        ),
    )


def message(title: str, text: str, *, status: int = 200) -> Response:
    """A page that says one thing."""
    return page(title, f"<p>{escape(text)}</p>", status=status)


def table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Rows as an HTML table, every cell escaped."""
    head = "".join(f"<th>{escape(name)}</th>" for name in heads)
    body = "\n".join(
        "<tr>" + "".join(f"<td>{escape(str(cell))}</td>" for cell in row) + "</tr>" for row in rows
    )
    return f"<table>\n<tr>{head}</tr>\n{body}\n</table>"


def search_box(action: str, field: str, value: str, label: str) -> str:
    """A form with one line to fill in."""
    return (
        f'<form action="{action}"><label>{escape(label)} '
        f'<input name="{field}" value="{escape(value)}"></label> <button>Go</button></form>'
    )
