"""The app that is installed in the workspace, as its manifest describes it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Shortcut:
    """A message shortcut: an entry in the menu of every message."""

    callback_id: str
    name: str


@dataclass(frozen=True)
class Command:
    """A slash command."""

    command: str
    description: str = ""
    usage_hint: str = ""
    should_escape: bool = False


@dataclass(frozen=True)
class InstalledApp:
    """One app: its tokens (invented), what it may do, and what it is told."""

    bot_token: str
    app_token: str
    name: str = "Sample app"
    handle: str = "sample"
    scopes: frozenset[str] = frozenset()
    bot_events: frozenset[str] = frozenset()
    commands: tuple[Command, ...] = ()
    shortcuts: tuple[Shortcut, ...] = ()
    app_id: str = "A0LOCALAPP"
    bot_id: str = "B0LOCALBOT"
    bot_user_id: str = "U0LOCALBOT"

    @classmethod
    def from_manifest(cls, manifest: Mapping[str, Any], *, bot_token: str, app_token: str) -> InstalledApp:
        """Install what a Slack app manifest (already read from YAML or JSON) declares."""
        features = manifest.get("features", {})
        scopes = manifest.get("oauth_config", {}).get("scopes", {}).get("bot", [])
        events = manifest.get("settings", {}).get("event_subscriptions", {}).get("bot_events", [])
        name = manifest["display_information"]["name"]
        return cls(
            bot_token=bot_token,
            app_token=app_token,
            name=name,
            handle=features.get("bot_user", {}).get("display_name", name).lower(),
            scopes=frozenset(scopes),
            bot_events=frozenset(events),
            commands=tuple(
                Command(
                    command=item["command"],
                    description=item.get("description", ""),
                    usage_hint=item.get("usage_hint", ""),
                    should_escape=item.get("should_escape", False),
                )
                for item in features.get("slash_commands", [])
            ),
            shortcuts=tuple(
                Shortcut(callback_id=item["callback_id"], name=item["name"])
                for item in features.get("shortcuts", [])
                # Global shortcuts have no message, and so no thread to act on.
                if item.get("type") == "message"
            ),
        )

    def command(self, name: str) -> Command | None:
        """The command of that name, with its slash."""
        return next((command for command in self.commands if command.command == name), None)
