"""What Slack may refuse, as the reference tells it."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.troubles import GONE, PARKED, ROOT_GONE, UNREACHABLE, UNSHOWABLE, sentence

PAGE = (Path(__file__).parents[3] / "docs" / "reference" / "slack-trouble.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("code", sorted(PARKED))
def test_the_page_has_each_code_with_its_sentence(code: str) -> None:
    assert f"| `{code}` | parks the thread | {sentence(code)} |" in PAGE


@pytest.mark.parametrize("code", sorted(GONE | UNSHOWABLE | {ROOT_GONE}))
def test_the_page_has_what_is_mended_without_a_person(code: str) -> None:
    assert f"`{code}`" in PAGE


def test_silence_and_the_unforeseen_have_a_sentence_too() -> None:
    assert sentence(UNREACHABLE) in PAGE
    assert sentence("as_yet_unknown") == "Slack refuses its messages (as_yet_unknown); it is tried again."
