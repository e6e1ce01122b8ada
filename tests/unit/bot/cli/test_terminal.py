"""Tables and lines in a terminal."""

from __future__ import annotations

import pytest

from bot.cli.terminal import lines, one_line, table


def test_columns_stand_below_each_other_whatever_the_script() -> None:
    rows = [("F-1", "ölfarbe", "x"), ("F-12", "漢字", "y"), ("F-3", "e\u0301", "z")]
    shown = table(("id", "word", "last"), rows).splitlines()
    assert shown == ["id    word     last", "F-1   ölfarbe  x", "F-12  漢字     y", "F-3   e\u0301        z"]


def test_a_cell_is_one_line_and_cannot_forge_another() -> None:
    assert table(("a", "b"), [("1\n2", "\x1b[2Kx\r")]).splitlines() == ["a    b", "1 2  ⟨U+001B⟩[2Kx"]


@pytest.mark.parametrize("text", ["\x1b[2J", "\x9b2J", "\x07", "\u202e", "\u2066", "\u200b", "\x00", "\x7f"])
def test_what_a_terminal_obeys_is_written_out(text: str) -> None:
    assert text[0] not in one_line(f"a{text}b")
    assert text[0] not in lines(f"a{text}b")


def test_lines_stay_lines() -> None:
    assert lines("a\r\n\tb\rc  ", "> ") == "> a\n>     b\n> c"
