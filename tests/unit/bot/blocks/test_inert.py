"""Untrusted text made harmless."""

from __future__ import annotations

import sys
import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from bot.blocks import inert
from bot.limits import escaped_length


def test_every_character_that_does_not_show_by_itself_is_written_out() -> None:
    unseen = {"Cc", "Cf", "Cs", "Co", "Zl", "Zp", "Zs"}
    for code in range(sys.maxunicode + 1):
        char = chr(code)
        if unicodedata.category(char) in unseen and char not in " \t\n":
            assert inert.visible(char) == f"⟨U+{code:04X}⟩"


def test_what_is_seen_stays_as_it_is() -> None:
    shown = 'curl -H "X: ü" \\\n\t--data \'{"a": 1}\' | jq . # 日本'

    assert inert.visible(shown) == shown
    assert inert.hidden(shown) == ()


def test_hidden_characters_are_named_with_how_often() -> None:
    assert inert.hidden("rm \u202e-rf\u202e \u200b") == (
        "right-to-left override (U+202E), 2 times",
        "zero width space (U+200B)",
    )


def test_letters_that_pass_for_others_are_named() -> None:
    assert inert.lookalikes("curl http://ex\u0430mple.com") == ("cyrillic small letter a (U+0430)",)
    assert inert.lookalikes("curl http://example.com_1") == ()


def test_an_output_loses_colours_and_keeps_what_a_return_would_overwrite() -> None:
    data = b"\x1b[31mHTTP/1.1 200 OK\x1b[0m\r\n\x1b]0;title\x07secret\rshown \xff\x08"

    assert inert.output(data) == "HTTP/1.1 200 OK\nsecret\nshown \ufffd⟨U+0008⟩"


def test_prose_loses_what_cannot_be_seen() -> None:
    assert inert.plain("a\u200bb\u00a0c\u202e⚠\ufe0f\r\nd") == "ab c⚠\nd"


def test_mrkdwn_can_neither_mention_nor_link() -> None:
    assert inert.escape("<!here> &amp; <http://x|y>") == "&lt;!here&gt; &amp;amp; &lt;http://x|y&gt;"


@given(st.text(alphabet="a&<>\n", max_size=300), st.integers(0, 200))
def test_a_head_is_the_longest_beginning_that_fits_or_nearly(text: str, limit: int) -> None:
    kept = inert.head(text, limit)

    assert text.startswith(kept)
    assert escaped_length(kept) <= limit
    assert kept == text or escaped_length(text[: len(kept) + 1]) > limit


@given(st.text(alphabet="a&<>\n", max_size=300), st.integers(0, 200))
def test_a_tail_is_an_end_that_fits(text: str, limit: int) -> None:
    kept = inert.tail(text, limit)

    assert text.endswith(kept)
    assert escaped_length(kept) <= limit
