"""Files: only from Slack, only so large."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
from aiohttp import ClientSession, web
from slack_sdk.web.async_client import AsyncWebClient

from bot.listeners.imports import download
from engine.errors import FindingsError


class Files:
    """A server with one file; keeps what it was asked with."""

    def __init__(self) -> None:
        self.tokens: list[str | None] = []
        self.content = b"[]"
        self.status = 200
        self.url = ""

    async def give(self, request: web.Request) -> web.Response:
        self.tokens.append(request.headers.get("Authorization"))
        headers = {"Location": "http://elsewhere.example.com/login"} if self.status == 302 else {}
        return web.Response(body=self.content, status=self.status, headers=headers)


@pytest.fixture
async def files() -> AsyncIterator[Files]:
    files = Files()
    app = web.Application()
    app.router.add_get("/files/f.json", files.give)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    host, port = runner.addresses[0][:2]
    files.url = f"http://{host}:{port}"
    yield files
    await runner.cleanup()


@pytest.fixture
async def client(files: Files) -> AsyncIterator[AsyncWebClient]:
    async with ClientSession() as session:
        yield AsyncWebClient(token="xoxb-1", base_url=f"{files.url}/api/", session=session)


def described(files: Files, **fields: Any) -> dict[str, Any]:
    return {"name": "f.json", "url_private_download": f"{files.url}/files/f.json", **fields}


async def test_a_file_is_fetched_with_the_token(files: Files, client: AsyncWebClient) -> None:
    assert await download(client, described(files), 100) == b"[]"
    assert files.tokens == ["Bearer xoxb-1"]


@pytest.mark.parametrize(
    "url",
    [
        "http://elsewhere.example.com/f.json",
        "https://files.slack.com.example.com/f.json",
        "http://127.0.0.1:1/files/f.json",
        "https://files.slack.com/f.json",
        "file:///etc/passwd",
        "",
    ],
)
async def test_the_token_goes_nowhere_but_to_slack(files: Files, client: AsyncWebClient, url: str) -> None:
    with pytest.raises(FindingsError, match="not kept in Slack"):
        await download(client, {"name": "f", "url_private_download": url}, 100)
    assert files.tokens == []


async def test_a_large_file_is_not_even_fetched(files: Files, client: AsyncWebClient) -> None:
    with pytest.raises(FindingsError, match="larger than 1 MiB"):
        await download(client, described(files, size=(1 << 20) + 1), 1 << 20)
    assert files.tokens == []


async def test_a_file_that_lies_about_its_size_is_cut_off(files: Files, client: AsyncWebClient) -> None:
    files.content = b"x" * ((1 << 20) + 1)
    with pytest.raises(FindingsError, match="larger than 1 MiB"):
        await download(client, described(files, size=3), 1 << 20)


@pytest.mark.parametrize("status", [302, 403, 404])
async def test_what_slack_does_not_give_is_said(files: Files, client: AsyncWebClient, status: int) -> None:
    files.status = status
    with pytest.raises(FindingsError, match="did not give the file"):
        await download(client, described(files), 100)
