"""``/_workspace/…``: what people do and see, as JSON for the page and the Python client.

Nothing here exists in Slack. A person is named by id or handle in `person`; there are no passwords, as the
server listens on loopback only and refuses calls that a foreign web page makes.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from aiohttp import web

from bot.workspace.composing import Directory, compose
from bot.workspace.errors import ApiError
from bot.workspace.files import file_object
from bot.workspace.hub import Hub
from bot.workspace.interactions import Interactions
from bot.workspace.model import Channel, Json, User

Deed = Callable[[User, Json], Awaitable[Json]]


class People:
    """The people's API over one hub."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._interactions = Interactions(hub)
        self._deeds: dict[str, Deed] = {
            "say": self._say,
            "edit": self._edit,
            "delete": self._delete,
            "react": self._react,
            "slash": self._slash,
            "click": self._click,
            "submit": self._submit,
            "close": self._close,
            "shortcut": self._shortcut,
            "dismiss": self._dismiss,
            "invite": self._invite,
        }

    async def do(self, request: web.Request) -> web.Response:
        """POST of one deed; the body names the person."""
        try:
            body = await request.json()
            deed = self._deeds.get(request.match_info["deed"])
            if deed is None:
                raise ApiError("unknown_deed", status=404)
            person = self._hub.state.user(str(body.get("person", "")))
            answer = await deed(person, body)
        except ApiError as refused:
            # Slack's errors come with 200, but people's own API is plain HTTP.
            return web.json_response(refused.answer, status=max(refused.status, 400))
        except (KeyError, ValueError) as broken:
            return web.json_response({"ok": False, "error": f"invalid_arguments: {broken}"}, status=400)
        return web.json_response({"ok": True, **answer})

    async def upload(self, request: web.Request) -> web.Response:
        """POST of raw bytes, named by the query; the file is shared by a later `say`."""
        person = self._hub.state.user(request.query["person"])
        content = await request.read()
        file = self._hub.state.files.add(request.query["name"], content, person.id)
        return web.json_response({"ok": True, "file": file_object(file, self._hub.base_url)})

    async def _say(self, person: User, body: Json) -> Json:
        hub, channel = self._hub, self._joined(person, body)
        if channel.is_archived:
            raise ApiError("is_archived")
        text, blocks = compose(str(body.get("text", "")), self._directory())
        files = [hub.state.files.get(file_id) for file_id in body.get("files", [])]
        # A client does not send an empty message, but takes a file without words.
        if not text.strip() and not files:
            raise ApiError("no_text")
        message: Json = {
            "user": person.id,
            "team": person.team_id,
            "client_msg_id": hub.ids.uuid("client message"),
            "text": text,
            "blocks": blocks,
        }
        if body.get("thread_ts"):
            message["thread_ts"] = body["thread_ts"]
            if body.get("broadcast"):
                message |= {"subtype": "thread_broadcast", "root": channel.messages.get(body["thread_ts"])}
        if files:
            message |= {"subtype": "file_share", "upload": False, "display_as_bot": False}
            message["files"] = [file_object(file, hub.base_url) for file in files]
        posted = hub.state.post(channel, message)
        for file in files:
            # Only now, as a share needs the ts of its message.
            file.shares.setdefault(channel.id, []).append({"ts": posted["ts"]})
        return {"message": posted | {"channel": channel.id}}

    async def _edit(self, person: User, body: Json) -> Json:
        channel = self._joined(person, body)
        self._own(person, channel, body["ts"], "cant_update_message")
        text, blocks = compose(str(body["text"]), self._directory())
        edited = self._hub.state.edit(channel, body["ts"], {"text": text, "blocks": blocks}, person.id)
        return {"message": edited | {"channel": channel.id}}

    async def _delete(self, person: User, body: Json) -> Json:
        channel = self._joined(person, body)
        self._own(person, channel, body["ts"], "cant_delete_message")
        self._hub.state.delete(channel, body["ts"], person.id)
        return {}

    async def _react(self, person: User, body: Json) -> Json:
        channel = self._joined(person, body)
        self._hub.state.react(channel, body["ts"], body["name"], person.id, add=body.get("add", True))
        return {}

    async def _slash(self, person: User, body: Json) -> Json:
        channel = self._joined(person, body)
        command, text = body["command"], str(body.get("text", ""))
        return await self._interactions.slash(person, channel, command, text, body.get("thread_ts"))

    async def _click(self, person: User, body: Json) -> Json:
        given, filled = body.get("value"), body.get("filled", {})
        if view_id := body.get("view_id"):
            return await self._interactions.click_in_view(
                person, view_id, action_id=body["action_id"], given=given, filled=filled
            )
        channel = self._joined(person, body)
        return await self._interactions.click(
            person, channel, body["ts"], action_id=body["action_id"], given=given, filled=filled
        )

    async def _submit(self, person: User, body: Json) -> Json:
        return await self._interactions.submit(person, body["view_id"], body.get("values", {}))

    async def _close(self, person: User, body: Json) -> Json:
        return await self._interactions.close(person, body["view_id"])

    async def _shortcut(self, person: User, body: Json) -> Json:
        channel = self._joined(person, body)
        return await self._interactions.shortcut(person, channel, body["ts"], body["callback_id"])

    async def _dismiss(self, person: User, body: Json) -> Json:
        channel, ts = self._joined(person, body), body["ts"]
        if self._hub.state.ephemerals.get((channel.id, ts), {}).get("to") == person.id:
            self._hub.state.drop_ephemeral(channel, ts)
        return {}

    async def _invite(self, person: User, body: Json) -> Json:
        channel = self._joined(person, body)
        self._hub.state.join(channel, self._hub.state.user(body["user"]))
        return {}

    def _joined(self, person: User, body: Json) -> Channel:
        channel = self._hub.state.channel(str(body["channel"]))
        if person.id not in channel.members:
            raise ApiError("not_in_channel")
        return channel

    def _own(self, person: User, channel: Channel, ts: str, refusal: str) -> None:
        if self._hub.state.message(channel, ts).get("user") != person.id:
            raise ApiError(refusal)

    def _directory(self) -> Directory:
        users = {user.name.lower(): user.id for user in self._hub.state.users.values()}
        channels = {channel.name: channel.id for channel in self._hub.state.channels.values()}
        return Directory(users, channels)
