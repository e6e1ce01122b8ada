"""assistant.threads.setStatus."""

from __future__ import annotations

from bot.workspace.api.call import Call
from bot.workspace.errors import ApiError
from bot.workspace.model import Json

MOST_LOADING_MESSAGES = 10


def set_status(call: Call) -> Json:
    """What the app is doing, shown under a thread."""
    channel = call.joined_channel("channel_id")
    thread_ts = call.text("thread_ts")
    if thread_ts not in channel.messages:
        raise ApiError("thread_not_found")
    loading = call.args.get("loading_messages") or []
    if len(loading) > MOST_LOADING_MESSAGES:
        raise ApiError("invalid_arguments")
    call.hub.state.set_status(channel, thread_ts, call.optional("status") or "", loading)
    return {}
