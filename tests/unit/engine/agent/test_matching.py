from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from engine.agent.matching import Match, Observed, evaluate, judge, judge_control
from engine.findings.model import Matcher, RecordedStep

PAGE = "HTTP/1.1 200 OK\r\nServer: orchard\r\n\r\n<p>Hello Ada</p>"
HOP = "HTTP/1.1 302 Found\r\nLocation: http://evil.example.net/\r\n\r\n"


def step(*matchers: Matcher, condition: str = "and", command: str = "curl -i x") -> RecordedStep:
    return RecordedStep(command=command, matchers=matchers, condition=condition)  # type: ignore[arg-type]


def matcher(kind: str, *values: str, **changes: Any) -> Matcher:
    return Matcher(type=kind, values=values, **changes)  # type: ignore[arg-type]


def match(stdout: str, *matchers: Matcher, **changes: Any) -> Match:
    return evaluate(step(*matchers, **changes), stdout).match


@pytest.mark.parametrize(
    ("one", "expected"),
    [
        (matcher("status", "200"), Match.matched),
        (matcher("status", "404"), Match.not_matched),
        (matcher("status", "404", "200"), Match.matched),
        (matcher("status", "404", negative=True), Match.matched),
        (matcher("word", "Hello"), Match.matched),
        (matcher("word", "hello", part="body"), Match.not_matched),
        (matcher("word", "Hello", "Ben"), Match.matched),
        (matcher("word", "Hello", "Ben", condition="and"), Match.not_matched),
        (matcher("word", "Hello", part="header"), Match.not_matched),
        (matcher("word", "Server: Orchard", part="header"), Match.matched),
        (matcher("word", "server: orchard"), Match.matched),
        (matcher("word", "X-Frame-Options", part="header", negative=True), Match.matched),
        (matcher("word", "Server", part="header", negative=True), Match.not_matched),
        (matcher("word", "orchard", part="body"), Match.not_matched),
        (matcher("regex", "Hello \\w+", part="body"), Match.matched),
        (matcher("regex", "(?i)hello ben", part="body"), Match.not_matched),
        (matcher("regex", "^server:", part="header"), Match.not_matched),
        (matcher("regex", "(?m)^server:", part="header"), Match.matched),
        (matcher("regex", "(unclosed", part="body"), Match.cannot_tell),
        (matcher("extracted", "Ada"), Match.matched),
        (matcher("extracted", "Ben"), Match.not_matched),
        (matcher("word", "x", part="interactsh_protocol"), Match.cannot_tell),
        (matcher("word"), Match.cannot_tell),
    ],
)
def test_one_matcher(one: Matcher, expected: Match) -> None:
    assert match(PAGE, one) is expected


@pytest.mark.parametrize(
    ("condition", "matchers", "expected"),
    [
        ("and", ("status", "word"), Match.matched),
        ("or", ("word", "other"), Match.matched),
        ("and", ("word", "other"), Match.not_matched),
        ("or", ("other",), Match.not_matched),
        ("and", ("word", "unknown"), Match.cannot_tell),
        ("and", ("other", "unknown"), Match.not_matched),
        ("or", ("word", "unknown"), Match.matched),
        ("or", ("other", "unknown"), Match.cannot_tell),
    ],
)
def test_conditions_know_what_cannot_be_told(
    condition: str, matchers: tuple[str, ...], expected: Match
) -> None:
    kinds = {
        "status": matcher("status", "200"),
        "word": matcher("word", "Hello"),
        "other": matcher("word", "Ben"),
        "unknown": matcher("word", "x", part="cookies_from_dsl"),
    }
    assert match(PAGE, *(kinds[name] for name in matchers), condition=condition) is expected


def test_nothing_recorded_and_nothing_printed_tell_nothing() -> None:
    assert evaluate(step(), PAGE).match is Match.cannot_tell
    assert match("", matcher("word", "x", negative=True)) is Match.cannot_tell
    assert match(" \n", matcher("word", "x")) is Match.cannot_tell


def test_a_status_needs_to_be_in_the_output() -> None:
    assert match("<p>hello</p>", matcher("status", "200")) is Match.cannot_tell
    assert match("<p>hello</p>", matcher("word", "x", part="header")) is Match.cannot_tell
    written = 'curl -s -w "%{http_code}" x'
    assert match("<p>hello</p>200", matcher("status", "200"), command=written) is Match.matched
    assert match("000", matcher("status", "200"), command=written) is Match.cannot_tell


def test_any_hop_may_match_but_all_of_it_on_one_hop() -> None:
    redirect = (matcher("status", "302"), matcher("word", "evil.example.net", part="header"))
    assert match(HOP + PAGE, *redirect) is Match.matched
    assert match(HOP + PAGE, matcher("status", "302"), matcher("word", "Hello")) is Match.not_matched


def test_absence_is_looked_for_in_the_last_answer_only() -> None:
    absent = matcher("word", "Server", part="header", negative=True)
    assert match(HOP + PAGE, absent) is Match.not_matched


def test_the_reason_names_what_was_seen_and_is_short() -> None:
    why = evaluate(step(matcher("status", "200"), matcher("word", "Hello")), PAGE).why
    assert why == "status 200, found `Hello`"
    assert len(evaluate(step(matcher("word", "y" * 5000)), PAGE).why) < 100


@pytest.mark.parametrize("pattern", [r"ada@example\.com *_\w+_*", "`whoami`", "``", "a|b"])
def test_a_quoted_pattern_is_shown_to_the_letter(pattern: str) -> None:
    why = evaluate(step(matcher("regex", pattern)), PAGE).why
    quoted = [
        part.content for part in MarkdownIt().parseInline(why)[0].children or () if part.type == "code_inline"
    ]
    assert quoted == [pattern]


def test_a_pattern_that_would_run_for_years_is_given_up() -> None:
    comparison = evaluate(step(matcher("regex", "(a|aa)+$", "(a*)*b", part="body")), "a" * 40_000 + "!")
    assert comparison.match is Match.cannot_tell
    assert "too long" in comparison.why


REPRODUCED = matcher("word", "Hello")
GONE = matcher("word", "Goodbye")
ABSENT = matcher("word", "X-Frame-Options", negative=True)


def observed(**changes: Any) -> Observed:
    values: dict[str, Any] = {"outcome": "exited", "exit_code": 0, "stdout": PAGE}
    return Observed(**(values | changes))


@pytest.mark.parametrize(
    ("one", "changes", "expected"),
    [
        (REPRODUCED, {}, Match.matched),
        (GONE, {}, Match.not_matched),
        (ABSENT, {}, Match.matched),
        (REPRODUCED, {"outcome": "timed_out", "exit_code": None}, Match.cannot_tell),
        (REPRODUCED, {"exit_code": 18}, Match.matched),
        (REPRODUCED, {"denied": ("203.0.113.1:80/tcp",)}, Match.matched),
        (REPRODUCED, {"whole": False, "edited": True}, Match.matched),
        (GONE, {"denied": ("203.0.113.1:80/tcp",)}, Match.cannot_tell),
        (ABSENT, {"denied": ("203.0.113.1:80/tcp",)}, Match.cannot_tell),
        (GONE, {"whole": False}, Match.cannot_tell),
        (ABSENT, {"edited": True}, Match.cannot_tell),
        (GONE, {"exit_code": 22}, Match.not_matched),
        (GONE, {"exit_code": 22, "stdout": "curl failed"}, Match.cannot_tell),
        (ABSENT, {"exit_code": 7, "stdout": "curl failed"}, Match.cannot_tell),
        (GONE, {"exit_code": 7, "stdout": ""}, Match.cannot_tell),
    ],
)
def test_a_result_is_judged_by_how_it_came_about(
    one: Matcher, changes: dict[str, Any], expected: Match
) -> None:
    assert judge(step(one), observed(**changes)).match is expected


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, Match.matched),
        ({"stdout": "HTTP/2 404 \r\n\r\n"}, Match.matched),
        ({"stdout": "HTTP/1.1 502 Bad Gateway\r\n\r\n"}, Match.not_matched),
        ({"stdout": "hello"}, Match.cannot_tell),
        ({"stdout": "", "exit_code": 7}, Match.cannot_tell),
        ({"outcome": "killed"}, Match.cannot_tell),
    ],
)
def test_a_control_without_matchers_is_alive_when_http_answers(
    changes: dict[str, Any], expected: Match
) -> None:
    assert judge_control(step(), observed(**changes)).match is expected


def test_a_control_with_matchers_is_judged_by_them() -> None:
    assert judge_control(step(GONE), observed()).match is Match.not_matched


@given(st.text(max_size=200), st.sampled_from(["all", "body", "header"]), st.booleans())
def test_a_word_and_its_absence_never_agree(stdout: str, part: str, negative: bool) -> None:
    one = match(stdout, matcher("word", "a", part=part, negative=negative))
    other = match(stdout, matcher("word", "a", part=part, negative=not negative))
    assert {one, other} in ({Match.cannot_tell}, {Match.matched, Match.not_matched})
