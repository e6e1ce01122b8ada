"""Messages as a person would read them."""

from __future__ import annotations

import pytest

from bot.workspace.plain import render_text
from tests.acceptance.workspace.samples import EVERY_BLOCK, HOSTILE, RICH_TEXT

NAMES = {"U0ALICE": "Alice Okafor", "U0BEN": "Ben Hart", "C0RETESTS": "retests"}


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("hi <@U0BEN> in <#C0RETESTS|>", "hi @Ben Hart in #retests"),
        ("<@U9|someone> <!channel>", "@someone @channel"),
        (
            "<https://app.example.com|the app> <https://x.example.com>",
            "the app (https://app.example.com) https://x.example.com",
        ),
        ("&lt;!channel&gt; &amp;lt;", "<!channel> &lt;"),
    ],
)
def test_tokens_are_read_as_what_they_show(text: str, read: str) -> None:
    assert render_text({"text": text}, NAMES) == read


def test_blocks_stand_instead_of_the_text() -> None:
    read = render_text({"text": "fallback", "blocks": EVERY_BLOCK}, NAMES)
    assert "fallback" not in read
    for words in (
        "Header & title",
        "*Severity*",
        "context with @Ben Hart",
        "[Approve] [Remove] [One | Two]",
        "app.example.com | " + HOSTILE,
        "[image A chart]",
        "More below\ninside",
    ):
        assert words in read


def test_rich_text_keeps_its_shape() -> None:
    assert render_text({"blocks": [RICH_TEXT]}, NAMES).split("\n")[:6] == [
        "plain bold italic struck code @Alice Okafor a link (https://app.example.com/) "
        ":white_check_mark: not a link (javascript:window.broken=3)",
        "• first",
        "• second",
        "  1. numbered",
        "> quoted words",
        "    $ cat page.html",
    ]


def test_files_are_named() -> None:
    assert render_text({"text": "", "files": [{"name": "a.txt", "size": 3}]}) == "[file a.txt, 3 bytes]"
