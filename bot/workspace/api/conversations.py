"""conversations.*: channels, their members and what was said in them."""

from __future__ import annotations

from bot.workspace.api.call import Call
from bot.workspace.app_events import without_metadata
from bot.workspace.errors import ApiError
from bot.workspace.model import Channel, Json

_SCOPE_FAMILIES = {"channel": "channels", "group": "groups", "im": "im"}


def info(call: Call) -> Json:
    """One channel."""
    channel = _scoped(call, call.channel(), "read")
    return {"channel": channel.info(member=call.is_member(channel))}


def list_channels(call: Call) -> Json:
    """The channels the app may know of, by `types`."""
    types = (call.optional("types") or "public_channel").split(",")
    kinds = {"public_channel": "channel", "private_channel": "group", "im": "im"}
    wanted = {kinds.get(kind.strip()) for kind in types}
    found = [
        channel.info(member=call.is_member(channel))
        for channel in call.hub.state.channels.values()
        if channel.kind in wanted
        and (channel.kind == "channel" or call.is_member(channel))
        and not (call.flag("exclude_archived") and channel.is_archived)
    ]
    return call.page(found, "channels")


def history(call: Call) -> Json:
    """The channel view, newest first; replies are not in it."""
    channel = _scoped(call, call.joined_channel(), "history")
    found = [message for message in call.hub.state.top_level(channel) if _in_window(call, message)]
    return call.page([_shown(call, message) for message in reversed(found)], "messages")


def replies(call: Call) -> Json:
    """A thread, root first; the window applies to the replies."""
    channel = _scoped(call, call.joined_channel(), "history")
    ts = call.text("ts")
    message = channel.messages.get(ts)
    root, *answers = call.hub.state.thread(channel, message.get("thread_ts", ts) if message else ts)
    found = [root, *(answer for answer in answers if _in_window(call, answer))]
    return call.page([_shown(call, message) for message in found], "messages")


def members(call: Call) -> Json:
    """Ids of everybody in a channel."""
    channel = _scoped(call, call.channel(), "read")
    found = call.page([{"id": member} for member in sorted(channel.members)], "members")
    return found | {"members": [member["id"] for member in found["members"]]}


def join(call: Call) -> Json:
    """Make the app a member of a public channel."""
    channel = call.channel()
    if channel.kind != "channel":
        raise ApiError("method_not_supported_for_channel_type")
    if channel.is_archived:
        raise ApiError("is_archived")
    call.hub.state.join(channel, call.hub.state.users[call.hub.app.bot_user_id])
    return {"channel": channel.info(member=True)}


def open_direct(call: Call) -> Json:
    """The direct conversation with one person."""
    state = call.hub.state
    users = call.text("users").split(",")
    if len(users) > 1:
        raise ApiError("method_not_supported_for_channel_type")
    channel = state.direct_channel(state.user(users[0]), state.users[call.hub.app.bot_user_id])
    return {"channel": channel.info(member=True) if call.flag("return_im") else {"id": channel.id}}


def _scoped(call: Call, channel: Channel, what: str) -> Channel:
    """Each kind of conversation has a scope of its own; raises ApiError ``missing_scope``."""
    scope = f"{_SCOPE_FAMILIES[channel.kind]}:{what}"
    if scope not in call.hub.app.scopes:
        provided = ",".join(sorted(call.hub.app.scopes))
        raise ApiError("missing_scope", {"needed": scope, "provided": provided})
    return channel


def _in_window(call: Call, message: Json) -> bool:
    ts, inclusive = message["ts"], call.flag("inclusive")
    oldest, latest = call.optional("oldest"), call.optional("latest")
    if oldest and (ts < _padded(oldest) or (ts == oldest and not inclusive)):
        return False
    return not (latest and (ts > _padded(latest) or (ts == latest and not inclusive)))


def _padded(ts: str) -> str:
    """Whole seconds are allowed as a bound; a ts compares as text once both have their six digits."""
    seconds, _, rest = ts.partition(".")
    return f"{seconds}.{rest:0<6}"


def _shown(call: Call, message: Json) -> Json:
    return message if call.flag("include_all_metadata") else without_metadata(message)
