"""reactions.add and reactions.remove."""

from __future__ import annotations

from bot.workspace.api.call import Call
from bot.workspace.model import Json


def add(call: Call) -> Json:
    """React as the app."""
    return _react(call, add=True)


def remove(call: Call) -> Json:
    """Take the app's reaction back."""
    return _react(call, add=False)


def _react(call: Call, *, add: bool) -> Json:
    channel = call.joined_channel()
    name = call.text("name").strip(":")
    call.hub.state.react(channel, call.text("timestamp"), name, call.hub.app.bot_user_id, add=add)
    return {}
