"""A message as the plain text a person would read, with buttons shown as ``[Approve]``."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

_TOKEN = re.compile(r"<([^<>]+)>")
# The ampersand last, or `&amp;lt;` would become a bracket that nobody typed.
_ENTITIES = (("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&"))
_MARKS = {"checkboxes": "☐☑", "multi_static_select": "☐☑", "radio_buttons": "○◉"}
Names = Mapping[str, str]
Block = Mapping[str, Any]


def render_text(message: Mapping[str, Any], names: Names | None = None) -> str:
    """Plain text of a message or view.

    Args:
        message: as the workspace gives it, with `text`, `blocks` and `files`.
        names: what to write for user and channel ids; an unknown id is written as it is.
    """
    names = names or {}
    blocks = message.get("blocks") or []
    parts = (
        # With blocks, the text is only what a notification shows.
        [_block(block, names) for block in blocks] if blocks else [_mrkdwn(message.get("text") or "", names)]
    )
    parts += [f"[file {file['name']}, {file['size']} bytes]" for file in message.get("files") or []]
    return "\n".join(part for part in parts if part)


def _block(block: Block, names: Names) -> str:
    kind = block["type"]
    if (whole := _WHOLE.get(kind)) is not None:
        return whole(block, names)
    parts = [_text(block["text"], names)] if "text" in block else []
    parts += [_text(field, names) for field in block.get("fields", [])]
    if kind in ("actions", "context"):
        parts.append(" ".join(_element(element, names) for element in block["elements"]))
    if "accessory" in block:
        parts.append(_element(block["accessory"], names))
    return "\n".join(parts)


def _element(element: Block, names: Names) -> str:
    kind = element["type"]
    if kind in ("mrkdwn", "plain_text", "button"):
        return f"[{_text(element['text'], names)}]" if kind == "button" else _text(element, names)
    if kind == "image":
        return f"[image {element['alt_text']}]"
    if typed := element.get("initial_value"):
        return f"[{typed}]"
    if kind in _MARKS:
        return "  ".join(_tick(element, option, names) for option in element.get("options", ()))
    if options := element.get("options"):
        return f"[{' | '.join(_text(option['text'], names) for option in options)}]"
    return f"[{_text(element['placeholder'], names) if 'placeholder' in element else '…'}]"


def _tick(element: Block, option: Block, names: Names) -> str:
    chosen = [
        *element.get("initial_options", ()),
        *([element["initial_option"]] if "initial_option" in element else ()),
    ]
    mark = _MARKS[element["type"]][option in chosen]
    note = f" ({_text(option['description'], names)})" if "description" in option else ""
    return f"{mark} {_text(option['text'], names)}{note}"


def _text(value: Mapping[str, Any], names: Names) -> str:
    return _mrkdwn(value["text"], names) if value["type"] == "mrkdwn" else str(value["text"])


def _mrkdwn(text: str, names: Names) -> str:
    """Tokens as a reader sees them, then the entities; the outcome is not parsed again."""
    shown = _TOKEN.sub(lambda match: _token(match[1], names), text)
    for entity, character in _ENTITIES:
        shown = shown.replace(entity, character)
    return shown


def _token(token: str, names: Names) -> str:
    target, _, label = token.partition("|")
    if target[:1] == "@":
        return f"@{names.get(target[1:], label or target[1:])}"
    if target[:1] == "#":
        return f"#{names.get(target[1:], label or target[1:])}"
    if target[:1] == "!":
        return label or f"@{target[1:]}"
    # The address is always shown: a label can say anything.
    return f"{label} ({target})" if label and label != target else target


def _rich(element: Block, names: Names) -> str:
    kind = element["type"]
    if kind == "rich_text_list":
        marks = (
            f"{n}." if element["style"] == "ordered" else "•" for n in range(1, len(element["elements"]) + 1)
        )
        indent = "  " * element.get("indent", 0)
        return "\n".join(
            f"{indent}{m} {_rich(e, names)}" for m, e in zip(marks, element["elements"], strict=True)
        )
    line = "".join(_inline(inline, names) for inline in element["elements"])
    if kind == "rich_text_quote":
        return "\n".join(f"> {part}" for part in line.split("\n"))
    return "\n".join(f"    {part}" for part in line.split("\n")) if kind == "rich_text_preformatted" else line


def _inline(inline: Block, names: Names) -> str:
    kind = inline["type"]
    if kind == "text":
        return str(inline["text"])
    if kind == "link":
        return f"{inline['text']} ({inline['url']})" if inline.get("text") else str(inline["url"])
    if kind == "user":
        return f"@{names.get(inline['user_id'], inline['user_id'])}"
    if kind == "channel":
        return f"#{names.get(inline['channel_id'], inline['channel_id'])}"
    return f":{inline['name']}:" if kind == "emoji" else f"@{inline.get('range', kind)}"


def _table(block: Block, names: Names) -> str:
    return "\n".join(
        " | ".join(
            _block(cell, names) if cell["type"] == "rich_text" else str(cell.get("text", "")) for cell in row
        )
        for row in block["rows"]
    )


def _rich_text(block: Block, names: Names) -> str:
    return "\n".join(_rich(element, names) for element in block["elements"])


def _container(block: Block, names: Names) -> str:
    return "\n".join(
        [_text(block["title"], names), *(_block(child, names) for child in block["child_blocks"])]
    )


def _input(block: Block, names: Names) -> str:
    return f"{_text(block['label'], names)}: {_element(block['element'], names)}"


_WHOLE: dict[str, Callable[[Block, Names], str]] = {
    "divider": lambda _block, _names: "---",
    "image": lambda block, _names: f"[image {block['alt_text']}]",
    "markdown": lambda block, _names: str(block["text"]),
    "rich_text": _rich_text,
    "table": _table,
    "container": _container,
    "input": _input,
}
