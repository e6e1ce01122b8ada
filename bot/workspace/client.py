"""A Python client of the local workspace, for tests and scripts.

    async with Workspace(server.url) as ws:
        alice = await ws.person("alice")
        root = await alice.say("retests", "@sample please look")
        answer = await ws.until(lambda: ws.reply(root, containing="looking"))
        await alice.click(answer, "approve")
        print(render_text(answer))

What goes wrong is switched by `Workspace.chaos`:

        await ws.chaos.fail("chat.postMessage", status=429, retry_after=1, times=2)

Channels are named by id or name. Messages are dicts as Slack gives them, with their `channel` beside. Waiting
is driven by the workspace's own stream of changes: nothing polls, nothing sleeps.
"""

from __future__ import annotations

import asyncio
import inspect
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from types import TracebackType
from typing import Any, TypeVar

import aiohttp

from bot.workspace.chaos_client import Trouble
from bot.workspace.errors import NotSeen, WorkspaceError
from bot.workspace.model import Json
from bot.workspace.plain import render_text

__all__ = ["NotSeen", "Person", "Workspace", "WorkspaceError", "render_text"]

T = TypeVar("T")
Upload = tuple[str, bytes]
# Short, as the server is on this machine and away only while it is restarted.
RECONNECT_SECONDS = 0.02


class Workspace:
    """What there is to see in a workspace, and the people in it.

    Args:
        url: address of the workspace's page.
    """

    def __init__(self, url: str) -> None:
        self.url = url.rstrip("/")
        self.changes: list[Json] = []
        self.names: dict[str, str] = {}
        self.chaos = Trouble(self)
        self._changed = asyncio.Event()
        self._ready = asyncio.Event()
        self._session: aiohttp.ClientSession | None = None
        self._reader: asyncio.Task[None] | None = None

    async def open(self) -> None:
        """Connect to the stream of changes; raises WorkspaceError when nobody answers."""
        self._session = aiohttp.ClientSession()
        try:
            stream = await self._stream()
        except aiohttp.ClientError as broken:
            await self._session.close()
            raise WorkspaceError(f"The local workspace at {self.url} does not answer: {broken}") from broken
        self._reader = asyncio.create_task(self._read(stream))
        await self._ready.wait()
        home = await self.home()
        self.names = {user["id"]: user["real_name"] for user in home["users"]}
        self.names |= {channel["id"]: channel["name"] for channel in home["channels"]}

    async def close(self) -> None:
        """Disconnect."""
        if self._reader is not None:
            self._reader.cancel()
            await asyncio.gather(self._reader, return_exceptions=True)
        if self._session is not None:
            await self._session.close()

    async def __aenter__(self) -> Workspace:
        await self.open()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def person(self, name: str) -> Person:
        """A person by handle (``alice``) or id; raises WorkspaceError for a stranger."""
        users = (await self.home())["users"]
        found = next((user for user in users if name in (user["id"], user["name"])), None)
        if found is None:
            raise WorkspaceError(f"There is no {name} in the local workspace.")
        return Person(self, found["id"], found["name"])

    async def home(self) -> Json:
        """Keys team, app, users and channels."""
        return await self.get("home")

    async def messages(self, channel: str) -> list[Json]:
        """The channel view, oldest first, without replies."""
        return list((await self.get("messages", channel=channel))["messages"])

    async def thread(self, channel: str, ts: str) -> list[Json]:
        """A thread, root first."""
        return list((await self.get("thread", channel=channel, ts=ts))["messages"])

    async def reply(self, root: Mapping[str, Any], *, containing: str = "") -> Json | None:
        """The newest reply in the thread of `root` whose rendered text contains the words, or None."""
        # A reply may be given as well as its root: people say "in this thread" of either.
        thread = await self.thread(root["channel"], root.get("thread_ts", root["ts"]))
        return next((m for m in reversed(thread[1:]) if containing in render_text(m, self.names)), None)

    async def ephemerals(self, person: Person) -> list[Json]:
        """What only this person sees, oldest first."""
        return list((await self.get("ephemerals", person=person.id))["messages"])

    async def views(self, person: Person) -> list[Json]:
        """The person's open modals, bottom first."""
        return list((await self.get("views", person=person.id))["views"])

    async def status(self, channel: str, ts: str) -> str:
        """What is shown as the app's status under a thread, or an empty string."""
        return str((await self.get("status", channel=channel, ts=ts))["status"])

    async def download(self, file: Mapping[str, Any]) -> bytes:
        """The bytes of a file as a person gets them."""
        async with self._http.get(f"{self.url}/_workspace/files/{file['id']}") as response:
            return await response.read()

    async def until(self, predicate: Callable[[], Awaitable[T] | T], timeout: float = 10.0) -> T:  # noqa: ASYNC109 - the caller's patience is part of the question
        """Wait until `predicate` (plain or async) is truthy and return what it gave.

        It is asked at once and again after each change.

        Raises:
            NotSeen: not within `timeout` seconds; tells the last changes.
        """
        try:
            async with asyncio.timeout(timeout):
                while True:
                    # Before asking: a change that comes while the predicate is awaited must not be lost.
                    self._changed.clear()
                    outcome = predicate()
                    value = await outcome if inspect.isawaitable(outcome) else outcome
                    if value:
                        return value
                    await self._changed.wait()
        except TimeoutError:
            last = "\n".join(_told(change, self.names) for change in self.changes[-10:])
            raise NotSeen(f"Not seen within {timeout:g} s. The last changes were:\n{last}") from None

    async def get(self, view: str, **query: str) -> Json:
        """One view of the reading API; raises WorkspaceError with Slack's error code."""
        async with self._http.get(f"{self.url}/_workspace/{view}", params=query) as response:
            return _checked(await response.json())

    async def do(self, deed: str, body: Json) -> Json:
        """One deed of the people's API; raises WorkspaceError when it was refused outright."""
        async with self._http.post(f"{self.url}/_workspace/{deed}", json=body) as response:
            answer: Json = await response.json()
            # A deed that the app refused is an outcome to look at, not an error of the script.
            return _checked(answer) if response.status >= 400 else answer  # noqa: PLR2004 - HTTP's own line

    async def upload(self, person: str, name: str, content: bytes) -> Json:
        """Bytes for a later message or form; returns the file object."""
        query = {"person": person, "name": name}
        async with self._http.post(f"{self.url}/_workspace/upload", params=query, data=content) as response:
            return dict(_checked(await response.json())["file"])

    @property
    def _http(self) -> aiohttp.ClientSession:
        if self._session is None:
            raise WorkspaceError(
                "The client of the local workspace is not open; use `async with Workspace(…)`."
            )
        return self._session

    async def _stream(self) -> aiohttp.ClientWebSocketResponse:
        # A frame is as large as what changed, and one refused for its size would end the stream.
        return await self._http.ws_connect(f"{self.url}/_workspace/feed", max_msg_size=0)

    async def _read(self, stream: aiohttp.ClientWebSocketResponse) -> None:
        while True:
            async with stream:
                async for message in stream:
                    self._take(json.loads(message.data))
            stream = await self._stream_again()

    async def _stream_again(self) -> aiohttp.ClientWebSocketResponse:
        """The workspace was restarted, or is about to be back."""
        while True:
            try:
                return await self._stream()
            except aiohttp.ClientError:
                await asyncio.sleep(RECONNECT_SECONDS)

    def _take(self, change: Json) -> None:
        if change["type"] == "ready":
            self._ready.set()
        else:
            self.changes.append(change)
        self._changed.set()


class Person:
    """Somebody who acts in the workspace."""

    def __init__(self, workspace: Workspace, user_id: str, name: str) -> None:
        self.id = user_id
        self.name = name
        self._workspace = workspace

    async def say(
        self,
        channel: str,
        text: str,
        thread_ts: str | None = None,
        files: Sequence[Upload] = (),
        *,
        broadcast: bool = False,
    ) -> Json:
        """Send a message, typed as in Slack: ``@name``, ``#channel``, ``*bold*``, code fences.

        Args:
            channel: id or name.
            text: what is typed; brackets are escaped as a client does it.
            thread_ts: the thread to reply in.
            files: (name, bytes) of files to attach.
            broadcast: also send a reply to the channel.
        """
        uploads = [await self._workspace.upload(self.id, name, content) for name, content in files]
        body: Json = {"text": text, "thread_ts": thread_ts, "broadcast": broadcast}
        answer = await self._do("say", channel=channel, files=[file["id"] for file in uploads], **body)
        return dict(answer["message"])

    async def reply(self, message: Mapping[str, Any], text: str, files: Sequence[Upload] = ()) -> Json:
        """Say something in the thread of a message."""
        return await self.say(message["channel"], text, message.get("thread_ts") or message["ts"], files)

    async def slash(self, channel: str, command: str, text: str = "", thread_ts: str | None = None) -> Json:
        """Type a slash command; ``{"ok": false, "error": …}`` when the app did not take it."""
        return await self._do("slash", channel=channel, command=command, text=text, thread_ts=thread_ts)

    async def click(
        self, message: Mapping[str, Any], action_id: str, value: object = None, filled: Json | None = None
    ) -> Json:
        """Press a button or choose `value` in a menu of a message (or of a view)."""
        where = _place(message)
        return await self._do("click", action_id=action_id, value=value, filled=filled or {}, **where)

    async def submit(self, view: Mapping[str, Any], values: Json) -> Json:
        """Send a form.

        Args:
            view: from `Workspace.views`.
            values: by action id (or block id, then action id): text, an option's value, a list of those, or a
                list of file ids from `Workspace.upload`.

        Returns:
            ``{"ok": true, …}``, or ``{"ok": false, "errors": {block_id: sentence}}``.
        """
        return await self._do("submit", view_id=view["id"], values=values)

    async def close(self, view: Mapping[str, Any]) -> Json:
        """Close a form without sending it."""
        return await self._do("close", view_id=view["id"])

    async def shortcut(self, message: Mapping[str, Any], callback_id: str) -> Json:
        """Choose a message shortcut."""
        return await self._do("shortcut", callback_id=callback_id, **_place(message))

    async def edit(self, message: Mapping[str, Any], text: str) -> Json:
        """Change one's own message."""
        return dict((await self._do("edit", text=text, **_place(message)))["message"])

    async def delete(self, message: Mapping[str, Any]) -> Json:
        """Delete one's own message."""
        return await self._do("delete", **_place(message))

    async def react(self, message: Mapping[str, Any], name: str, *, add: bool = True) -> Json:
        """Add a reaction, or take it back."""
        return await self._do("react", name=name, add=add, **_place(message))

    async def invite(self, channel: str, name: str) -> Json:
        """Bring somebody into a channel; a person from elsewhere makes it a shared one."""
        return await self._do("invite", channel=channel, user=name)

    async def _do(self, deed: str, **body: Any) -> Json:  # noqa: ANN401 - JSON of any shape
        return await self._workspace.do(deed, {"person": self.id, **body})


def _place(message: Mapping[str, Any]) -> Json:
    """Where a deed happens: in a message, or in a view."""
    # The one key that every view has and no message.
    if "root_view_id" in message:
        return {"view_id": message["id"]}
    return {"channel": message["channel"], "ts": message["ts"]}


def _checked(answer: Json) -> Json:
    if not answer["ok"]:
        raise WorkspaceError(f"The local workspace refused that: {answer['error']}")
    return answer


def _told(change: Json, names: Mapping[str, str]) -> str:
    body = change["body"]
    words = render_text(body, names) if "text" in body else json.dumps(body)[:200]
    return f"- {change['type']}: {words}"
