"""What people read, wherever it is written: whole sentences in errors, and no word of the machinery."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.every_error import every_error

ROOT = Path(__file__).parents[2]
NEVER_SHOWN = re.compile(
    r"step budget|free[- ]launch|needs_guidance|orchestrator|\bpayloads?\b|egress[- ]locked", re.IGNORECASE
)


def test_every_error_has_a_sentence_of_its_own() -> None:
    wrong = []
    for kind in every_error():
        first = (kind.__dict__.get("__doc__") or "").strip().partition("\n\n")[0]
        if not re.fullmatch(r"[A-Z`].*\.", first, re.DOTALL):
            wrong.append(kind.__qualname__)
    assert not wrong


def shown_strings(path: Path) -> Iterator[str]:
    """Strings with more than one word; a single word is a key or a name of Slack's protocol."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    nodes = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, nodes) and node.body and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        text = node.value if isinstance(node, ast.Constant) and id(node) not in docstrings else None
        if isinstance(text, str) and " " in text.strip():
            yield text


@pytest.mark.parametrize("package", ["bot", "engine"])
def test_no_message_speaks_of_the_machinery(package: str) -> None:
    found = [
        (path.name, text)
        for path in (ROOT / package).rglob("*.py")
        for text in shown_strings(path)
        if NEVER_SHOWN.search(text)
    ]
    assert not found


def test_no_error_and_no_page_speaks_of_the_machinery() -> None:
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md"), *(ROOT / "bot").rglob("*.js")]
    pages += [*(ROOT / "bot").rglob("*.html"), ROOT / "deploy" / "manifest.yaml"]
    shown = {path.name: path.read_text(encoding="utf-8") for path in pages}
    shown |= {kind.__qualname__: kind.__doc__ or "" for kind in every_error()}
    assert not [name for name, text in shown.items() if NEVER_SHOWN.search(text)]
