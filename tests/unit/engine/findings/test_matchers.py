from __future__ import annotations

import re
from typing import Any

import pytest

from engine.findings.matchers import BadMatcher, condition_of, matcher_of
from engine.findings.model import Matcher


def test_a_matcher_with_everything() -> None:
    raw = {"type": "regex", "regex": ["a+", "b"], "part": "header", "condition": "and", "negative": True}
    assert matcher_of(raw, "body") == Matcher(
        type="regex", values=("a+", "b"), part="header", condition="and", negative=True
    )


def test_a_single_value_and_the_default_part() -> None:
    assert matcher_of({"type": "word", "words": "x"}, "body") == Matcher(
        type="word", values=("x",), part="body"
    )
    assert matcher_of({"type": "extracted", "values": ["x"]}, "all").part == "all"
    assert matcher_of({"type": "word", "words": "x", "part": "response"}, "body").part == "all"


def test_words_in_any_case_become_a_pattern() -> None:
    matcher = matcher_of({"type": "word", "words": ["A.b"], "case-insensitive": True}, "body")
    assert matcher.type == "regex"
    assert re.search(matcher.values[0], "xx a.B")
    assert not re.search(matcher.values[0], "axb")


@pytest.mark.parametrize(
    "raw",
    [
        "text",
        {"type": "dsl", "dsl": ["true"]},
        {"type": ["word"], "words": ["x"]},
        {"type": "word"},
        {"type": "word", "words": []},
        {"type": "word", "words": [{"x": 1}]},
        {"type": "word", "words": ["{{randstr}}"]},
        {"type": "word", "words": ["x"], "encoding": "hex"},
        {"type": "word", "words": ["x"], "part": "interactsh_protocol"},
        {"type": "word", "words": ["x"], "part": 7},
        {"type": "word", "words": ["x"], "condition": "xor"},
        {"type": "status", "status": ["2xx"]},
        {"type": "status", "status": [True]},
        {"type": "regex", "regex": ["(unclosed"]},
        {"type": "word", "words": ["x"] * 201},
    ],
)
def test_what_cannot_be_compared_faithfully_is_refused(raw: Any) -> None:
    with pytest.raises(BadMatcher):
        matcher_of(raw, "body")


def test_conditions() -> None:
    assert (condition_of("and"), condition_of("or")) == ("and", "or")
    with pytest.raises(BadMatcher):
        condition_of(None)
