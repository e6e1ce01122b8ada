"""What the publisher asks of Slack, and the real one behind it."""

from __future__ import annotations

from collections.abc import Awaitable
from http import HTTPStatus
from io import BytesIO
from typing import Protocol

from aiohttp import ClientError, ClientSession
from slack_sdk.errors import SlackApiError, SlackClientError
from slack_sdk.web.async_client import AsyncWebClient
from slack_sdk.web.async_slack_response import AsyncSlackResponse

from bot.blocks.message import Json, Message
from engine.errors import RevalidError

_ASSUMED_WAIT = 1.0


class SlackError(RevalidError):
    """Slack did not take that."""


class SlackRefused(SlackError):
    """Slack refused that."""

    def __init__(self, code: str) -> None:
        super().__init__(f"Slack refused that ({code}).")
        self.code = code


class SlackBusy(SlackError):
    """Slack asks to slow down; try again in a minute."""

    def __init__(self, retry_after: float) -> None:
        super().__init__()
        self.retry_after = retry_after
        """Seconds."""


class SlackUnreachable(SlackError):
    """Slack did not answer; whether it took the message is not known."""


class Slack(Protocol):
    """Raises `SlackError` kinds only."""

    async def post(
        self, *, channel: str, message: Message, thread_ts: str | None, metadata: Json | None
    ) -> str:
        """Post a message, in a thread or in the channel; its time stamp."""
        ...

    async def update(self, *, channel: str, ts: str, message: Message) -> None:
        """Replace a message."""
        ...

    async def upload(self, *, channel: str, thread_ts: str, name: str, title: str, content: bytes) -> str:
        """Put a file into a thread; the file's id."""
        ...

    async def set_status(self, *, channel: str, thread_ts: str, status: str) -> None:
        """Show that the bot is at work under a thread; an empty status clears it."""
        ...

    async def permalink(self, *, channel: str, ts: str) -> str:
        """The address of a message."""
        ...


def web_client(token: str, base_url: str, session: ClientSession) -> AsyncWebClient:
    """Slack's client on one shared session. It does not retry: pacing knows when to, and what."""
    return AsyncWebClient(token=token, base_url=base_url, session=session, retry_handlers=[])


class WebSlack:
    """Slack's Web API, by a client of `web_client`."""

    def __init__(self, client: AsyncWebClient) -> None:
        self._client = client

    async def post(
        self, *, channel: str, message: Message, thread_ts: str | None, metadata: Json | None
    ) -> str:
        """`chat.postMessage`; nothing is unfurled."""
        answer = await _asked(
            self._client.chat_postMessage(
                channel=channel,
                text=message.text,
                blocks=message.blocks,
                thread_ts=thread_ts,
                metadata=metadata,
                unfurl_links=False,
                unfurl_media=False,
            )
        )
        return str(answer["ts"])

    async def update(self, *, channel: str, ts: str, message: Message) -> None:
        """`chat.update`."""
        await _asked(
            self._client.chat_update(channel=channel, ts=ts, text=message.text, blocks=message.blocks)
        )

    async def upload(self, *, channel: str, thread_ts: str, name: str, title: str, content: bytes) -> str:
        """`files.getUploadURLExternal`, the bytes, `files.completeUploadExternal`."""
        slot = await _asked(self._client.files_getUploadURLExternal(filename=name, length=len(content)))
        await self._send(str(slot["upload_url"]), content)
        answer = await _asked(
            self._client.files_completeUploadExternal(
                files=[{"id": slot["file_id"], "title": title}], channel_id=channel, thread_ts=thread_ts
            )
        )
        return str(answer["files"][0]["id"])

    async def _send(self, url: str, content: bytes) -> None:
        # The client's own upload hands aiohttp the bytes in one piece, which holds up the loop for megabytes.
        session = self._client.session
        if session is None:
            raise SlackUnreachable
        try:
            async with session.post(url, data=BytesIO(content)) as response:
                if response.status != HTTPStatus.OK:
                    raise SlackRefused(f"upload answered {response.status}")
        except (ClientError, TimeoutError) as error:
            raise SlackUnreachable from error

    async def set_status(self, *, channel: str, thread_ts: str, status: str) -> None:
        """`assistant.threads.setStatus`."""
        await _asked(
            self._client.assistant_threads_setStatus(channel_id=channel, thread_ts=thread_ts, status=status)
        )

    async def permalink(self, *, channel: str, ts: str) -> str:
        """`chat.getPermalink`."""
        answer = await _asked(self._client.chat_getPermalink(channel=channel, message_ts=ts))
        return str(answer["permalink"])


async def _asked(call: Awaitable[AsyncSlackResponse]) -> AsyncSlackResponse:
    try:
        return await call
    except SlackApiError as error:
        raise _refusal(error.response) from error
    except (SlackClientError, ClientError, TimeoutError) as error:
        raise SlackUnreachable from error


def _refusal(response: AsyncSlackResponse) -> SlackError:
    code = str(response.get("error") or "no reason given")
    if response.status_code == HTTPStatus.TOO_MANY_REQUESTS or code in ("ratelimited", "rate_limited"):
        headers = {str(name).lower(): value for name, value in response.headers.items()}
        return SlackBusy(float(headers.get("retry-after") or _ASSUMED_WAIT))
    return SlackRefused(code)
