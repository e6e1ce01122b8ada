"""Writes docs/reference/events.md from the events themselves: `python -m engine.events_page`."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Mapping
from pathlib import Path
from typing import Any, get_args

from engine import events
from engine.events import AnyEvent, Event

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "events.md"

HEAD = """# Transcript events

Written by `python -m engine.events_page`; edit the descriptions in `engine/events.py`.

A session's transcript is a list of events that is only ever added to. Each has `session_id`, `number`
(from 1, without a gap), `at` (UTC), `actor` (a person's id, `agent`, `auto-run` or `system`), the
`event` below, and two hashes: `previous`, the hash of the event before it (64 zeros for the first), and
its own `hash`, the SHA-256 of the JSON array `[previous, session_id, number, at, actor, event]` without
spaces, where `event` is the event's JSON as a text. `revalid verify` checks them. What commands put out
is kept beside the transcript, named by its SHA-256.
"""

_TYPES = {
    "integer": "whole number",
    "number": "number",
    "string": "text",
    "boolean": "true or false",
    "object": "object",
    "null": "null",
}


def render() -> str:
    """The page as Markdown."""
    notes = _field_notes()
    kinds: tuple[type[Event], ...] = get_args(get_args(AnyEvent)[0])
    return "\n".join([HEAD, *(_section(kind, notes.get(kind.__name__, {})) for kind in kinds)])


def _section(kind: type[Event], notes: Mapping[str, str]) -> str:
    schema = kind.model_json_schema()
    fields: dict[str, dict[str, Any]] = schema["properties"]
    name = fields.pop("kind")["const"]
    lines = [f"## `{name}`", "", inspect.getdoc(kind) or "", ""]
    if fields:
        lines += ["| field | value | |", "|---|---|---|"]
        lines += [f"| `{field}` | {_words(of)} | {notes.get(field, '')} |" for field, of in fields.items()]
        lines.append("")
    return "\n".join(lines)


def _words(schema: Mapping[str, Any]) -> str:
    if "anyOf" in schema:
        return " or ".join(_words(one) for one in schema["anyOf"])
    if "enum" in schema:
        return " or ".join(f"`{value}`" for value in schema["enum"])
    if schema.get("type") == "array":
        return f"list: {_words(schema['items'])}"
    return _TYPES[schema["type"]]


def _field_notes() -> dict[str, dict[str, str]]:
    """The sentence under each field, by class and field; Python itself does not keep them."""
    notes: dict[str, dict[str, str]] = {}
    for node in ast.parse(inspect.getsource(events)).body:
        if not isinstance(node, ast.ClassDef):
            continue
        for field, note in zip(node.body, node.body[1:], strict=False):
            if isinstance(field, ast.AnnAssign) and isinstance(note, ast.Expr):
                text = " ".join(str(ast.literal_eval(note.value)).split())
                notes.setdefault(node.name, {})[ast.unparse(field.target)] = text
    return notes


if __name__ == "__main__":
    PAGE.parent.mkdir(parents=True, exist_ok=True)
    PAGE.write_text(render(), encoding="utf-8")
