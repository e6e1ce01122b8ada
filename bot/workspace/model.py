"""What a workspace is made of: teams, people, channels, files."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]


@dataclass(frozen=True)
class Team:
    """An organisation with a workspace."""

    id: str
    domain: str
    name: str


@dataclass(frozen=True)
class User:
    """A person or a bot."""

    id: str
    name: str
    real_name: str
    team_id: str
    title: str = ""
    is_restricted: bool = False
    bot_id: str | None = None
    app_id: str | None = None

    def info(self, home: Team) -> Json:
        """The user object of ``users.info``, as seen from the team `home`."""
        profile: Json = {
            "real_name": self.real_name,
            "display_name": self.name,
            "title": self.title,
            "team": self.team_id,
        }
        if self.bot_id:
            profile |= {"bot_id": self.bot_id, "api_app_id": self.app_id}
        return {
            "id": self.id,
            "team_id": self.team_id,
            "name": self.name,
            "real_name": self.real_name,
            "deleted": False,
            "is_bot": self.bot_id is not None,
            "is_app_user": False,
            "is_restricted": self.is_restricted,
            "is_ultra_restricted": False,
            # This is how an app tells somebody of another organisation.
            "is_stranger": self.team_id != home.id,
            "tz": "Etc/UTC",
            "tz_offset": 0,
            "profile": profile,
        }


@dataclass
class Channel:
    """A conversation with its messages (by ts, oldest first) and its threads (root ts to the replies' ts)."""

    id: str
    name: str
    members: set[str]
    created: int = 0
    topic: str = ""
    is_private: bool = False
    is_im: bool = False
    is_archived: bool = False
    is_ext_shared: bool = False
    messages: dict[str, Json] = field(default_factory=dict)
    threads: dict[str, list[str]] = field(default_factory=dict)
    # Kept for ever: a reply to a deleted parent is taken, one to a ts that never was is not.
    deleted: set[str] = field(default_factory=set)

    @property
    def kind(self) -> str:
        """Slack's channel_type: im, group or channel."""
        if self.is_im:
            return "im"
        return "group" if self.is_private else "channel"

    def info(self, *, member: bool) -> Json:
        """The channel object of ``conversations.info``."""
        return {
            "id": self.id,
            "name": self.name,
            "name_normalized": self.name,
            "created": self.created,
            "is_channel": self.kind == "channel",
            "is_group": self.kind == "group",
            "is_im": self.is_im,
            "is_mpim": False,
            "is_private": self.is_private or self.is_im,
            "is_archived": self.is_archived,
            "is_member": member,
            "is_shared": self.is_ext_shared,
            "is_ext_shared": self.is_ext_shared,
            "is_pending_ext_shared": False,
            "is_org_shared": False,
            "num_members": len(self.members),
            "topic": {"value": self.topic, "creator": "", "last_set": 0},
            "purpose": {"value": "", "creator": "", "last_set": 0},
        }


@dataclass
class File:
    """An uploaded file; `content` is None until the bytes arrived."""

    id: str
    name: str
    title: str
    user: str
    created: int
    length: int
    mimetype: str
    snippet_type: str = ""
    content: bytes | None = None
    # channel id -> where in it: ts of each message that carries the file, with its thread
    shares: dict[str, list[Json]] = field(default_factory=dict)


@dataclass(frozen=True)
class Change:
    """Something happened that the page, the client or the app should hear of.

    Attributes:
        kind: message, message_changed, message_deleted, ephemeral, ephemeral_gone, views, status, reaction,
            member, channel or chaos.
        channel: channel id, where there is one.
        body: the message, view stack or whatever changed, as it is now.
        previous: the message as it was, for changed and deleted ones.
        actor: id of the user who did it.
        audience: id of the only user who may see it; None for everybody in the channel.
    """

    kind: str
    channel: str | None
    body: Json
    previous: Json | None = None
    actor: str | None = None
    audience: str | None = None
