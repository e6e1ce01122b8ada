"""Every error has its answer."""

from __future__ import annotations

import pytest
from aiohttp import ClientConnectionError
from slack_sdk.errors import SlackApiError
from structlog.testing import capture_logs

from bot.replies import OUR_ERRORS, SLACK_CODES, Ignored, reply_to
from bot.slack import SlackRefused
from tests.unit.every_error import every_error


def test_every_error_of_ours_has_a_sentence_and_a_place_in_the_table() -> None:
    for kind in every_error():
        assert any(base in OUR_ERRORS for base in kind.__mro__), kind
        doc = kind.__doc__ or ""
        assert doc.strip(), kind


def test_our_errors_say_their_own_sentence() -> None:
    for kind in OUR_ERRORS:
        reply = reply_to(kind("A host has no port; name one."))
        assert reply.sentence == "A host has no port; name one."


def test_who_is_ignored_is_told_nothing() -> None:
    assert reply_to(Ignored()).sentence == ""


@pytest.mark.parametrize("code", SLACK_CODES)
def test_what_slack_refuses_is_said_in_our_words(code: str) -> None:
    assert reply_to(SlackApiError("no", {"ok": False, "error": code})).sentence == SLACK_CODES[code]  # type: ignore[arg-type]
    assert reply_to(SlackRefused(code)).sentence == SLACK_CODES[code]


@pytest.mark.parametrize("error", [TimeoutError(), ClientConnectionError("gone")])
def test_a_slack_that_does_not_answer_is_named(error: Exception) -> None:
    assert reply_to(error).sentence == "Slack did not answer; try again in a minute."


@pytest.mark.parametrize("error", [ValueError("xoxb-secret"), SlackApiError("no", {"error": "strange"})])  # type: ignore[arg-type]
def test_the_unforeseen_is_logged_under_the_number_that_the_person_is_told(error: Exception) -> None:
    with capture_logs() as logs:
        reply = reply_to(error)
    [entry] = logs
    assert entry["number"] in reply.sentence
    assert entry["exc_info"] is error
    assert "secret" not in reply.sentence
