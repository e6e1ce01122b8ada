"""What Slack delivers, back to what a person typed."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot import typed


@pytest.mark.parametrize(
    ("delivered", "as_typed"),
    [
        ("a &amp;&amp; b &lt; c &gt; d", "a && b < c > d"),
        ("&amp;lt;", "&lt;"),
        ("<http://app.example.com|app.example.com>", "app.example.com"),
        ("<https://app.example.com/x|the app>", "https://app.example.com/x"),
        ("<https://app.example.com/?a=1&amp;b=2>", "https://app.example.com/?a=1&b=2"),
        ("<mailto:a@example.com|a@example.com>", "a@example.com"),
        ("ask <@U1|ben> in <#C1|retests>", "ask @ben in #retests"),
        ("ask <@U1>", "ask @U1"),
        ("<!here> look", "@here look"),
        ("a\u00a0b", "a b"),
    ],
)
def test_plain_undoes_what_slack_put_in(delivered: str, as_typed: str) -> None:
    assert typed.plain(delivered) == as_typed


def test_smart_characters_become_what_the_keyboard_has() -> None:
    assert typed.command("!curl \u2014data \u201ca\u201d \u2018b\u2019\u00a0x") == "!curl --data \"a\" 'b' x"


def test_a_mention_in_a_command_is_refused() -> None:
    with pytest.raises(typed.MentionInCommand):
        typed.command("!echo <@U1>")


def _rich(*elements: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"type": "rich_text", "elements": list(elements)}]


def test_code_is_kept_to_the_letter_and_the_rest_is_straightened() -> None:
    blocks = _rich(
        {
            "type": "rich_text_section",
            "elements": [
                {"type": "text", "text": "!echo \u201cx\u201d "},
                {"type": "text", "text": "\u201cy\u201d &amp;", "style": {"code": True}},
            ],
        }
    )
    assert typed.command("ignored", blocks) == '!echo "x" \u201cy\u201d &amp;'


def test_links_emoji_and_preformatted_text_are_read_as_typed() -> None:
    blocks = _rich(
        {
            "type": "rich_text_section",
            "elements": [
                {"type": "text", "text": "!curl "},
                {"type": "link", "url": "http://app.example.com", "text": "app.example.com"},
                {"type": "emoji", "name": "8080"},
            ],
        },
        {"type": "rich_text_preformatted", "elements": [{"type": "text", "text": "-d 'a\u2019'"}]},
    )
    assert typed.command("ignored", blocks) == "!curl app.example.com:8080:\n-d 'a\u2019'"


def test_a_mention_in_rich_text_is_refused() -> None:
    blocks = _rich({"type": "rich_text_section", "elements": [{"type": "user", "user_id": "U1"}]})
    with pytest.raises(typed.MentionInCommand):
        typed.command("!x", blocks)


def test_a_mention_of_the_bot_is_seen_and_taken_out() -> None:
    assert typed.mentions("<@UBOT> stop", "UBOT")
    assert typed.mentions("hi <@UBOT|revalid>", "UBOT")
    assert not typed.mentions("<@UBOTTOM> stop", "UBOT")
    assert typed.without_mention("<@UBOT> conclude fixed", "UBOT") == "conclude fixed"


@given(st.text(max_size=80))
def test_text_without_links_survives_slacks_escaping(text: str) -> None:
    escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    assert typed.plain(escaped) == text.replace("\u00a0", " ").strip()
