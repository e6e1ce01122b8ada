"""A message that Slack does not take, made smaller: its words in one block, and its buttons.

Our own limits should keep every message within Slack's. Where Slack changes its mind, nothing may be lost,
and nobody may approve what the smaller message does not show whole.
"""

from __future__ import annotations

from collections.abc import Iterator

from bot.blocks import inert, rich
from bot.blocks.ids import Action
from bot.blocks.message import Json, Message

SHOWN = 2000
"""Counted characters that surely fit."""


def smaller(message: Message) -> Message:
    """The words as they are, cut if need be, and the rows of buttons."""
    words = plain_words(message)
    cut = inert.clip(words, SHOWN)
    rows = [block for block in message.blocks if block["type"] == "actions"]
    if cut != words:
        rows = [_without_approval(row) for row in rows]
    return Message(text=message.text, blocks=[rich.block(rich.preformatted(cut)), *rows])


def plain_words(message: Message) -> str:
    """Everything that a message says, without formatting; its buttons are left out."""
    lines = (_words(block) for block in message.blocks if block["type"] != "actions")
    # Slack takes no message without words.
    return "\n".join(line for line in lines if line) or message.text


def _without_approval(row: Json) -> Json:
    elements = [_opener(each) if each["action_id"] == Action.approve else each for each in row["elements"]]
    return row | {"elements": elements}


def _opener(approve: Json) -> Json:
    """The button that shows a command whole, and lets it be approved there, takes the same reference."""
    return approve | {"action_id": Action.open_whole.value, "text": approve["text"] | {"text": "Open whole"}}


def _words(part: Json) -> str:
    if isinstance(part.get("text"), str):
        return str(part["text"])
    if part.get("type") == "user":
        return f"@{part['user_id']}"
    lines = part.get("type") in ("rich_text", "rich_text_list", "section", "context")
    return ("\n" if lines else "").join(found for each in _parts(part) if (found := _words(each)))


def _parts(part: Json) -> Iterator[Json]:
    if isinstance(part.get("text"), dict):
        yield part["text"]
    yield from part.get("fields") or ()
    yield from part.get("elements") or ()
