"""The same bot with Slack calling in."""

from __future__ import annotations

import json
import socket
import time
from typing import Any
from urllib.parse import urlencode

import pytest
from aiohttp import ClientSession
from slack_sdk.signature import SignatureVerifier

from bot.app import Bot
from tests.acceptance.bot.stage import CHANNEL, Stage

SECRET = "local-signing-secret"


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@pytest.fixture
def settings(settings: dict[str, Any]) -> dict[str, Any]:
    return {**settings, "transport": "http", "http_port": _free_port(), "slack_signing_secret": SECRET}


@pytest.fixture
def post(settings: dict[str, Any], bot: Bot) -> Any:
    url = f"http://127.0.0.1:{settings['http_port']}/slack/events"

    async def send(body: str, *, secret: str = SECRET, kind: str = "application/json") -> int:
        now = str(int(time.time()))
        signature = SignatureVerifier(secret).generate_signature(timestamp=now, body=body)
        headers = {
            "content-type": kind,
            "x-slack-request-timestamp": now,
            "x-slack-signature": str(signature),
        }
        async with ClientSession() as session, session.post(url, data=body, headers=headers) as response:
            return response.status

    return send


async def test_a_signed_command_is_answered(stage: Stage, post: Any) -> None:
    hub = stage.server.hub
    channel = hub.state.channel(CHANNEL)
    fields = hub.payloads.command(
        hub.state.user(stage.alice.id),
        channel,
        "/revalid",
        "help",
        trigger_id=hub.triggers.issue(stage.alice.id),
        response_url=hub.response_url(stage.alice.id, channel),
    )
    status = await post(urlencode(fields), kind="application/x-www-form-urlencoded")
    assert status == 200
    await stage.whisper(stage.alice, "retest F-12")


async def test_a_wrong_signature_is_refused(post: Any) -> None:
    body = json.dumps({"type": "event_callback", "event": {"type": "app_mention"}})
    assert await post(body, secret="another") == 401
