"""What a person typed, out of what Slack delivers: entities, links, smart quotes and mentions undone."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from engine.errors import RevalidError


class MentionInCommand(RevalidError):
    """A command for the sandbox cannot mention a person or a channel; put literal text in backticks."""


_TOKEN = re.compile(r"<([^<>\s|]+(?:\s[^<>|]*)?)(?:\|([^<>]*))?>")
# The ampersand last, or `&amp;lt;` would become a bracket that nobody typed.
_ENTITIES = (("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&"))
_SMART = str.maketrans(
    {
        "\u2018": "'",
        "\u2019": "'",
        "\u201c": '"',
        "\u201d": '"',
        "\u00a0": " ",
        "\u2013": "-",
        "\u2014": "--",
        "\u2026": "...",
    }
)


def mentions(text: str, user_id: str) -> bool:
    """Whether the text mentions the user."""
    return re.search(rf"<@{re.escape(user_id)}(?:\|[^<>]*)?>", text) is not None


def without_mention(text: str, user_id: str) -> str:
    """The text with a user's mentions taken out."""
    return re.sub(rf"<@{re.escape(user_id)}(?:\|[^<>]*)?>", "", text).strip()


def plain(text: str) -> str:
    """A message's text as typed: links and mentions as their text, the three entities undone."""
    return _entities(_TOKEN.sub(_shown, text)).replace("\u00a0", " ").strip()


def command(text: str, blocks: Sequence[Mapping[str, Any]] = ()) -> str:
    """A `!command` as typed. Code spans of the rich text are kept to the letter; elsewhere smart quotes,
    long dashes and hard spaces, which Slack clients put in by themselves, become what the keyboard has.

    Raises `MentionInCommand`: nobody types a user id on purpose.
    """
    rich = [block for block in blocks if block.get("type") == "rich_text"]
    if rich and len(rich) == len(blocks):
        return "\n".join(_rich(element) for block in rich for element in block.get("elements", ())).strip()
    if re.search(r"<[@#!]", text):
        raise MentionInCommand
    return _entities(_TOKEN.sub(_shown, text)).translate(_SMART).strip()


def _shown(token: re.Match[str]) -> str:
    target, label = token[1], token[2]
    if target[0] in "@#!":
        return f"{target[0]}{label}" if label and target[0] != "!" else target.replace("!", "@", 1)
    return _link(target, label)


def _link(url: str, label: str | None) -> str:
    # Slack links a bare `app.example.com` by itself; what was typed is the label then.
    made_up = label and url in (f"http://{label}", f"https://{label}", f"mailto:{label}", f"tel:{label}")
    return label if label and made_up else url


def _entities(text: str) -> str:
    for entity, character in _ENTITIES:
        text = text.replace(entity, character)
    return text


def _rich(element: Mapping[str, Any]) -> str:
    kind = element.get("type")
    if kind in ("rich_text_section", "rich_text_quote"):
        return "".join(_span(part, raw=False) for part in element.get("elements", ()))
    if kind == "rich_text_preformatted":
        return "".join(_span(part, raw=True) for part in element.get("elements", ()))
    return "\n".join(_rich(part) for part in element.get("elements", ()))


def _span(part: Mapping[str, Any], *, raw: bool) -> str:
    kind = part.get("type")
    if kind == "link":
        return _link(str(part.get("url", "")), part.get("text"))
    if kind == "emoji":
        return f":{part.get('name', '')}:"
    # Mentions and broadcasts: what they stand for is not what was typed.
    if kind != "text":
        raise MentionInCommand
    text = str(part.get("text", ""))
    return text if raw or part.get("style", {}).get("code") else text.translate(_SMART)
