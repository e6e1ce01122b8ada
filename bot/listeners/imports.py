"""Import: findings from a file posted with a mention, from files in the form, or from pasted text."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from slack_sdk.web.async_client import AsyncWebClient

from bot.access import Wants
from bot.blocks import told
from bot.blocks.answers import files as files_of
from bot.blocks.answers import text as text_of
from bot.blocks.ids import Field
from bot.blocks.lists import import_answer
from bot.blocks.message import Json, Message
from bot.blocks.opening import import_form
from bot.listeners.asked import Asked
from bot.listeners.desk import Desk
from bot.listeners.front import FieldError
from bot.running import Running
from engine.errors import FindingsError
from engine.findings.read import read_findings

_PASTED = "pasted text"
_CHUNK = 1 << 16
_OK = 200


class Imports:
    """Findings on their way in."""

    def __init__(self, desk: Desk, running: Running, limit: int) -> None:
        self._desk = desk
        self._running = running
        self._limit = limit

    async def open(self, asked: Asked) -> None:
        """Show the form."""
        await self._desk.allow(asked, Wants.open)
        await self._desk.open_form(asked, import_form(asked.channel))

    async def mentioned(self, asked: Asked) -> None:
        """Take the files of the message that said `@revalid import`."""
        by = await self._desk.allow(asked, Wants.open)
        files = asked.body["event"].get("files") or await self._files_of(asked)
        if not files:
            await self._desk.say(
                asked, "Attach the findings file to the message that says `@revalid import`, or type "
                "`/revalid import` for a form."
            )  # fmt: skip
            return
        # Beside the messages of everybody else, which must not wait for large files.
        self._running.start(self._all(asked, files, by, asked.thread_ts or asked.ts))

    async def sent(self, asked: Asked) -> Json | None:
        """Take what is in the form; its answer is posted in the channel."""
        by = await self._desk.allow(asked, Wants.open)
        values = asked.body["view"]["state"]["values"]
        files, pasted = files_of(values), text_of(values, Field.pasted).strip()
        if not files and not pasted:
            raise FieldError(Field.files, "Add a file, or paste findings below.")
        if pasted:
            try:
                answer = await self._import(pasted.encode(), _PASTED, by, asked.key)
            except FindingsError as error:
                raise FieldError(Field.pasted, error.sentence) from error
            # A form has no thread, and Slack shows nothing of it once it is closed.
            await self._post(asked, answer, None)
        # Large files may take longer than Slack waits for a form.
        self._running.start(self._all(asked, files, by, None))
        return None

    async def _all(
        self, asked: Asked, files: Sequence[Mapping[str, Any]], by: str, thread_ts: str | None
    ) -> None:
        for number, file in enumerate(files, start=1):
            key = f"{asked.key} file {number}" if asked.key else ""
            await self._post(asked, await self._taken(file, by, key), thread_ts)

    async def _taken(self, file: Mapping[str, Any], by: str, key: str) -> Message:
        name = str(file.get("name") or "file")
        try:
            return await self._import(await download(self._desk.client, file, self._limit), name, by, key)
        # One bad file is answered in its place; the others are still taken.
        except FindingsError as error:
            return told.sentence(f"`{name.replace('`', '')}` was not imported. {error.sentence}")

    async def _import(self, data: bytes, name: str, by: str, key: str) -> Message:
        # Minutes of JSON in a hostile file must not hold up everybody's buttons.
        report = await asyncio.to_thread(read_findings, data, name)
        return import_answer(report, await self._desk.retests.import_findings(report.findings, by, key))

    async def _files_of(self, asked: Asked) -> Sequence[Mapping[str, Any]]:
        """The message again: a mention's own delivery may leave its files out."""
        answer = await self._desk.client.conversations_replies(
            channel=asked.channel, ts=asked.thread_ts or asked.ts, oldest=asked.ts, inclusive=True, limit=10
        )
        return [
            file
            for message in answer["messages"]
            if message["ts"] == asked.ts
            for file in message.get("files") or ()
        ]

    async def _post(self, asked: Asked, message: Message, thread_ts: str | None) -> None:
        await self._desk.client.chat_postMessage(
            channel=asked.channel,
            thread_ts=thread_ts,
            text=message.text,
            blocks=message.blocks,
            unfurl_links=False,
            unfurl_media=False,
        )


async def download(client: AsyncWebClient, file: Mapping[str, Any], limit: int) -> bytes:
    """The bytes of a file in Slack. Raises `FindingsError` when it is too large or is not given."""
    too_large = FindingsError(f"It is larger than {limit >> 20} MiB; split it into smaller ones.")
    # Before anything is fetched, and again below, since the size is only what Slack was told.
    if int(file.get("size") or 0) > limit:
        raise too_large
    url = str(file.get("url_private_download") or file.get("url_private") or "")
    # The token goes along, so that it must only ever go to Slack: remote files name any host.
    if not _of_slack(url, client.base_url) or client.session is None:
        raise FindingsError("It is not kept in Slack; upload the file itself.")
    headers = {"Authorization": f"Bearer {client.token}"}
    data = bytearray()
    # A redirect would take the token with it.
    async with client.session.get(url, headers=headers, allow_redirects=False) as response:
        if response.status != _OK:
            raise FindingsError("Slack did not give the file; `revalid doctor` checks the permission for it.")
        async for chunk in response.content.iter_chunked(_CHUNK):
            data += chunk
            if len(data) > limit:
                raise too_large
    return bytes(data)


def _of_slack(url: str, base_url: str) -> bool:
    there, api = urlsplit(url), urlsplit(base_url)
    if (there.scheme, there.netloc) == (api.scheme, api.netloc):
        return True
    return there.scheme == "https" and there.hostname == "files.slack.com" and api.hostname == "slack.com"
