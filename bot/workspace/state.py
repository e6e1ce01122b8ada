"""The workspace in memory: people, channels, messages, threads, ephemerals, reactions and statuses.

Knows nothing of HTTP or sockets. Whoever wants to hear of changes appends a callable to `observers`; it is
called after the change can be read.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable

from bot.workspace.clock import Clock
from bot.workspace.errors import ApiError
from bot.workspace.files import FileStore
from bot.workspace.ids import Ids
from bot.workspace.model import Change, Channel, Json, Team, User
from bot.workspace.naming import name_blocks
from bot.workspace.views import ViewStacks

# Slack's own: a status that is not renewed for two minutes is gone.
STATUS_LIFETIME = 120.0


class State:
    """Everything a workspace remembers."""

    def __init__(
        self, team: Team, users: Iterable[User], channels: Iterable[Channel], clock: Clock, ids: Ids
    ) -> None:
        self.team = team
        self.clock = clock
        self.ids = ids
        self.users = {user.id: user for user in users}
        self.channels = {channel.id: channel for channel in channels}
        self.files = FileStore(ids, clock)
        self.views = ViewStacks(ids)
        self.ephemerals: dict[tuple[str, str], Json] = {}
        self.statuses: dict[tuple[str, str], Json] = {}
        self.observers: list[Callable[[Change], None]] = []
        self.last_ts: dict[str, tuple[int, int]] = {}
        """Second and count of the newest ts of each channel."""

    def changed(self, change: Change) -> None:
        """Tell the observers."""
        for observer in self.observers:
            observer(change)

    def user(self, ref: str) -> User:
        """A user by id or handle; raises ApiError ``user_not_found``."""
        found = self.users.get(ref) or next(
            (u for u in self.users.values() if u.name == ref.lstrip("@")), None
        )
        if found is None:
            raise ApiError("user_not_found")
        return found

    def channel(self, ref: str) -> Channel:
        """A channel by id or name; raises ApiError ``channel_not_found``."""
        found = self.channels.get(ref) or next(
            (c for c in self.channels.values() if c.name == ref.lstrip("#")), None
        )
        if found is None:
            raise ApiError("channel_not_found")
        return found

    def message(self, channel: Channel, ts: str) -> Json:
        """A message by ts; raises ApiError ``message_not_found``."""
        if (found := channel.messages.get(ts)) is None:
            raise ApiError("message_not_found")
        return found

    def next_ts(self, channel: Channel) -> str:
        """A ts that is new in this channel; another channel may well have the same, as in Slack."""
        second, count = self.last_ts.get(channel.id, (0, 0))
        now = int(self.clock.now())
        second, count = (now, 1) if now > second else (second, count + 1)
        self.last_ts[channel.id] = (second, count)
        return f"{second}.{count:06d}"

    def post(self, channel: Channel, message: Json) -> Json:
        """Add a message (with `thread_ts` when it is a reply) and return it with its ts.

        Raises:
            ApiError: ``thread_not_found`` when the thread never existed.
        """
        root_ts = message.get("thread_ts")
        if root_ts in channel.deleted:
            # Slack takes a reply to a deleted parent and lets it land outside the thread.
            message = {key: value for key, value in message.items() if key != "thread_ts"}
            root_ts = None
        if root_ts is not None and root_ts not in channel.messages:
            raise ApiError("thread_not_found")
        ts = self.next_ts(channel)
        message = {"type": "message", **message, "ts": ts}
        if root_ts is not None:
            root = channel.messages[root_ts]
            message["parent_user_id"] = root.get("user")
            # Before anybody is told, as who hears of the reply reads the root beside it.
            self._count_reply(channel, root, message)
        name_blocks(message.get("blocks") or [], self.ids)
        channel.messages[ts] = message
        self.changed(Change("message", channel.id, message, actor=message.get("user")))
        return message

    def edit(
        self, channel: Channel, ts: str, fields: Json, actor: str, *, drop: tuple[str, ...] = ()
    ) -> Json:
        """Replace some fields of a message, and drop others."""
        message = self.message(channel, ts)
        # Changed in place below, and an event tells both.
        previous = copy.copy(message)
        for key in drop:
            message.pop(key, None)
        message.update(fields)
        message["edited"] = {"user": actor, "ts": self.next_ts(channel)}
        name_blocks(message.get("blocks") or [], self.ids)
        self.changed(Change("message_changed", channel.id, message, previous, actor))
        return message

    def delete(self, channel: Channel, ts: str, actor: str) -> None:
        """Remove a message; a parent with replies stays as a tombstone so that they can be read."""
        message = self.message(channel, ts)
        # Both kinds of deletion count: replies to either land outside the thread.
        channel.deleted.add(ts)
        if channel.threads.get(ts):
            previous = copy.copy(message)
            message.update(
                subtype="tombstone", text="This message was deleted.", user="USLACKBOT", hidden=True
            )
            for key in ("blocks", "files", "metadata", "bot_id", "app_id", "client_msg_id"):
                message.pop(key, None)
            self.changed(Change("message_changed", channel.id, message, previous, actor))
            return
        del channel.messages[ts]
        if (root_ts := message.get("thread_ts")) in channel.threads and root_ts != ts:
            channel.threads[root_ts].remove(ts)
            channel.messages[root_ts]["reply_count"] = len(channel.threads[root_ts])
        self.changed(Change("message_deleted", channel.id, message, message, actor))

    def thread(self, channel: Channel, root_ts: str) -> list[Json]:
        """The root and its replies, oldest first; raises ApiError ``thread_not_found``."""
        root = channel.messages.get(root_ts)
        if root is None:
            raise ApiError("thread_not_found")
        return [root, *(channel.messages[ts] for ts in channel.threads.get(root_ts, []))]

    def top_level(self, channel: Channel) -> list[Json]:
        """What the channel view shows: no replies, except those also sent to the channel."""
        return [
            message
            for ts, message in channel.messages.items()
            if message.get("thread_ts", ts) == ts or message.get("subtype") == "thread_broadcast"
        ]

    def post_ephemeral(self, channel: Channel, user: str, message: Json) -> Json:
        """A message that only `user` sees and nobody can read back."""
        shown = {"type": "message", **message, "channel": channel.id, "is_ephemeral": True, "to": user}
        shown["ts"] = self.next_ts(channel)
        name_blocks(shown.get("blocks") or [], self.ids)
        self.ephemerals[channel.id, shown["ts"]] = shown
        self.changed(Change("ephemeral", channel.id, shown, audience=user))
        return shown

    def drop_ephemeral(self, channel: Channel, ts: str) -> None:
        """Take an ephemeral away again (its person closed it, or the app replaced it)."""
        if (gone := self.ephemerals.pop((channel.id, ts), None)) is not None:
            self.changed(Change("ephemeral_gone", channel.id, gone, audience=gone["to"]))

    def set_status(self, channel: Channel, thread_ts: str, status: str, loading: list[str]) -> None:
        """Show "<App> <status>" under a thread; an empty one clears it, as do two minutes without another."""
        key = (channel.id, thread_ts)
        if status:
            expires = self.clock.now() + STATUS_LIFETIME
            self.statuses[key] = {"status": status, "loading_messages": loading, "expires": expires}
        elif self.statuses.pop(key, None) is None:
            return
        body = {"thread_ts": thread_ts, "status": status, "loading_messages": loading}
        self.changed(Change("status", channel.id, body))

    def status(self, channel: Channel, thread_ts: str) -> str:
        """The status that is shown under a thread now, or an empty string."""
        entry = self.statuses.get((channel.id, thread_ts))
        return entry["status"] if entry and entry["expires"] > self.clock.now() else ""

    def react(self, channel: Channel, ts: str, name: str, user: str, *, add: bool) -> None:
        """Add or take back a reaction; raises ApiError ``already_reacted`` or ``no_reaction``."""
        message = self.message(channel, ts)
        reactions: list[Json] = message.setdefault("reactions", [])
        entry = next((item for item in reactions if item["name"] == name), None)
        if add and entry is not None and user in entry["users"]:
            raise ApiError("already_reacted")
        if not add and (entry is None or user not in entry["users"]):
            raise ApiError("no_reaction")
        if entry is None:
            entry = {"name": name, "users": [], "count": 0}
            reactions.append(entry)
        entry["users"] = [*entry["users"], user] if add else [u for u in entry["users"] if u != user]
        entry["count"] = len(entry["users"])
        if not entry["users"]:
            reactions.remove(entry)
        body = {"message": message, "name": name, "added": add}
        self.changed(Change("reaction", channel.id, body, actor=user))

    def join(self, channel: Channel, user: User) -> None:
        """Make somebody a member; a channel with somebody from elsewhere is a shared one."""
        if user.id in channel.members:
            return
        channel.members.add(user.id)
        channel.is_ext_shared = channel.is_ext_shared or user.team_id != self.team.id
        self.changed(Change("member", channel.id, {"user": user.id}, actor=user.id))

    def direct_channel(self, one: User, other: User) -> Channel:
        """The direct conversation of two users, made when there is none."""
        members = {one.id, other.id}
        for channel in self.channels.values():
            if channel.is_im and channel.members == members:
                return channel
        channel = Channel(self.ids.next("D"), other.name, members, int(self.clock.now()), is_im=True)
        self.channels[channel.id] = channel
        self.changed(Change("channel", channel.id, channel.info(member=True)))
        return channel

    def _count_reply(self, channel: Channel, root: Json, reply: Json) -> None:
        replies = channel.threads.setdefault(root["ts"], [])
        replies.append(reply["ts"])
        users = root.get("reply_users", [])
        if reply.get("user") not in users:
            users = [*users, reply.get("user")]
        root.update(
            thread_ts=root["ts"],
            reply_count=len(replies),
            reply_users=users,
            reply_users_count=len(users),
            latest_reply=reply["ts"],
        )
