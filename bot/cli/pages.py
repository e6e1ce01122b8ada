"""Writes docs/reference/commands.md and json.md from the commands themselves: `python -m bot.cli.pages`."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from pathlib import Path

import typer
from typer.cli import get_docs_for_click
from typer.main import get_command

from bot.cli.app import app
from bot.cli.import_file import import_as_json
from bot.cli.shapes import finding_as_json, session_as_json, transcript_as_json
from engine.verify import Report

REFERENCE = Path(__file__).parents[2] / "docs" / "reference"

_WRITTEN = "Written by `python -m bot.cli.pages` from `bot/cli`; edit the docstrings there."

_SHAPES: tuple[tuple[str, str, Callable[..., object]], ...] = (
    ("import FILE --json", "", import_as_json),
    ("findings --json", '`{"findings": [FINDING, …]}`, newest first.', finding_as_json),
    ("sessions --json", '`{"sessions": [SESSION, …]}`, newest first.', session_as_json),
    ("transcript ID --json", "", transcript_as_json),
    ("verify --json", "", Report.as_json),
)


def commands_page() -> str:
    """Every command with its arguments and options."""
    command = get_command(app)
    context = typer.Context(command, info_name="revalid")
    with context:
        body = get_docs_for_click(obj=command, ctx=context, name="revalid", title="Commands")
    title, _, rest = body.partition("\n")
    return f"{title}\n\n{_WRITTEN}\n{rest.rstrip()}\n"


def json_page() -> str:
    """What each command prints with `--json`."""
    parts = [
        "# JSON output",
        _WRITTEN,
        "Each command prints one JSON object, in ASCII. `a | b` means either; times are ISO 8601 in UTC.",
    ]
    for name, wrapping, shape in _SHAPES:
        parts += [
            f"## `revalid {name}`",
            *([wrapping] if wrapping else []),
            _markdown(inspect.getdoc(shape) or ""),
        ]
    return "\n\n".join(parts) + "\n"


def _markdown(doc: str) -> str:
    """A docstring whose indented blocks follow a line that ends in `::`."""
    # In a page the heading above says already what the shape is of.
    doc = re.sub(r"^Shape::\n\n", "", doc, flags=re.MULTILINE)
    doc = re.sub(r"::$", ":", doc, flags=re.MULTILINE)
    return re.sub(r"(?:^ {4}.*\n?)+", _fenced, doc, flags=re.MULTILINE).rstrip()


def _fenced(block: re.Match[str]) -> str:
    lines = "\n".join(line[4:] for line in block[0].rstrip("\n").split("\n"))
    return f"```text\n{lines}\n```\n"


if __name__ == "__main__":
    (REFERENCE / "commands.md").write_text(commands_page(), encoding="utf-8")
    (REFERENCE / "json.md").write_text(json_page(), encoding="utf-8")
