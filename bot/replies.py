"""What a person is told when something goes wrong: every class of error, mapped once.

Where it is told (only to the person, in the form, in the thread) follows from where they asked; see
`bot.listeners.desk`.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import structlog
from aiohttp import ClientError
from slack_sdk.errors import SlackApiError, SlackClientError

from bot.blocks.ids import StaleButton
from bot.slack import SlackRefused
from bot.typed import MentionInCommand
from bot.words import WordsError
from engine.errors import (
    ActionRefused,
    FindingsError,
    ModelError,
    NotFound,
    RevalidError,
    SandboxError,
    ScopeError,
    SettingsError,
    StoreError,
)

log = structlog.get_logger(__name__)


class NotAllowed(RevalidError):
    """You may not do that here."""


class Ignored(RevalidError):
    """Whoever asked gets no answer, such as another bot."""


@dataclass(frozen=True, kw_only=True)
class Reply:
    """An answer to an error. An empty sentence is not told."""

    sentence: str
    level: Literal["info", "warning", "error"] = "info"


OUR_ERRORS: Mapping[type[RevalidError], Literal["info", "warning"]] = {
    NotAllowed: "info",
    StaleButton: "info",
    WordsError: "info",
    MentionInCommand: "info",
    ActionRefused: "info",
    NotFound: "info",
    FindingsError: "info",
    ScopeError: "info",
    SandboxError: "warning",
    ModelError: "warning",
    StoreError: "warning",
    SettingsError: "warning",
    RevalidError: "warning",
}
"""Ours carry their sentence; what differs is whether whoever runs Revalid should look at it."""

SLACK_CODES: Mapping[str, str] = {
    "trigger_expired": "Slack waited no longer for the form; click again.",
    "trigger_exchanged": "Slack has opened this form already.",
    "expired_trigger_id": "Slack waited no longer for the form; click again.",
    "not_in_channel": "Revalid is not in this channel; type `/invite @revalid` and try again.",
    "channel_not_found": "Revalid is not in this channel; type `/invite @revalid` and try again.",
    "is_archived": "This channel is archived, so nothing can be posted here.",
    "ratelimited": "Slack asks Revalid to slow down; try again in a minute.",
    "rate_limited": "Slack asks Revalid to slow down; try again in a minute.",
    "missing_scope": "The Slack app lacks a permission; `revalid doctor` says which.",
}


def reply_to(error: Exception) -> Reply:
    """The answer to an error; what nobody foresaw is logged under a number that the person can quote."""
    if isinstance(error, Ignored):
        return Reply(sentence="")
    # Before our own kinds, as it is one of them but its code says more.
    if isinstance(error, SlackRefused) and error.code in SLACK_CODES:
        return Reply(sentence=SLACK_CODES[error.code], level="warning")
    if isinstance(error, RevalidError):
        # The nearest class that is listed, so that new subclasses need no entry.
        kind = next(kind for kind in type(error).__mro__ if kind in OUR_ERRORS)
        return Reply(sentence=error.sentence, level=OUR_ERRORS[kind])
    if isinstance(error, SlackApiError):
        code = str(error.response.get("error", ""))
        if code in SLACK_CODES:
            return Reply(sentence=SLACK_CODES[code], level="warning")
    elif isinstance(error, SlackClientError | ClientError | TimeoutError):
        return Reply(sentence="Slack did not answer; try again in a minute.", level="warning")
    # A number and no details: those may hold secrets, and the log has them.
    number = secrets.token_hex(4)
    log.error("unforeseen error", number=number, exc_info=error)
    return Reply(
        sentence=f"Something went wrong inside Revalid. Try again, or quote {number} to whoever runs it.",
        level="error",
    )
