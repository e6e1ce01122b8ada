"""auth.test, api.test, apps.connections.open, bots.info."""

from __future__ import annotations

from bot.workspace.api.call import Call
from bot.workspace.errors import ApiError
from bot.workspace.model import Json


def auth_test(call: Call) -> Json:
    """Who the token belongs to."""
    app, team = call.hub.app, call.hub.state.team
    return {
        "url": f"{call.hub.base_url}/",
        "team": team.name,
        "user": app.handle,
        "team_id": team.id,
        "user_id": app.bot_user_id,
        "bot_id": app.bot_id,
        "is_enterprise_install": False,
    }


def api_test(call: Call) -> Json:
    """Echo; with `error` that error."""
    if (error := call.optional("error")) is not None:
        raise ApiError(error, {"args": call.args})
    return {"args": call.args}


def connections_open(call: Call) -> Json:
    """A one-time WebSocket address."""
    address = call.hub.base_url.replace("http", "ws", 1)
    return {"url": f"{address}/link/?ticket={call.hub.sockets.ticket()}&app_id={call.hub.app.app_id}"}


def bots_info(call: Call) -> Json:
    """The app's bot."""
    app = call.hub.app
    if call.optional("bot") not in (None, app.bot_id):
        raise ApiError("bot_not_found")
    bot = {
        "id": app.bot_id,
        "deleted": False,
        "name": app.name,
        "app_id": app.app_id,
        "user_id": app.bot_user_id,
    }
    return {"bot": bot}
