from __future__ import annotations

import pytest

from engine.agent.command_shape import shape_problem


@pytest.mark.parametrize("command", ["id", "printf 'a\tb'\nls", "echo grüße \u202e", "a" * 65536])
def test_what_can_be_shown_can_be_proposed(command: str) -> None:
    assert shape_problem(command) is None


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("", "empty"),
        (" \n\t", "empty"),
        ("echo \ud800", "half a character"),
        ("é" * 32769, "64 KiB"),
        ("a\rb", "control"),
        ("a\x7fb", "control"),
        ("a\x85b", "control"),
    ],
)
def test_what_cannot_is_told_why(command: str, told: str) -> None:
    assert told in (shape_problem(command) or "")
