"""Bytes of files: the upload address of the app, its private downloads, and the page's own view of them."""

from __future__ import annotations

from aiohttp import web

from bot.workspace.api.endpoint import bearer_token
from bot.workspace.errors import ApiError
from bot.workspace.files import is_text
from bot.workspace.hub import Hub
from bot.workspace.model import File

# Only these are ever shown in the page; all else is offered as a download.
_SHOWN_IMAGES = ("image/png", "image/jpeg", "image/gif", "image/webp")


class Transfers:
    """File bytes in and out."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub

    async def upload(self, request: web.Request) -> web.Response:
        """The bytes of an announced upload, raw or as a form."""
        # Slack takes both, and client libraries differ in which they send.
        if request.content_type.startswith("multipart/"):
            parts = (await request.post()).values()
            content = next((part.file.read() for part in parts if isinstance(part, web.FileField)), b"")
        else:
            content = await request.read()
        try:
            self._hub.state.files.receive(request.match_info["slot"], content)
        except ApiError as refused:
            return web.Response(text=refused.error, status=refused.status)
        return web.Response(text=f"OK - {len(content)}")

    async def download(self, request: web.Request) -> web.Response:
        """``url_private``: for the app's token only; without it Slack answers with its sign-in page."""
        app = self._hub.app
        if bearer_token(request) != app.bot_token or "files:read" not in app.scopes:
            # With status 200, so that an app which does not look takes the page for the file.
            return web.Response(text="<!DOCTYPE html><title>Sign in</title>", content_type="text/html")
        return self._bytes(request, shown=False)

    async def show(self, request: web.Request) -> web.Response:
        """The same file for the page: images and text shown, everything else downloaded."""
        return self._bytes(request, shown="download" not in request.query)

    def _bytes(self, request: web.Request, *, shown: bool) -> web.Response:
        try:
            file = self._hub.state.files.get(request.match_info["file"])
        except ApiError as refused:
            return web.json_response(refused.answer, status=404)
        content_type = _shown_type(file) if shown else file.mimetype
        # Anybody may have uploaded it, and it is served from the page's own origin.
        headers = {
            "X-Content-Type-Options": "nosniff",
            "Content-Security-Policy": "sandbox; default-src 'none'",
        }
        if not shown or content_type is None:
            headers["Content-Disposition"] = "attachment"
        response = web.Response(body=file.content, headers=headers)
        response.content_type = content_type or "application/octet-stream"
        return response


def _shown_type(file: File) -> str | None:
    if file.mimetype in _SHOWN_IMAGES:
        return file.mimetype
    return "text/plain" if is_text(file) else None
