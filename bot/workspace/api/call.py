"""One call of the Web API: who calls, with what, and the usual questions about its arguments."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from bot.workspace.errors import ApiError
from bot.workspace.hub import Hub
from bot.workspace.model import Channel, Json
from bot.workspace.posting import messages

Handler = Callable[["Call"], Json]
PAGE = 100
MOST_PER_PAGE = 1000


@dataclass(frozen=True)
class Call:
    """Arguments are already decoded: objects and lists where the caller sent JSON."""

    hub: Hub
    args: Json

    def text(self, key: str) -> str:
        """A required string; raises ApiError ``invalid_arguments``."""
        value = self.args.get(key)
        if value in (None, ""):
            raise ApiError("invalid_arguments", messages([f"missing required field: {key}"]))
        return str(value)

    def optional(self, key: str) -> str | None:
        """A string, or None when it was not given."""
        value = self.args.get(key)
        return str(value) if value not in (None, "") else None

    def flag(self, key: str) -> bool:
        """A boolean in any of the forms that forms and JSON give it."""
        return str(self.args.get(key, "")).lower() in ("1", "true")

    @property
    def is_member(self) -> Callable[[Channel], bool]:
        """Whether the app is in a channel."""
        return lambda channel: self.hub.app.bot_user_id in channel.members

    def channel(self, key: str = "channel") -> Channel:
        """A channel the app may know of; raises ApiError ``channel_not_found``."""
        channel = self.hub.state.channel(self.text(key))
        if channel.kind != "channel" and not self.is_member(channel):
            raise ApiError("channel_not_found")
        return channel

    def joined_channel(self, key: str = "channel") -> Channel:
        """A channel the app is in; raises ApiError ``not_in_channel``."""
        channel = self.channel(key)
        if not self.is_member(channel):
            raise ApiError("not_in_channel")
        return channel

    def writable_channel(self, key: str = "channel") -> Channel:
        """A channel the app may write to: a channel it is in, or a person's direct messages by user id."""
        state = self.hub.state
        if (user := state.users.get(self.text(key))) is not None:
            return state.direct_channel(user, state.users[self.hub.app.bot_user_id])
        channel = self.channel(key)
        if channel.is_archived:
            raise ApiError("is_archived")
        if not self.is_member(channel) and "chat:write.public" not in self.hub.app.scopes:
            raise ApiError("not_in_channel")
        return channel

    def page(self, items: list[Json], key: str) -> Json:
        """One page of `items` by ``limit`` and ``cursor``, with the cursor of the next."""
        start = int(self.optional("cursor") or 0)
        limit = min(int(self.args.get("limit") or PAGE), MOST_PER_PAGE)
        end = start + limit
        more = end < len(items)
        return {
            key: items[start:end],
            "has_more": more,
            "response_metadata": {"next_cursor": str(end) if more else ""},
        }
