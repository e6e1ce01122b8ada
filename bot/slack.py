"""What the publisher asks of Slack, and the real one behind it."""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from io import BytesIO
from typing import Protocol

from aiohttp import ClientError, ClientSession, ClientTimeout
from slack_sdk.errors import SlackApiError, SlackClientError
from slack_sdk.web.async_client import AsyncWebClient
from slack_sdk.web.async_slack_response import AsyncSlackResponse

from bot.blocks.message import Json, Message
from bot.troubles import ROOT_GONE
from engine.errors import RevalidError

_ASSUMED_WAIT = 1.0
_SHORTEST_WAIT = 0.5
"""Seconds. Slack asks for whole ones; a zero must not make a loop that never rests."""
PATIENCE = ClientTimeout(total=None, sock_connect=10, sock_read=30)
"""Slack's own client gives up after 30 seconds, but not on a session that is shared."""
_PAGE, _MOST_PAGES = 200, 25
_MAYBE = frozenset(
    {"fatal_error", "internal_error", "request_timeout", "service_unavailable", "team_added_to_org"}
)
"""Slack says of these that the call may have had its effect."""


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


class SlackStrayed(SlackError):
    """The thread's first message is gone, so what was posted stands outside of the thread."""

    def __init__(self, ts: str) -> None:
        super().__init__()
        self.ts = ts
        """Where it stands."""


@dataclass(frozen=True, kw_only=True)
class Seen:
    """A message of ours as it stands in Slack."""

    ts: str
    metadata: Json | None
    files: tuple[tuple[str, str], ...] = ()
    """Ids and names."""


class Slack(Protocol):
    """Raises `SlackError` kinds only."""

    async def post(
        self, *, channel: str, message: Message, thread_ts: str | None, metadata: Json | None
    ) -> str:
        """Post a message, in a thread or in the channel; its time stamp. Raises `SlackStrayed`, too."""
        ...

    async def ours(self, *, channel: str, thread_ts: str | None, after: str) -> Sequence[Seen]:
        """Our replies in a thread, or our messages in the channel, that are newer than a time stamp.

        Raises `SlackRefused` with `thread_not_found` when the thread's first message is gone.
        """
        ...

    async def delete(self, *, channel: str, ts: str) -> None:
        """Take a message of ours away."""
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
    # Without a session of ours the client opens and closes one for each call.
    return AsyncWebClient(token=token, base_url=base_url, session=session, retry_handlers=[])


class WebSlack:
    """Slack's Web API, by a client of `web_client`."""

    def __init__(self, client: AsyncWebClient) -> None:
        self._client = client
        self._user: str | None = None

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
                # A preview would have Slack fetch addresses of the target, and show what it serves.
                unfurl_links=False,
                unfurl_media=False,
            )
        )
        ts, stands = str(answer["ts"]), answer.get("message")
        # Slack takes a reply to a deleted message, and puts it into the channel.
        if thread_ts is not None and stands and "thread_ts" not in stands:
            raise SlackStrayed(ts)
        return ts

    async def ours(self, *, channel: str, thread_ts: str | None, after: str) -> Sequence[Seen]:
        """`conversations.replies`, or `conversations.history`, page by page."""
        if self._user is None:
            # Anybody may post what looks like ours; only the author's id tells.
            self._user = str((await _asked(self._client.auth_test()))["user_id"])
        found: list[Seen] = []
        cursor: str | None = None
        for _ in range(_MOST_PAGES):
            answer = await self._page(channel, thread_ts, after, cursor)
            messages = answer["messages"]
            if thread_ts is not None and any(_is_lost_root(message, thread_ts) for message in messages):
                raise SlackRefused(ROOT_GONE)
            found += [_seen(message) for message in messages if message.get("user") == self._user]
            cursor = (answer.get("response_metadata") or {}).get("next_cursor")
            if not cursor:
                break
        return found

    async def _page(
        self, channel: str, thread_ts: str | None, after: str, cursor: str | None
    ) -> AsyncSlackResponse:
        # Metadata is left out unless it is asked for.
        window: Json = {"oldest": after, "limit": _PAGE, "cursor": cursor, "include_all_metadata": True}
        if thread_ts is None:
            return await _asked(self._client.conversations_history(channel=channel, **window))
        return await _asked(self._client.conversations_replies(channel=channel, ts=thread_ts, **window))

    async def delete(self, *, channel: str, ts: str) -> None:
        """`chat.delete`."""
        await _asked(self._client.chat_delete(channel=channel, ts=ts))

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
                if response.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
                    raise SlackUnreachable
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


def _refusal(response: AsyncSlackResponse | object) -> SlackError:
    """By Slack's answer; a body that is no JSON comes as the bare response, and tells nothing."""
    if not isinstance(response, AsyncSlackResponse):
        return SlackUnreachable()
    status, data = response.status_code, response.data
    code = str(data.get("error") or "") if isinstance(data, dict) else ""
    # Slack has two codes for it, by method and by channel.
    if status == HTTPStatus.TOO_MANY_REQUESTS or code in ("ratelimited", "rate_limited"):
        return SlackBusy(_wait({str(name).lower(): value for name, value in response.headers.items()}))
    if not code or status >= HTTPStatus.INTERNAL_SERVER_ERROR or code in _MAYBE:
        return SlackUnreachable()
    return SlackRefused(code)


def _wait(headers: dict[str, str]) -> float:
    try:
        return max(_SHORTEST_WAIT, float(headers["retry-after"]))
    except (KeyError, ValueError):
        return _ASSUMED_WAIT


def _is_lost_root(message: Json, thread_ts: str) -> bool:
    return message.get("ts") == thread_ts and message.get("subtype") == "tombstone"


def _seen(message: Json) -> Seen:
    files = tuple((str(file["id"]), str(file.get("name", ""))) for file in message.get("files") or ())
    return Seen(ts=str(message["ts"]), metadata=message.get("metadata"), files=files)
