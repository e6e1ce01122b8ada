"""The payloads of commands and interactions, as Slack sends them."""

from __future__ import annotations

import copy
from typing import Any

from bot.workspace.app_events import without_metadata
from bot.workspace.composing import escape
from bot.workspace.installed_app import InstalledApp
from bot.workspace.model import Channel, Json, Team, User

_FLAT = (
    "value", "selected_option", "selected_options", "selected_user", "selected_channel",
    "selected_conversation", "selected_date", "selected_time",
)  # fmt: skip


class Payloads:
    """Builds payloads for one app in one workspace."""

    def __init__(self, app: InstalledApp, team: Team) -> None:
        self._app = app
        self._team = team

    def command(self, person: User, channel: Channel, command: str, text: str, **one_shot: str) -> Json:
        """A slash command; `one_shot` holds its trigger_id and response_url."""
        return {
            "token": "verification-token",
            "team_id": self._team.id,
            "team_domain": self._team.domain,
            "channel_id": channel.id,
            "channel_name": "directmessage" if channel.is_im else channel.name,
            "user_id": person.id,
            "user_name": person.name,
            "command": command,
            "text": text,
            "api_app_id": self._app.app_id,
            # A string in commands, as Slack sends form fields there; a boolean elsewhere.
            "is_enterprise_install": "false",
            **one_shot,
        }

    def message_click(
        self, person: User, channel: Channel, message: Json, action: Json, values: Json
    ) -> Json:
        """block_actions of an element in a message."""
        container: Json = {
            "type": "message",
            "message_ts": message["ts"],
            "channel_id": channel.id,
            "is_ephemeral": bool(message.get("is_ephemeral")),
        }
        if "thread_ts" in message:
            container["thread_ts"] = message["thread_ts"]
        payload = self._frame("block_actions", person) | {
            "container": container,
            "channel": {"id": channel.id, "name": channel.name},
            "state": {"values": values},
            "actions": [action],
        }
        # Of an ephemeral message Slack gives back no more than the container.
        return payload if message.get("is_ephemeral") else payload | {"message": escaped_plain_text(message)}

    def view_click(self, person: User, view: Json, action: Json, values: Json) -> Json:
        """block_actions of an element in a modal."""
        return self._frame("block_actions", person) | {
            "container": {"type": "view", "view_id": view["id"]},
            "view": view | {"state": {"values": values}},
            "actions": [action],
        }

    def view_submission(self, person: User, view: Json, values: Json) -> Json:
        """A form that was sent."""
        payload = self._frame("view_submission", person)
        return payload | {"view": view | {"state": {"values": values}}, "response_urls": []}

    def view_closed(self, person: User, view: Json, *, cleared: bool) -> Json:
        """A form that was closed without sending."""
        return self._frame("view_closed", person) | {"view": view, "is_cleared": cleared}

    def message_action(
        self, person: User, channel: Channel, message: Json, callback_id: str, action_ts: str
    ) -> Json:
        """A message shortcut."""
        return self._frame("message_action", person) | {
            "callback_id": callback_id,
            "message_ts": message["ts"],
            "action_ts": action_ts,
            "channel": {"id": channel.id, "name": channel.name},
            "message": escaped_plain_text(message),
        }

    def _frame(self, kind: str, person: User) -> Json:
        return {
            "type": kind,
            "team": {"id": self._team.id, "domain": self._team.domain},
            "enterprise": None,
            "is_enterprise_install": False,
            "user": {
                "id": person.id,
                "username": person.name,
                "name": person.name,
                "team_id": person.team_id,
            },
            "api_app_id": self._app.app_id,
            "token": "verification-token",
        }


def action(element: Json, block_id: str, value: Json | None, action_ts: str) -> Json:
    """One entry of ``actions``: what was clicked or chosen."""
    made: Json = {"action_id": element["action_id"], "block_id": block_id, "type": element["type"]}
    for key in ("text", "style", "value", "placeholder"):
        if key in element:
            made[key] = element[key]
    made |= {key: item for key, item in (value or {}).items() if key in _FLAT}
    escaped: Json = escaped_plain_text(made)
    return escaped | {"action_ts": action_ts}


def escaped_plain_text(message: Json) -> Json:
    """A copy without metadata and with the plain_text of its labels escaped, as interactions return it."""
    # Slack does so, and an app that compares labels with what it sent finds them different.
    escaped: Json = _escape_labels(copy.deepcopy(without_metadata(message)))
    return escaped


def _escape_labels(value: Any) -> Any:  # noqa: ANN401 - walks JSON of any shape
    if isinstance(value, list):
        return [_escape_labels(item) for item in value]
    if not isinstance(value, dict):
        return value
    if value.get("type") == "plain_text":
        return value | {"text": escape(value["text"])}
    return {key: _escape_labels(item) for key, item in value.items()}
