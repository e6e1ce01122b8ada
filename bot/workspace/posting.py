"""Messages of the app: taken from the arguments of a call, held to Slack's limits, put into Slack's shape."""

from __future__ import annotations

import re
from collections.abc import Sequence

from bot.limits import Problem, check_message, check_view
from bot.workspace.errors import ApiError
from bot.workspace.installed_app import InstalledApp
from bot.workspace.model import Json, Team

_STRAY_AMPERSAND = re.compile(r"&(?!(?:amp|lt|gt);)")
# Only what opens no token: real mentions and links must stay alive, as they do in Slack.
_STRAY_BRACKET = re.compile(r"<(?![@#!][^<>]+>|(?:https?|mailto|tel|slack):[^<>]+>)")
TEXT_TRUNCATED = 40_000


def message_content(args: Json) -> Json:
    """The text, blocks, attachments and metadata of a message.

    Raises:
        ApiError: ``no_text``, ``invalid_blocks``, ``msg_too_long``, ``msg_blocks_too_long``,
            ``markdown_text_conflict``, ``invalid_blocks_format``, ``invalid_metadata_format`` …
    """
    if not any(args.get(key) for key in ("text", "blocks", "attachments", "markdown_text")):
        raise ApiError("no_text")
    # The client library never checks blocks that are plain dicts, so only this call can refuse them.
    refuse(check_message(args))
    content: Json = {"text": stored_text(str(args.get("text") or ""))}
    if markdown := args.get("markdown_text"):
        content["blocks"] = [{"type": "markdown", "text": markdown}]
    for key in ("blocks", "attachments"):
        if args.get(key):
            content[key] = args[key]
    if (metadata := args.get("metadata")) is not None:
        if not isinstance(metadata, dict) or not {"event_type", "event_payload"} <= metadata.keys():
            raise ApiError("invalid_metadata_format")
        content["metadata"] = metadata
    return content


def checked_view(view: object) -> Json:
    """A view within the limits; raises ApiError ``invalid_arguments`` or ``view_too_large``."""
    if not isinstance(view, dict):
        raise ApiError("invalid_arguments", messages(["missing required field: view"]))
    refuse(check_view(view))
    return view


def refuse(problems: Sequence[Problem]) -> None:
    """Raise the first problem's code, with all of them told as Slack tells them."""
    if problems:
        told = [str(problem) for problem in problems]
        # Slack answers with one code, whatever else is wrong.
        raise ApiError(problems[0].code, {"errors": told, **messages(told)})


def messages(sentences: list[str]) -> Json:
    """Slack's ``response_metadata`` for an error."""
    return {"response_metadata": {"messages": [f"[ERROR] {sentence}" for sentence in sentences]}}


def bot_frame(app: InstalledApp, team: Team) -> Json:
    """What every message of the app carries beside its content."""
    return {
        "user": app.bot_user_id,
        "bot_id": app.bot_id,
        "app_id": app.app_id,
        "team": team.id,
        "bot_profile": {
            "id": app.bot_id,
            "app_id": app.app_id,
            "name": app.name,
            "team_id": team.id,
            "deleted": False,
        },
    }


def stored_text(text: str) -> str:
    """Text as Slack keeps it: cut at 40,000 characters, brackets that open no token escaped."""
    return _STRAY_BRACKET.sub("&lt;", _STRAY_AMPERSAND.sub("&amp;", text[:TEXT_TRUNCATED]))
