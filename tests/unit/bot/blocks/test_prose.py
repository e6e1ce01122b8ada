"""A model's Markdown as rich_text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.blocks import prose
from bot.blocks.message import Json, Message
from tests.unit.bot.blocks.samples import HOSTILE, assert_inert, assert_shows, nodes, words


def styles(elements: list[Json]) -> dict[str, list[str]]:
    return {
        node["text"].strip(): sorted(node.get("style", {}))
        for node in nodes(elements)
        if node.get("type") == "text" and node["text"].strip()
    }


def test_emphasis_code_and_headings_become_styles() -> None:
    drawn = styles(prose.elements("## Result\n\nThe **quote _breaks_** it: `id=1'` ~~fixed~~"))

    assert drawn == {
        "Result": ["bold"],
        "The": [],
        "quote": ["bold"],
        "breaks": ["bold", "italic"],
        "it:": [],
        "id=1'": ["code"],
        "fixed": ["strike"],
    }


def test_nested_lists_keep_their_numbers_and_their_depth() -> None:
    drawn = prose.elements("3. three\n   - inner\n4. four\n5. five\n")

    shape = [(e["style"], e["indent"], e.get("offset", 0), len(e["elements"])) for e in drawn]
    assert shape == [("ordered", 0, 2, 1), ("bullet", 1, 0, 1), ("ordered", 0, 3, 2)]


def test_paragraphs_stand_apart_and_nothing_trails() -> None:
    drawn = prose.elements("## Head\n\nOne.\n\nTwo.\n\n- item\n\nThree.\n")

    assert ["".join(node["text"] for node in nodes(e) if "text" in node) for e in drawn] == [
        "Head\nOne.\n\nTwo.",
        "item",
        "Three.",
    ]


def test_fences_tables_and_quotes_have_elements_of_their_own() -> None:
    drawn = prose.elements("> said\n\n```sh\nls -l\n```\n\n| a | long |\n|---|---|\n| 1 | 2 |\n")

    assert [element["type"] for element in drawn] == [
        "rich_text_quote",
        "rich_text_preformatted",
        "rich_text_preformatted",
    ]
    assert drawn[1]["elements"][0]["text"] == "ls -l"
    assert drawn[2]["elements"][0]["text"] == "a  long\n1  2"


def test_a_link_shows_where_it_leads_and_is_none() -> None:
    drawn = prose.elements("see [the report](https://evil.example.com) ![x](https://evil.example.com/pixel)")

    text = "".join(node["text"] for node in nodes(drawn) if node.get("type") == "text")
    assert text == "see the report (https://evil.example.com) x (https://evil.example.com/pixel)"
    assert not any(node.get("type") == "link" for node in nodes(drawn))


def test_hostile_prose_is_only_characters() -> None:
    message = Message(text="said", blocks=prose.pages(HOSTILE)[0])

    assert_shows(message)
    assert_inert(message)
    assert "<!channel> <@U2BEN> <#C1> https://evil.example.com|click @here <!here> ```" in words(message)


@pytest.mark.parametrize(
    "long", ["word " * 4000, "&" * 9000, "- item\n" * 3000, "```\n" + "x" * 20_000 + "\n```", "a\n\n" * 4000]
)
def test_long_prose_is_cut_into_messages_that_slack_takes(long: str) -> None:
    pages = prose.pages(long)

    for page in pages:
        assert_shows(Message(text="said", blocks=page))
    shown = "".join(words(Message(text="said", blocks=page)) for page in pages)
    kept = long[: prose.LONGEST]
    for letter in "wx&t":
        assert shown.count(letter) == kept.count(letter)


def test_prose_in_a_card_says_when_it_was_cut() -> None:
    assert "cut here" not in words(Message(text="said", blocks=prose.beginning("short")))
    assert "cut here" in words(Message(text="said", blocks=prose.beginning("word " * 3000)))


@given(st.text(alphabet="*_`#>-1. \n[]()<&|~a", max_size=400))
def test_whatever_a_model_writes_slack_takes_it(text: str) -> None:
    for page in prose.pages(text):
        assert_shows(Message(text="said", blocks=page))
