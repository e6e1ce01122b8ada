"""Marks off text that other people or machines wrote, so that a model can tell it from instructions."""

from __future__ import annotations

import secrets


def new_mark() -> str:
    """A word that the fenced text cannot contain, because it was not thought of when the text was written."""
    return secrets.token_hex(8)


def fenced(label: str, text: str, mark: str | None = None) -> str:
    """The text between two lines that carry the mark."""
    # A fixed mark could be written by the target, which would then end the fence itself.
    mark = mark or new_mark()
    return f"<data-{mark} {label}>\n{text}\n</data-{mark}>"


def unfenced(content: str, label: str, mark: str) -> str | None:
    """The text back out of a larger content; None when it is not in there."""
    _, opened, rest = content.partition(f"<data-{mark} {label}>\n")
    text, closed, _ = rest.partition(f"\n</data-{mark}>")
    return text if opened and closed else None
