"""Small builders of rich_text: elements whose text Slack shows to the letter."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from bot.blocks.message import Json
from engine.events import AGENT, AUTO_RUN

# The shape is checked: a mention is only ever made of an id that Slack gave.
_PERSON = re.compile(r"[A-Z0-9]+:([UW][A-Z0-9]+)")
_NAMES = {AGENT: "the agent", AUTO_RUN: "Auto-run"}


def text(words: str, *, bold: bool = False, italic: bool = False, code: bool = False) -> Json:
    """Literal text."""
    style = {name: True for name, on in (("bold", bold), ("italic", italic), ("code", code)) if on}
    return {"type": "text", "text": words, **({"style": style} if style else {})}


def bold(words: str) -> Json:
    """Literal text in bold."""
    return text(words, bold=True)


def code(words: str) -> Json:
    """Literal text as code."""
    return text(words, code=True)


def person(actor: str) -> Json:
    """A mention of `TEAM:USER`; whoever is not of Slack is only named."""
    found = _PERSON.fullmatch(actor)
    return {"type": "user", "user_id": found[1]} if found else text(_NAMES.get(actor, "Revalid"))


def mention(actor: str) -> str:
    """The same for mrkdwn."""
    found = _PERSON.fullmatch(actor)
    return f"<@{found[1]}>" if found else _NAMES.get(actor, "Revalid")


def section(*inlines: Json | str) -> Json:
    """A paragraph; a plain string is literal text."""
    made = (text(inline) if isinstance(inline, str) else inline for inline in inlines)
    return {
        "type": "rich_text_section",
        # Callers often have nothing to say in one place, and Slack refuses an empty text.
        "elements": [inline for inline in made if inline.get("text") != ""],
    }


def preformatted(words: str) -> Json:
    """A command or an output, as it is."""
    # Slack refuses an empty text.
    return {"type": "rich_text_preformatted", "elements": [text(words or " ")]}


def quote(inlines: Sequence[Json]) -> Json:
    """Quoted prose."""
    return {"type": "rich_text_quote", "elements": list(inlines)}


def listing(items: Iterable[Json], *, ordered: bool = False, indent: int = 0, offset: int = 0) -> Json:
    """Sections as a list; `offset` is the first number minus one."""
    made: Json = {
        "type": "rich_text_list",
        "style": "ordered" if ordered else "bullet",
        "indent": indent,
        "elements": list(items),
    }
    return made | ({"offset": offset} if offset else {})


def some(items: Sequence[Json], most: int, *, ordered: bool = False) -> Json:
    """The first `most` sections as a list, and how many more there are."""
    more = len(items) - most
    return listing([*items[:most], *([section(f"and {more} more")] if more > 0 else [])], ordered=ordered)


def block(*elements: Json) -> Json:
    """A rich_text block."""
    return {"type": "rich_text", "elements": list(elements)}
