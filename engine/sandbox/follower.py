"""Follows one command in a sandbox, through broken connections, to whatever end it comes to."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from engine.errors import EngineUnavailable, SandboxError, SandboxLost, SandboxOutOfMemory
from engine.sandbox.containers import AGENT, WATCHER
from engine.sandbox.engine_client import EngineClient
from engine.sandbox.port import Command, Outcome, OutputSink, Result
from engine.sandbox.spool import Decoder, Ended, Frame, Kind
from engine.sandbox.stream import ExecStream, Feed

# The sandbox keeps the time limit itself; the host steps in only when that did not happen.
_GRACE_SECONDS = 3.0
# The kill took up to 6 seconds against a tight fork loop; ending the sandbox loses its files.
_LAST_RESORT_SECONDS = 10.0
# The pauses between them are under four seconds in all; a longer outage is for the caller to wait out.
_CONNECTIONS = 5
_SIGKILLED = 137
_REFUSED = "-"


class NeverStarted(Exception):
    """There is no such command in this sandbox, or an earlier start holds its id."""


class Follower:
    """One wait for one command. `nonce` tells the start that we made from any other with the same id."""

    def __init__(
        self,
        client: EngineClient,
        sandbox_id: str,
        command: Command,
        *,
        sink: OutputSink | None,
        nonce: str | None = None,
        patience: float,
    ) -> None:
        self._client = client
        self._sandbox_id = sandbox_id
        self._command = command
        self._sink = sink
        self._nonce = nonce
        self._patience = patience
        self._output = {Kind.stdout: bytearray(), Kind.stderr: bytearray()}
        self._loop = asyncio.get_running_loop()
        self._began = self._loop.time()
        self._deadline = self._began + patience + command.timeout_seconds + _GRACE_SECONDS
        self._reason: Outcome | None = None
        self._forced = False
        self._out_of_memory = False
        self._feed: Feed | None = None

    def expect_end(self) -> None:
        """The command was told to end; force it if it does not within the grace time."""
        self._reason = self._reason or Outcome.killed
        # Never later than before: a kill must not prolong a command that is about to time out.
        self._deadline = min(self._deadline, self._loop.time() + _GRACE_SECONDS)
        if self._feed is not None:
            self._feed.wake()

    async def result(self) -> Result:
        """Wait for the end. Raises `NeverStarted`, or `EngineUnavailable` when it may still be running."""
        for connection in range(_CONNECTIONS):
            try:
                if ended := await self._listen():
                    return ended
                # An end without a last word is a broken connection or a dead sandbox; only the engine knows.
                await require_running(self._client, self._sandbox_id)
            except EngineUnavailable:
                if connection == _CONNECTIONS - 1:
                    raise
                await asyncio.sleep(2**connection / 4)
            except SandboxLost as lost:
                self._out_of_memory = isinstance(lost, SandboxOutOfMemory)
                break
        return self._finish(self._reason or Outcome.lost)

    async def _listen(self) -> Result | None:
        # A new connection goes on where the last one broke, so that no byte is doubled or missing.
        offsets = [str(len(self._output[kind])) for kind in (Kind.stdout, Kind.stderr)]
        argv = ["/opt/revalid/follow", str(self._command.id), *offsets, str(self._patience)]
        self._feed = Feed(
            await self._client.call(lambda api: ExecStream(api, self._sandbox_id, argv, user=WATCHER))
        )
        decoder = Decoder()
        try:
            while (data := await self._next(self._feed)) is not None:
                for frame in decoder.feed(data):
                    if ended := await self._take(frame):
                        return ended
            return None
        finally:
            # Also when the waiting task was cancelled: the listening ends, the command goes on.
            self._feed.close()

    async def _next(self, feed: Feed) -> bytes | None:
        while True:
            try:
                return await feed.next(self._deadline)
            except TimeoutError:
                await self._overdue()

    async def _take(self, frame: Frame) -> Result | None:
        if frame.kind in self._output:
            self._output[frame.kind] += frame.data
            if self._sink is not None:
                self._sink(frame.kind.name, frame.data)
        elif frame.kind is Kind.started:
            # An earlier start under the same id has its own nonce, and its output must not pass for ours.
            nonce = frame.data.split()[0].decode()
            if nonce == _REFUSED or self._nonce not in (None, nonce):
                raise NeverStarted
        elif frame.kind is Kind.ended:
            ended = Ended.parse(frame.data)
            return self._finish(ended.outcome, ended)
        elif frame.kind is Kind.gone:
            # Its watcher was killed by the command itself; what that left running has no time limit.
            await self._force()
            return self._finish(self._reason or Outcome.killed)
        else:
            raise NeverStarted
        return None

    async def _overdue(self) -> None:
        """Nothing ended the command in time: first its user's processes go, then the whole sandbox."""
        # The first reason stays: a killed command that then had to be forced was still killed.
        self._reason = self._reason or Outcome.timed_out
        with suppress(SandboxError):
            if self._forced:
                await self._client.call(lambda api: api.kill(self._sandbox_id))
            else:
                await self._force()
        self._deadline = self._loop.time() + _LAST_RESORT_SECONDS

    async def _force(self) -> None:
        self._forced = True
        with suppress(SandboxLost):
            await kill_user(self._client, self._sandbox_id)

    def _finish(self, outcome: Outcome, ended: Ended | None = None) -> Result:
        return Result(
            outcome=outcome,
            # From the spool only: the engine knows the exit code of its watcher, not the command's.
            exit_code=ended.exit_code if ended else None,
            stdout=bytes(self._output[Kind.stdout]),
            stderr=bytes(self._output[Kind.stderr]),
            elapsed_seconds=ended.elapsed_seconds if ended else self._loop.time() - self._began,
            out_of_memory=ended.out_of_memory if ended else self._out_of_memory,
        )


async def kill_user(client: EngineClient, sandbox_id: str) -> None:
    """End every process of the commands' user: nothing can hide from it by detaching itself."""
    # Its own exit code says nothing: it is among those it kills.
    await client.execute(sandbox_id, ["kill", "-9", "-1"], user=AGENT)


async def require_running(client: EngineClient, container_id: str) -> None:
    """Raise `SandboxLost` unless this container runs, `SandboxOutOfMemory` when the kernel ended it."""
    state = await client.call(lambda api: api.inspect_container(container_id)["State"])
    if not state["Running"]:
        # The flag stays from an earlier kill inside of it; only SIGKILL on top of that is the kernel's doing.
        raise SandboxOutOfMemory if state["OOMKilled"] and state["ExitCode"] == _SIGKILLED else SandboxLost
