from __future__ import annotations

import base64
from typing import Any

import pytest
import yaml

from engine.findings.limits import MAX_TEMPLATE_BYTES
from engine.findings.model import Matcher
from engine.findings.templates import template_matchers

WORD = {"type": "word", "name": "one", "part": "header", "words": ["a", "b"], "condition": "and"}
STATUS = {"type": "status", "name": "two", "status": [200, 201]}
DSL = {"type": "dsl", "name": "three", "dsl": ["true"]}


def encoded(template: Any) -> str:
    return base64.b64encode(yaml.safe_dump(template).encode()).decode()


def http(*matchers: dict[str, Any], **request: Any) -> str:
    return encoded({"http": [{"matchers": list(matchers), **request}]})


def test_all_matchers_with_their_condition() -> None:
    found = template_matchers(http(WORD, STATUS, **{"matchers-condition": "and"}), "")
    assert found.condition == "and"
    assert found.matchers == (
        Matcher(type="word", values=("a", "b"), part="header", condition="and"),
        Matcher(type="status", values=("200", "201")),
    )


def test_the_old_name_of_the_list_counts_too() -> None:
    assert template_matchers(encoded({"requests": [{"matchers": [STATUS]}]}), "").matchers


def test_only_the_matcher_that_hit_counts_where_any_would() -> None:
    assert [matcher.type for matcher in template_matchers(http(WORD, STATUS, DSL), "two").matchers] == [
        "status"
    ]
    assert template_matchers(http(WORD, STATUS, DSL), "").matchers == ()


def test_a_name_does_not_weaken_an_and() -> None:
    found = template_matchers(http(WORD, STATUS, **{"matchers-condition": "and"}), "two")
    assert len(found.matchers) == 2


def test_internal_matchers_are_no_proof() -> None:
    found = template_matchers(http({**WORD, "internal": True}, STATUS), "")
    assert [matcher.type for matcher in found.matchers] == ["status"]


@pytest.mark.parametrize(
    "template",
    [
        "not base64!",
        base64.b64encode(b"a: [1").decode(),
        base64.b64encode(b"!!python/object/apply:os.system ['id']").decode(),
        base64.b64encode(b"\x00\x01").decode(),
        encoded(["a list"]),
        encoded({"dns": []}),
        encoded({"http": [{"matchers": [STATUS]}, {"matchers": [STATUS]}]}),
        encoded({"http": [{"matchers": []}]}),
        encoded({"http": [{"matchers": "x"}]}),
        encoded({"http": [{"matchers": [STATUS], "matchers-condition": "xor"}]}),
        "A" * (MAX_TEMPLATE_BYTES * 2),
        base64.b64encode(b"[" * 50_000).decode(),
    ],
)
def test_what_cannot_be_read_says_why(template: str) -> None:
    found = template_matchers(template, "")
    assert found.matchers == ()
    assert found.problem


def test_aliases_that_unfold_to_gigabytes_stay_small() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12)]
    assert template_matchers(base64.b64encode("\n".join(lines).encode()).decode(), "").problem
