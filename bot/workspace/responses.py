"""Posts to a response URL: whispers, answers in the channel, and replacing what was clicked."""

from __future__ import annotations

from aiohttp import web

from bot.workspace.errors import ApiError
from bot.workspace.hub import Hub
from bot.workspace.model import Channel, Json
from bot.workspace.posting import message_content
from bot.workspace.triggers import ResponseTarget


class Responses:
    """The endpoint behind ``response_url``."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub

    async def serve(self, request: web.Request) -> web.Response:
        """One post by the app; the secret in the path is the permission."""
        try:
            body = await request.json()
            target = self._hub.response_urls.use(request.match_info["secret"])
            self._take(target, body)
        except ApiError as refused:
            return web.json_response(refused.answer, status=refused.status)
        except ValueError:
            return web.json_response({"ok": False, "error": "invalid_json"}, status=400)
        return web.Response(text="ok")

    def _take(self, target: ResponseTarget, body: Json) -> None:
        channel = self._hub.state.channel(target.channel)
        original = target.message_ts
        if body.get("delete_original") and original:
            self._remove(channel, original)
        elif body.get("replace_original") and original:
            self._replace(channel, original, body)
        elif body.get("response_type") == "in_channel":
            self._hub.post_as_app(channel, body, body.get("thread_ts"))
        else:
            thread_ts = body.get("thread_ts") or target.thread_ts
            self._hub.whisper_as_app(channel, target.user, body, thread_ts)

    def _remove(self, channel: Channel, ts: str) -> None:
        if (channel.id, ts) in self._hub.state.ephemerals:
            self._hub.state.drop_ephemeral(channel, ts)
        else:
            self._hub.state.delete(channel, ts, self._hub.app.bot_user_id)

    def _replace(self, channel: Channel, ts: str, body: Json) -> None:
        state = self._hub.state
        # What was whispered can be changed through this address only, not by chat.update.
        if (shown := state.ephemerals.get((channel.id, ts))) is None:
            content = message_content(body)
            # Text alone takes the blocks away, as in chat.update.
            drop = () if "blocks" in content else ("blocks",)
            state.edit(channel, ts, content, self._hub.app.bot_user_id, drop=drop)
            return
        # Checked before the old one goes: a refused answer leaves it as it was.
        replacement = message_content(body)
        state.drop_ephemeral(channel, ts)
        self._hub.whisper_as_app(channel, shown["to"], replacement, shown.get("thread_ts"))
