"""Which Events API events a change makes for the installed app."""

from __future__ import annotations

import hashlib

from bot.workspace.installed_app import InstalledApp
from bot.workspace.model import Change, Channel, Json
from bot.workspace.state import State

_SUBSCRIPTIONS = {"channel": "message.channels", "group": "message.groups", "im": "message.im"}


def app_events(state: State, app: InstalledApp, change: Change) -> list[Json]:
    """The complete ``event_callback`` bodies, none when the app may not hear of it."""
    channel = state.channels.get(change.channel or "")
    # A subscription alone is not enough: Slack tells an app only of channels that its bot is in.
    if channel is None or app.bot_user_id not in channel.members:
        return []
    return [_callback(state, app, channel, event) for event in _inner_events(state, app, channel, change)]


def without_metadata(message: Json) -> Json:
    """A message as it is given to those who did not ask for its metadata."""
    return {key: value for key, value in message.items() if key != "metadata"}


def _inner_events(state: State, app: InstalledApp, channel: Channel, change: Change) -> list[Json]:
    events: list[Json] = []
    where: Json = {"channel": channel.id, "channel_type": channel.kind}
    if change.kind in ("message", "message_changed", "message_deleted"):
        if _SUBSCRIPTIONS[channel.kind] in app.bot_events:
            events.append(_message_event(state, channel, change) | where)
        # Beside the message event and with an id of its own, so that an app must know the two as one.
        if change.kind == "message" and _mentions(app, change.body) and "app_mention" in app.bot_events:
            events.append(_mention_event(change.body) | {"channel": channel.id})
    elif change.kind == "reaction":
        kind = "reaction_added" if change.body["added"] else "reaction_removed"
        if kind in app.bot_events:
            events.append(_reaction_event(state, channel, change, kind))
    elif change.kind == "member" and "member_joined_channel" in app.bot_events:
        joined = state.users[change.body["user"]]
        events.append({"type": "member_joined_channel", "user": joined.id, "team": joined.team_id} | where)
    return events


def _mentions(app: InstalledApp, message: Json) -> bool:
    return f"<@{app.bot_user_id}>" in message.get("text", "") and message.get("user") != app.bot_user_id


def _message_event(state: State, channel: Channel, change: Change) -> Json:
    if change.kind == "message":
        message = without_metadata(change.body)
        event = {**message, "event_ts": message["ts"]}
        sender = state.users.get(message.get("user", ""))
        # In a shared channel only these say which organisation the sender belongs to.
        if channel.is_ext_shared and sender is not None:
            event |= {"user_team": sender.team_id, "source_team": sender.team_id}
        return event
    # A change is an event with a ts of its own; the ts of the message is inside.
    ts = state.next_ts(channel)
    event = {"type": "message", "subtype": change.kind, "hidden": True, "ts": ts, "event_ts": ts}
    event["previous_message"] = without_metadata(change.previous or {})
    if change.kind == "message_changed":
        event["message"] = without_metadata(change.body)
    else:
        event["deleted_ts"] = change.body["ts"]
    return event


def _mention_event(message: Json) -> Json:
    kept = (
        "user",
        "text",
        "ts",
        "thread_ts",
        "parent_user_id",
        "client_msg_id",
        "team",
        "blocks",
        "files",
        "bot_id",
    )
    event = {key: message[key] for key in kept if key in message}
    return {"type": "app_mention", **event, "event_ts": message["ts"]}


def _reaction_event(state: State, channel: Channel, change: Change, kind: str) -> Json:
    message = change.body["message"]
    return {
        "type": kind,
        "user": change.actor,
        "reaction": change.body["name"],
        "item": {"type": "message", "channel": channel.id, "ts": message["ts"]},
        "item_user": message.get("user"),
        "event_ts": state.next_ts(channel),
    }


def _callback(state: State, app: InstalledApp, channel: Channel, event: Json) -> Json:
    authorization = {
        "enterprise_id": None,
        "team_id": state.team.id,
        "user_id": app.bot_user_id,
        "is_bot": True,
        "is_enterprise_install": False,
    }
    # One per event and the same on every retry: it is what an app can tell duplicates by.
    event_id = state.ids.next("Ev")
    return {
        "token": "verification-token",
        "team_id": state.team.id,
        "context_team_id": state.team.id,
        "context_enterprise_id": None,
        "api_app_id": app.app_id,
        "event": event,
        "type": "event_callback",
        "event_id": event_id,
        "event_time": int(state.clock.now()),
        "authorizations": [authorization],
        "is_ext_shared_channel": channel.is_ext_shared,
        "event_context": "4-" + hashlib.sha256(event_id.encode()).hexdigest()[:32],
    }
