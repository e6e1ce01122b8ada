"""The reading half of ``/_workspace/…``: what is there to see, for one person or for everybody."""

from __future__ import annotations

from aiohttp import web

from bot.workspace.errors import ApiError
from bot.workspace.hub import Hub
from bot.workspace.model import Channel, Json


class Reading:
    """GET requests of the page and the Python client; without `person` everything is shown."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._views = {
            "home": self._home,
            "messages": self._messages,
            "thread": self._thread,
            "ephemerals": self._ephemerals,
            "views": self._stack,
            "status": self._status,
        }

    async def see(self, request: web.Request) -> web.Response:
        """One view of the workspace."""
        try:
            view = self._views.get(request.match_info["view"])
            if view is None:
                raise ApiError("unknown_view", status=404)
            return web.json_response({"ok": True, **view(dict(request.query))})
        except ApiError as refused:
            return web.json_response(refused.answer, status=max(refused.status, 400))
        except KeyError as absent:
            return web.json_response({"ok": False, "error": f"missing_argument: {absent}"}, status=400)

    def _home(self, query: Json) -> Json:
        """Team, app, people and channels."""
        state, app = self._hub.state, self._hub.app
        person = query.get("person")
        return {
            "team": {"id": state.team.id, "name": state.team.name},
            "app": {
                "name": app.name,
                "handle": app.handle,
                "user": app.bot_user_id,
                "commands": [
                    {"command": known.command, "description": known.description, "hint": known.usage_hint}
                    for known in app.commands
                ],
                "shortcuts": [
                    {"callback_id": known.callback_id, "name": known.name} for known in app.shortcuts
                ],
            },
            "users": [user.info(state.team) for user in state.users.values()],
            "channels": [
                channel.info(member=person in channel.members) | {"members": sorted(channel.members)}
                for channel in state.channels.values()
                if person is None or person in channel.members
            ],
        }

    def _messages(self, query: Json) -> Json:
        return {"messages": self._in_channel(query, self._hub.state.top_level(self._channel(query)))}

    def _thread(self, query: Json) -> Json:
        return {
            "messages": self._in_channel(query, self._hub.state.thread(self._channel(query), query["ts"]))
        }

    def _ephemerals(self, query: Json) -> Json:
        shown = self._hub.state.ephemerals.values()
        return {"messages": [m for m in shown if query.get("person") in (None, m["to"])]}

    def _stack(self, query: Json) -> Json:
        person = self._hub.state.user(query["person"])
        return {"views": self._hub.state.views.stack(person.id)}

    def _status(self, query: Json) -> Json:
        return {"status": self._hub.state.status(self._channel(query), query["ts"])}

    def _channel(self, query: Json) -> Channel:
        channel = self._hub.state.channel(query["channel"])
        # A script without a person sees all, as a test has to.
        if query.get("person") is not None and query["person"] not in channel.members:
            raise ApiError("not_in_channel")
        return channel

    def _in_channel(self, query: Json, messages: list[Json]) -> list[Json]:
        """A message knows its channel here, so that it can be passed on to click and reply."""
        channel = self._channel(query).id
        return [message | {"channel": channel} for message in messages]
