from __future__ import annotations

import pytest

from engine.errors import FindingsError
from engine.findings import jsontext
from engine.findings.jsontext import Unreadable, is_too_deep, read_json
from engine.findings.limits import MAX_DEPTH


@pytest.mark.parametrize(
    "text",
    [
        '{"a":1}\n{"a":2}\n',
        '{"a":1},\n{"a":2},\n',
        '{"a":1}{"a":2}',
        '[{"a":1},{"a":2}]',
        '[\n{"a":1},\n{"a":2},\n]',
        '[{"a":1}]\n[{"a":2}]',
        '{\n "a":\n 1}\r\n\r\n{"a":2}',
    ],
)
def test_every_way_to_write_two_values(text: str) -> None:
    assert read_json(text).values == [{"a": 1}, {"a": 2}]


def test_a_broken_line_costs_one_line_and_is_told() -> None:
    document = read_json('{"a": 1}\n{"a": \n{"a": 2}\n\n{"a": x}\n{"a": 3')
    assert document.values == [{"a": 1}, {"a": 2}]
    broken = [entry for entry in document.entries if isinstance(entry, Unreadable)]
    assert [entry.line for entry in broken] == [2, 5, 6]
    assert broken[0].reason == broken[2].reason == "the line is cut off"
    assert broken[1].reason.startswith("not JSON: Expecting value, column 7")


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('{\n  "findings": [\n    {"title": "Ab', "line 3, column 18"),
        ('[\n{"a": 1},\n', "line 2, column 10"),
        ('[{"a": 1}, {"a": "\\u00', "line 1, column 23"),
    ],
)
def test_a_document_that_is_cut_off_is_refused_with_its_end(text: str, place: str) -> None:
    with pytest.raises(FindingsError, match=f"ends early, at {place}"):
        read_json(text)


def test_a_document_that_is_broken_is_refused_with_the_place() -> None:
    with pytest.raises(FindingsError, match="not valid JSON at line 2, column 6"):
        read_json('{"findings": [],\n "x" 1, "and": "much more after it"}')


def test_a_broken_list_is_never_taken_in_part() -> None:
    with pytest.raises(FindingsError, match="line 1, column 12"):
        read_json('[{"a": 1}, nonsense, {"a": 2}, {"a": 3}]')


def test_nesting_beyond_what_the_reader_bears_is_refused() -> None:
    with pytest.raises(FindingsError, match="nested"):
        read_json('{"findings":' + "[" * 100_000 + "]" * 100_000 + "}")


def test_depth_is_measured() -> None:
    value: object = 1
    for _ in range(MAX_DEPTH):
        value = [value]
    assert not is_too_deep(value)
    assert is_too_deep([value])
    assert is_too_deep({"a": [value]})


def test_numbers_that_are_none_become_not_given() -> None:
    document = read_json('{"a": NaN, "b": [Infinity, -Infinity], "c": ' + "9" * 5000 + "}")
    assert document.values == [{"a": None, "b": [None, None], "c": None}]
    assert document.notes == ["NaN or Infinity in the file was read as not given."]


def test_a_field_given_twice_is_told() -> None:
    document = read_json('{"title": "shown", "title": "used"}')
    assert document.values == [{"title": "used"}]
    assert "'title'" in document.notes[0]


def test_limits_are_sentences(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jsontext, "MAX_ITEMS", 2)
    with pytest.raises(FindingsError, match="more than 2 items"):
        read_json('{"a":1}{"a":2}{"a":3}')
    monkeypatch.undo()
    monkeypatch.setattr(jsontext, "MAX_UNREADABLE", 1)
    with pytest.raises(FindingsError, match="More than 1 lines are not JSON"):
        read_json('{"a":1}\n{x\n{y\n')
    monkeypatch.setattr(jsontext, "MAX_MARKS", 1)
    with pytest.raises(FindingsError, match="too many single values"):
        read_json("[1,2,3]")
