"""users.*: who people are."""

from __future__ import annotations

from bot.workspace.api.call import Call
from bot.workspace.errors import ApiError
from bot.workspace.model import Json


def info(call: Call) -> Json:
    """One user by id."""
    state = call.hub.state
    if (user := state.users.get(call.text("user"))) is None:
        raise ApiError("user_not_found")
    return {"user": user.info(state.team)}


def list_users(call: Call) -> Json:
    """Everybody."""
    state = call.hub.state
    return call.page([user.info(state.team) for user in state.users.values()], "members")
