"""The Slack app manifest: Slack would take it, and it asks for nothing that the bot does not use."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import jsonschema
import pytest
import yaml

from bot.listeners import commands, events, shortcuts
from bot.words import USAGE

DEPLOY = Path(__file__).parents[3] / "deploy"
SCHEMA: dict[str, Any] = json.loads(
    Path(__file__).with_name("schemas").joinpath("slack-manifest.json").read_text()
)
MANIFEST: dict[str, Any] = yaml.safe_load((DEPLOY / "manifest.yaml").read_text())

NEEDED_BY_EVENT = {
    "app_mention": "app_mentions:read",
    "message.channels": "channels:history",
    "message.groups": "groups:history",
}
NEEDED_BY_METHOD = {
    "chat.postMessage": "chat:write",
    "conversations.info in public channels": "channels:read",
    "conversations.info in private channels": "groups:read",
    "files.getUploadURLExternal": "files:write",
    "files.info": "files:read",
    "users.info": "users:read",
    "slash commands and shortcuts": "commands",
}


def test_slack_takes_it() -> None:
    jsonschema.Draft7Validator.check_schema(SCHEMA)
    jsonschema.validate(MANIFEST, SCHEMA, cls=jsonschema.Draft7Validator)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("features", "slash_commands", 0, "command"), "revalid"),
        (("features", "shortcuts", 0, "name"), "x" * 25),
        (("display_information", "name"), "x" * 36),
        (("display_information", "description"), "x" * 141),
        (("settings", "unknown_setting"), True),
    ],
)
def test_the_schema_refuses_what_slack_refuses(path: tuple[str | int, ...], value: object) -> None:
    broken: Any = copy.deepcopy(MANIFEST)
    *parents, last = path
    part = broken
    for step in parents:
        part = part[step]
    part[last] = value
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(broken, SCHEMA, cls=jsonschema.Draft7Validator)


def test_scopes_are_those_that_events_and_methods_need() -> None:
    events = MANIFEST["settings"]["event_subscriptions"]["bot_events"]
    needed = {NEEDED_BY_EVENT[event] for event in events} | set(NEEDED_BY_METHOD.values())
    assert set(MANIFEST["oauth_config"]["scopes"]["bot"]) == needed


def test_it_runs_over_socket_mode_with_no_address_of_its_own() -> None:
    assert MANIFEST["settings"]["socket_mode_enabled"] is True
    assert "url" not in json.dumps(MANIFEST)


class Listened:
    """In place of Bolt's app: keeps what is listened to."""

    def __init__(self) -> None:
        self.names: dict[str, set[str]] = {"command": set(), "shortcut": set(), "event": set()}

    def command(self, name: str) -> Callable[[object], None]:
        return lambda _listener: self.names["command"].add(name)

    def shortcut(self, name: str) -> Callable[[object], None]:
        return lambda _listener: self.names["shortcut"].add(name)

    def event(self, name: str) -> Callable[[object], None]:
        return lambda _listener: self.names["event"].add(name)


def test_what_it_asks_slack_for_is_what_the_bot_listens_to() -> None:
    app: Any = Listened()
    anything: Any = Mock()
    commands.register(app, anything, anything)
    shortcuts.register(app, anything, anything)
    events.register(app, anything, anything)
    assert app.names == {
        "command": {command["command"] for command in MANIFEST["features"]["slash_commands"]},
        "shortcut": {shortcut["callback_id"] for shortcut in MANIFEST["features"]["shortcuts"]},
        # `message.channels` and `message.groups` are two subscriptions to one event.
        "event": {
            name.partition(".")[0] for name in MANIFEST["settings"]["event_subscriptions"]["bot_events"]
        },
    }


def test_the_usage_hint_names_commands_that_there_are() -> None:
    (command,) = MANIFEST["features"]["slash_commands"]
    hinted = {hint.split()[0] for hint in command["usage_hint"].split("|")}
    assert hinted <= {usage.split()[0] for usage in USAGE}
