"""Small builders of the other blocks. mrkdwn given here is our own; people's text goes into rich_text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from bot.blocks.ids import Action, Field
from bot.blocks.message import Json


def plain_text(words: str) -> Json:
    """Text without any formatting."""
    # Without this, :words: between colons would turn into pictures.
    return {"type": "plain_text", "text": words, "emoji": False}


def mrkdwn(words: str) -> Json:
    """Formatted text in which nothing is linked by itself."""
    return {"type": "mrkdwn", "text": words, "verbatim": True}


def header(words: str) -> Json:
    """A title."""
    return {"type": "header", "text": plain_text(words)}


def section(words: str, accessory: Json | None = None) -> Json:
    """A paragraph, with at most one control beside it."""
    return {"type": "section", "text": mrkdwn(words)} | ({"accessory": accessory} if accessory else {})


def context(*lines: str) -> Json:
    """Small grey print."""
    return {"type": "context", "elements": [mrkdwn(words) for words in lines]}


def actions(*buttons: Json) -> Json:
    """A row of buttons."""
    return {"type": "actions", "elements": list(buttons)}


def confirm(title: str, words: str, yes: str, *, danger: bool = False) -> Json:
    """A question before a button acts."""
    asked: Json = {
        "title": plain_text(title),
        "text": plain_text(words),
        "confirm": plain_text(yes),
        "deny": plain_text("Cancel"),
    }
    return asked | ({"style": "danger"} if danger else {})


def button(
    action: Action | str,
    label: str,
    value: str,
    *,
    style: Literal["primary", "danger"] | None = None,
    asks: Json | None = None,
) -> Json:
    """A button."""
    made: Json = {"type": "button", "action_id": str(action), "text": plain_text(label), "value": value}
    return made | ({"style": style} if style else {}) | ({"confirm": asks} if asks else {})


def option(words: str, value: str, description: str = "") -> Json:
    """One choice of a menu or a group of ticks."""
    made: Json = {"text": plain_text(words), "value": value}
    return made | ({"description": plain_text(description)} if description else {})


def field(
    name: Field | str, label: str, element: Mapping[str, object], *, optional: bool = False, hint: str = ""
) -> Json:
    """An input of a form."""
    made: Json = {
        "type": "input",
        "block_id": str(name),
        "label": plain_text(label),
        # Both ids are the same, so that an answer is found by one name.
        "element": {"action_id": str(name), **element},
        "optional": optional,
    }
    return made | ({"hint": plain_text(hint)} if hint else {})


def typed(initial: str = "", *, lines: bool = True, placeholder: str = "") -> Json:
    """A text box of at most 3,000 characters."""
    made: Json = {"type": "plain_text_input", "multiline": lines, "max_length": 3000}
    made |= {"initial_value": initial[:3000]} if initial else {}
    return made | ({"placeholder": plain_text(placeholder)} if placeholder else {})


def modal(
    callback: str, title: str, blocks: Sequence[Json], *, metadata: str, submit: str | None = None
) -> Json:
    """A form; without `submit` it can only be closed."""
    made: Json = {
        "type": "modal",
        "callback_id": callback,
        "title": plain_text(title),
        "close": plain_text("Cancel" if submit else "Close"),
        "private_metadata": metadata,
        "blocks": list(blocks),
    }
    # Slack refuses a form with inputs that has no such button.
    return made | ({"submit": plain_text(submit)} if submit else {})
