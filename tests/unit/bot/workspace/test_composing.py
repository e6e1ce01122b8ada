"""What a client makes of typed words."""

from __future__ import annotations

from typing import Any

import pytest

from bot.workspace.composing import Directory, compose

DIRECTORY = Directory({"ben": "U0BEN"}, {"retests": "C0RETESTS"})
Json = dict[str, Any]


def elements(text: str) -> list[Json]:
    _, blocks = compose(text, DIRECTORY)
    return list(blocks[0]["elements"][0]["elements"])


@pytest.mark.parametrize(
    ("typed", "sent"),
    [
        ("a < b & c > d", "a &lt; b &amp; c &gt; d"),
        ("<!channel> <@U0BEN>", "&lt;!channel&gt; &lt;@U0BEN&gt;"),
        ("hi @ben!", "hi <@U0BEN>!"),
        ("mail ben@ben.example @nobody", "mail ben@ben.example @nobody"),
        ("see #retests", "see <#C0RETESTS|>"),
        ("@here look", "<!here> look"),
        ("https://app.example.com/?a=1&b=2", "<https://app.example.com/?a=1&amp;b=2>"),
        ("*b* _i_ ~s~ `c<`", "*b* _i_ ~s~ `c&lt;`"),
        ("```\na < b\n```", "```a &lt; b```"),
        ("> said\nanswer", "&gt; said\nanswer"),
        ("2*3*4 snake_case_name", "2*3*4 snake_case_name"),
    ],
)
def test_text_is_escaped_and_names_become_tokens(typed: str, sent: str) -> None:
    assert compose(typed, DIRECTORY)[0] == sent


def test_blocks_keep_the_words_raw() -> None:
    assert elements("a <b> @ben *now*") == [
        {"type": "text", "text": "a <b> "},
        {"type": "user", "user_id": "U0BEN"},
        {"type": "text", "text": " "},
        {"type": "text", "text": "now", "style": {"bold": True}},
    ]


def test_fences_and_quotes_are_elements_of_their_own() -> None:
    _, blocks = compose("before\n> quoted\n> more\n```code```after", DIRECTORY)
    kinds = [element["type"] for element in blocks[0]["elements"]]
    assert kinds == ["rich_text_section", "rich_text_quote", "rich_text_preformatted", "rich_text_section"]
    assert blocks[0]["elements"][1]["elements"][0]["text"].startswith("quoted\nmore")


def test_nothing_typed_has_no_blocks() -> None:
    assert compose("", DIRECTORY) == ("", [])
