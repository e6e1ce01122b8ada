"""The words people type."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.words import (
    USAGE,
    Findings,
    Help,
    Import,
    OnSession,
    Retest,
    Sessions,
    Words,
    WordsError,
    is_command,
    parse,
    sandbox_command,
)
from engine.lifecycle import Input


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", Help()),
        ("  help ", Help()),
        ("HELP", Help()),
        ("import", Import()),
        ("findings", Findings()),
        ("findings SQL  injection", Findings(text="SQL  injection")),
        ("retest F-12", Retest(finding_id=12)),
        ("retest f12", Retest(finding_id=12)),
        ("retest 12", Retest(finding_id=12)),
        ("sessions", Sessions()),
        ("conclude", OnSession(given=Input.conclude)),
        ("conclude still_open", OnSession(given=Input.conclude, status="still_open")),
        ("conclude Still open", OnSession(given=Input.conclude, status="still_open")),
        (
            "conclude still-open: the proof still works",
            OnSession(given=Input.conclude, status="still_open", text="the proof still works"),
        ),
        (
            "conclude R-42 fixed patched in 2.1",
            OnSession(given=Input.conclude, session_id=42, status="fixed", text="patched in 2.1"),
        ),
        (
            "conclude inconclusive\nthe login is gone",
            OnSession(given=Input.conclude, status="inconclusive", text="the login is gone"),
        ),
        ("conclude\nfixed", OnSession(given=Input.conclude, status="fixed")),
        (
            "conclude fixed R-42: patched in 2.1",
            OnSession(given=Input.conclude, session_id=42, status="fixed", text="patched in 2.1"),
        ),
        (
            "conclude fixed R-42",
            OnSession(given=Input.conclude, session_id=42, status="fixed"),
        ),
        ("conclude r7", OnSession(given=Input.conclude, session_id=7)),
        ("stop", OnSession(given=Input.stop)),
        ("stop R-3", OnSession(given=Input.stop, session_id=3)),
        ("restart", OnSession(given=Input.restart)),
        ("end R-3", OnSession(given=Input.end, session_id=3)),
        ("auto on", OnSession(given=Input.auto_on)),
        ("auto OFF", OnSession(given=Input.auto_off)),
        ("auto R-3 on", OnSession(given=Input.auto_on, session_id=3)),
        ("auto off R-3", OnSession(given=Input.auto_off, session_id=3)),
    ],
)
def test_words_are_understood(text: str, words: Words) -> None:
    assert parse(text) == words


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("conclud fixed", "Did you mean `conclude`?"),
        ("retests F-1", "Did you mean `retest`?"),
        ("xyzzy", "There is no command `xyzzy`. `/revalid help`"),
        ("conclude stil_open", "Did you mean `still_open`?"),
        ("conclude open", "`fixed`, `still_open` or `inconclusive`"),
        ("conclude fixedish", "`fixed`, `still_open` or `inconclusive`"),
        ("retest", "`retest F-12`"),
        ("retest the login", "`retest F-12`"),
        ("auto", "`on` or `off`"),
        ("auto maybe", "`on` or `off`"),
        ("auto on now", "`on` or `off`"),
        ("stop everything", "at most a session"),
        ("help me", "stands alone"),
        ("import file.json", "stands alone"),
    ],
)
def test_a_mistake_is_answered_with_what_was_expected(text: str, part: str) -> None:
    with pytest.raises(WordsError) as error:
        parse(text)
    assert part in error.value.sentence


def test_an_unknown_word_cannot_break_out_of_its_quotes_or_flood() -> None:
    with pytest.raises(WordsError) as error:
        parse("`<!here>`" + "x" * 5000)
    assert len(error.value.sentence) < 200
    assert error.value.sentence.count("`") == len("``" * 2)


def test_every_line_of_the_usage_is_understood() -> None:
    for usage in USAGE:
        assert is_command(usage)
        parse(usage.replace("[text]", "sql").replace("[why]", "because"))


@given(st.text(max_size=60))
def test_any_text_is_words_or_a_refusal(text: str) -> None:
    with suppress(WordsError):
        assert isinstance(parse(text), Words)


@given(st.sampled_from(["fixed", "still_open", "inconclusive"]), st.text(alphabet="abc xyz.,", max_size=40))
def test_a_reason_is_kept(status: str, why: str) -> None:
    words = parse(f"conclude R-9 {status} {why}")
    assert isinstance(words, OnSession)
    assert words.status == status
    assert words.text == why.lstrip(" ,").strip()


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("!id", "id"),
        ("  !curl -i http://app.example.com/ ", "curl -i http://app.example.com/"),
        ("!a\nb", "a\nb"),
        ("!!x", "!x"),
        ("! nice", None),
        ("!", None),
        ("!\u00a0x", None),
        ("nice!", None),
        ("", None),
    ],
)
def test_a_bang_and_a_character_make_a_command(text: str, command: str | None) -> None:
    assert sandbox_command(text) == command
