from __future__ import annotations

import pytest

from engine.findings.limits import MAX_TEXT
from engine.findings.text import (
    excerpt,
    first_given,
    inert,
    is_given,
    number_of,
    storable,
    text_of,
    words_of,
)


def test_characters_that_deceive_a_reader_are_removed() -> None:
    hostile = "a\x00b\x1bc\u202ed\u2066e\ud800f\U000e0041g\u009bh\ufeffi"
    assert inert(hostile) == "abcdefghi"


def test_ordinary_writing_in_any_script_stays() -> None:
    kept = "Rechnung „ß“ 請求書 🧾 👩‍💻\tعربي\r\nline"
    assert inert(kept) == kept


def test_a_command_loses_only_what_cannot_be_stored() -> None:
    assert storable("printf '\x1b\u202e\x00\udfff'") == "printf '\x1b\u202e'"


@pytest.mark.parametrize("value", [None, "", "  ", "N/A", "n/a", "-", "None", "null", "NOCVE", [], {}])
def test_not_given(value: object) -> None:
    assert not is_given(value)


@pytest.mark.parametrize("value", [0, False, "0", "no", "N/A, really", [None]])
def test_given(value: object) -> None:
    assert is_given(value)


def test_the_first_given_name_counts() -> None:
    assert first_given({"a": "N/A", "b": None, "c": 3}, "a", "b", "c", "d") == 3
    assert first_given({}, "a") is None


def test_long_text_is_cut_with_a_note() -> None:
    notes: list[str] = []
    assert len(text_of("x" * (MAX_TEXT + 5), notes, "The description")) == MAX_TEXT
    assert notes == ["The description was cut to 1,000,000 of 1,000,005 characters."]


def test_a_structured_value_is_shown_as_json() -> None:
    assert text_of({"a": [1, "ü"]}, [], "x") == '{"a": [1, "ü"]}'
    assert text_of(7, [], "x") == "7"


def test_references_come_from_lists_and_from_lines() -> None:
    assert words_of("- https://a\n- https://b\n\nhttps://a", [], "x") == ("https://a", "https://b")
    assert words_of(["https://a", None, "https://b\nhttps://c"], [], "x") == (
        "https://a",
        "https://b",
        "https://c",
    )
    assert words_of(None, [], "x") == ()


@pytest.mark.parametrize(
    ("value", "number"),
    [("0.5", 0.5), (7, 7.0), ("1e999", None), (True, None), ("x", None), (None, None), (10**400, None)],
)
def test_numbers(value: object, number: float | None) -> None:
    assert number_of(value) == number


def test_an_excerpt_is_one_short_line() -> None:
    assert excerpt("a\n b\u202e" + "c" * 100, 10) == "a bcccccc…"
    assert excerpt(None) == "None"
