"""What goes to a terminal. Text from findings, outputs and people cannot move its cursor or forge a line."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterable, Mapping, Sequence

import typer

from bot.blocks import inert

_GAP = "  "
_WIDE = frozenset("WF")


def tell(text: str = "") -> None:
    """Text of our own, or text made inert before."""
    typer.echo(text)


def tell_problem(sentence: str) -> None:
    """A sentence on standard error."""
    typer.echo(one_line(sentence), err=True)


def tell_json(value: Mapping[str, object] | Sequence[object]) -> None:
    """A value as JSON in ASCII, so that even characters a terminal would obey stay escaped."""
    typer.echo(json.dumps(value, indent=2))


def one_line(text: str) -> str:
    """Untrusted text on one line, what cannot be seen written out."""
    # Split first: a newline is a space here, not a character to write out.
    return inert.visible(" ".join(text.split()))


def lines(text: str, indent: str = "") -> str:
    """Untrusted text with its own line breaks, each line indented."""
    # A lone return would move the cursor back over the line.
    shown = inert.visible(text.replace("\r\n", "\n").replace("\r", "\n")).expandtabs(4)
    return "\n".join(f"{indent}{line}".rstrip() for line in shown.split("\n"))


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Columns side by side, the last one as long as it likes. Cells are made inert here."""
    cells = [list(head), *([one_line(cell) for cell in row] for row in rows)]
    widths = [max(_width(row[column]) for row in cells) for column in range(len(head))]
    return "\n".join(
        _GAP.join(
            cell + " " * (width - _width(cell)) for cell, width in zip(row, widths, strict=True)
        ).rstrip()
        for row in cells
    )


def _width(text: str) -> int:
    """Cells that the text takes in a terminal."""
    return sum(
        # Columns would shift with accents of their own and with wide scripts.
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in _WIDE else 1
        for char in text
    )
