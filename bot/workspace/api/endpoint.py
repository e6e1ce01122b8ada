"""``/api/{method}``: tokens, scopes, argument decoding, limits, and Slack's answer format."""

from __future__ import annotations

import json

from aiohttp import web

from bot.workspace.api.call import Call
from bot.workspace.api.methods import METHODS, Method
from bot.workspace.chaos_api import cut
from bot.workspace.errors import ApiError
from bot.workspace.hub import Hub
from bot.workspace.model import Json

# Arguments that callers may send as JSON text inside a form.
_STRUCTURED = ("attachments", "blocks", "files", "loading_messages", "metadata", "view")
_STRUCTURE_ERRORS = {"blocks": "invalid_blocks_format", "metadata": "invalid_metadata_format"}


class _Cut(Exception):
    """There is to be no answer."""


class WebApi:
    """Answers the Web API for one hub."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub

    async def serve(self, request: web.Request) -> web.Response:
        """One call, by GET or POST, form or JSON."""
        headers = {"x-slack-req-id": self._hub.ids.uuid("request")}
        try:
            args = await read_arguments(request)
            self._strike(request, after=False)
            answer = {"ok": True, **self._answer(request, args, headers)}
            self._strike(request, after=True)
        except _Cut:
            return cut(request)
        except ApiError as refused:
            return web.json_response(refused.answer, status=refused.status, headers=headers | refused.headers)
        return web.json_response(answer, headers=headers)

    def _strike(self, request: web.Request, *, after: bool) -> None:
        fault = self._hub.chaos.fault(request.match_info["method"], after=after)
        if fault is not None:
            raise _Cut if fault.cut else fault.refusal()

    def _answer(self, request: web.Request, args: Json, headers: dict[str, str]) -> Json:
        name = request.match_info["method"]
        method = METHODS.get(name)
        if method is None:
            raise ApiError("unknown_method", {"req_method": name})
        token = bearer_token(request) or str(args.pop("token", "") or "")
        self._authorise(method, token, headers)
        self._hub.limiter.check(name, str(args.get("channel") or ""))
        return method.handler(Call(self._hub, args))

    def _authorise(self, method: Method, token: str, headers: dict[str, str]) -> None:
        if method.public:
            return
        app = self._hub.app
        if not token:
            raise ApiError("not_authed")
        if token not in (app.bot_token, app.app_token):
            raise ApiError("invalid_auth")
        if (token == app.app_token) is not method.app_level:
            raise ApiError("not_allowed_token_type")
        provided = ["connections:write"] if method.app_level else sorted(app.scopes)
        headers["x-oauth-scopes"] = ",".join(provided)
        headers["x-accepted-oauth-scopes"] = ",".join(method.scopes)
        if method.scopes and app.scopes.isdisjoint(method.scopes):
            needed = {"needed": ",".join(method.scopes), "provided": ",".join(provided)}
            raise ApiError("missing_scope", needed)


def bearer_token(request: web.Request) -> str:
    """The token of the Authorization header, or an empty string."""
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""


async def read_arguments(request: web.Request) -> Json:
    """Query, form or JSON body as one dict; raises ApiError ``invalid_json`` and the like."""
    args: Json = dict(request.query)
    if request.content_type == "application/json":
        try:
            body = await request.json()
        except ValueError as broken:
            raise ApiError("invalid_json") from broken
        if not isinstance(body, dict):
            raise ApiError("json_not_object")
        args |= body
    else:
        args |= {key: value for key, value in (await request.post()).items() if isinstance(value, str)}
    for key in _STRUCTURED:
        if isinstance(args.get(key), str) and args[key]:
            try:
                args[key] = json.loads(args[key])
            except ValueError as broken:
                raise ApiError(_STRUCTURE_ERRORS.get(key, "invalid_arguments")) from broken
    return args
