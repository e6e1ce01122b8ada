"""views.*: modals and the home tab."""

from __future__ import annotations

from bot.workspace.api.call import Call
from bot.workspace.errors import ApiError
from bot.workspace.model import Json
from bot.workspace.posting import checked_view


def open_view(call: Call) -> Json:
    """A modal for the person whose action the trigger id belongs to."""
    return _place(call, push=False)


def push_view(call: Call) -> Json:
    """A modal on top of the one that is open."""
    return _place(call, push=True)


def update_view(call: Call) -> Json:
    """New content for an open modal, by id or external id."""
    view = checked_view(call.args.get("view"))
    key = "view_id" if call.optional("view_id") else "external_id"
    user, updated = call.hub.state.views.update(call.text(key), view, call.optional("hash"))
    call.hub.views_changed(user)
    return {"view": updated}


def publish_view(call: Call) -> Json:
    """The home tab of one person."""
    view = checked_view(call.args.get("view"))
    user = call.text("user_id")
    if user not in call.hub.state.users:
        raise ApiError("invalid_arguments")
    call.hub.state.views.homes[user] = view
    return {"view": call.hub.view_frame() | view}


def _place(call: Call, *, push: bool) -> Json:
    view, hub = checked_view(call.args.get("view")), call.hub
    user = hub.triggers.redeem(call.text("trigger_id"))
    stacks = hub.state.views
    placed = (stacks.push if push else stacks.open)(user, view, hub.view_frame())
    hub.views_changed(user)
    return {"view": placed}
