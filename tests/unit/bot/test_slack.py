"""Slack's answers as our errors."""

from __future__ import annotations

from typing import Any

import aiohttp
import pytest
from slack_sdk.errors import SlackApiError, SlackRequestError
from slack_sdk.web.async_client import AsyncWebClient
from slack_sdk.web.async_slack_response import AsyncSlackResponse

from bot.blocks.message import Message
from bot.slack import SlackBusy, SlackError, SlackRefused, SlackUnreachable, WebSlack, web_client

HELLO = Message(text="hello", blocks=[])


def answer(status: int, data: dict[str, Any], headers: dict[str, str] | None = None) -> AsyncSlackResponse:
    return AsyncSlackResponse(
        client=AsyncWebClient(),
        http_verb="POST",
        api_url="",
        req_args={},
        data=data,
        headers=headers or {},
        status_code=status,
    )


def _error(response: AsyncSlackResponse) -> SlackApiError:
    return SlackApiError("no", response)  # type: ignore[no-untyped-call]


def slack_that(monkeypatch: pytest.MonkeyPatch, outcome: Exception | AsyncSlackResponse) -> WebSlack:
    client = AsyncWebClient()

    async def api_call(*_: Any, **__: Any) -> AsyncSlackResponse:
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    monkeypatch.setattr(client, "api_call", api_call)
    return WebSlack(client)


@pytest.mark.parametrize("code", ["ratelimited", "rate_limited"])
async def test_a_429_says_how_long_to_wait(monkeypatch: pytest.MonkeyPatch, code: str) -> None:
    response = answer(429, {"ok": False, "error": code}, {"Retry-After": "30"})
    slack = slack_that(monkeypatch, _error(response))

    with pytest.raises(SlackBusy) as caught:
        await slack.post(channel="C1", message=HELLO, thread_ts=None, metadata=None)
    assert caught.value.retry_after == 30


async def test_a_refusal_keeps_slacks_code(monkeypatch: pytest.MonkeyPatch) -> None:
    slack = slack_that(monkeypatch, _error(answer(200, {"ok": False, "error": "is_archived"})))

    with pytest.raises(SlackRefused) as caught:
        await slack.update(channel="C1", ts="1.5", message=HELLO)
    assert caught.value.code == "is_archived"
    assert "is_archived" in caught.value.sentence


@pytest.mark.parametrize("broken", [aiohttp.ClientError("x"), TimeoutError(), SlackRequestError("x")])
async def test_no_answer_is_not_a_refusal(monkeypatch: pytest.MonkeyPatch, broken: Exception) -> None:
    slack = slack_that(monkeypatch, broken)

    with pytest.raises(SlackUnreachable):
        await slack.permalink(channel="C1", ts="1.5")
    assert issubclass(SlackUnreachable, SlackError)


async def test_the_client_leaves_retries_to_pacing() -> None:
    async with aiohttp.ClientSession() as session:
        client = web_client("xoxb-sample", "http://127.0.0.1:1/api/", session)

    assert client.retry_handlers == []
    assert client.session is session
