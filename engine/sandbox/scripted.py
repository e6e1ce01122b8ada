"""Sandboxes in memory, with answers written beforehand: for what must run without Docker."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from ipaddress import ip_address
from typing import Any

from engine.errors import CommandNotStarted, EngineUnavailable, SandboxError, SandboxLost, ScopeError
from engine.sandbox.port import Command, Denied, Handle, Listed, Outcome, OutputSink, Result
from engine.scope import Pinned


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What a command does. With `hang` it runs on after its output until a test or a kill ends it."""

    stdout: bytes = b""
    stderr: bytes = b""
    exit_code: int = 0
    denied: tuple[Denied, ...] = ()
    hang: bool = False


Script = Callable[[str], Answer] | Mapping[str, Answer]
"""From a command's text to what it does. A text that a mapping does not know is not found, as in a shell."""


@dataclass
class _Process:
    answer: Answer
    end: asyncio.Future[Outcome]


@dataclass
class _Sandbox:
    handle: Handle
    created: str
    lost: bool = False
    processes: dict[int, _Process] = field(default_factory=dict)


class ScriptedSandboxes:
    """The twin of the Docker sandboxes. Nothing in it waits for a clock: a test says when things end."""

    def __init__(
        self, script: Script | None = None, *, names: Mapping[str, tuple[str, ...]] | None = None
    ) -> None:
        self.script: Script = script if script is not None else {}
        self.names = dict(names or {})
        self.executed: list[Command] = []
        """Every command that ran, in order."""
        self.fail_create: SandboxError | None = None
        """Raised by every `create` while set."""
        self.fail_run: SandboxError | None = None
        """Raised by every `run` before anything starts while set."""
        self.created = 0
        """How many sandboxes were ever built."""
        self._sandboxes: dict[int, _Sandbox] = {}
        self._started = asyncio.Condition()
        self._outage = asyncio.Event()

    def times(self, text: str) -> int:
        """How often a command with exactly this text ran."""
        return Counter(command.text for command in self.executed)[text]

    async def until_running(self, command_id: int) -> None:
        """Wait until that command has started."""
        async with self._started:
            await self._started.wait_for(lambda: any(command.id == command_id for command in self.executed))

    def release(self, command_id: int) -> None:
        """Let a hanging command exit by itself."""
        self._end(command_id, Outcome.exited)

    def time_out(self, command_id: int) -> None:
        """Let a hanging command reach its time limit."""
        self._end(command_id, Outcome.timed_out)

    def flood(self, command_id: int) -> None:
        """Let a hanging command reach the output limit."""
        self._end(command_id, Outcome.output_limit)

    def lose(self, session_id: int) -> None:
        """The sandbox dies, and what runs in it."""
        sandbox = self._sandboxes[session_id]
        sandbox.lost = True
        for command_id in sandbox.processes:
            self._end(command_id, Outcome.lost)

    def go_away(self) -> None:
        """The engine answers nothing any more; what runs goes on."""
        self._outage.set()

    def come_back(self) -> None:
        """The engine answers again."""
        self._outage.clear()

    async def resolve(self, host: str) -> tuple[str, ...]:
        """See `Sandboxes`."""
        with suppress(ValueError):
            return (str(ip_address(host)),)
        if host not in self.names:
            raise ScopeError(f"Nobody knows the name {host}; check its spelling, or give the address.")
        return self.names[host]

    async def create(self, session_id: int, pinned: Pinned) -> Handle:
        """See `Sandboxes`."""
        # As the Docker one does, so that a test meets the loss of what an earlier sandbox held.
        await self.remove(session_id)
        if self.fail_create is not None:
            raise self.fail_create
        self.created += 1
        handle = Handle(
            session_id=session_id,
            gateway_id=f"gateway-{self.created}",
            sandbox_id=f"sandbox-{self.created}",
            pinned=pinned,
            image="sha256:scripted",
        )
        self._sandboxes[session_id] = _Sandbox(handle, datetime.now(UTC).isoformat(timespec="seconds"))
        return handle

    async def verify(self, handle: Handle) -> None:
        """See `Sandboxes`."""
        self._alive(handle)

    async def run(self, handle: Handle, command: Command, sink: OutputSink | None = None) -> Result:
        """See `Sandboxes`."""
        if self._outage.is_set():
            raise CommandNotStarted(f"{EngineUnavailable()} Nothing ran.")
        sandbox = self._alive(handle)
        if self.fail_run is not None:
            raise self.fail_run
        if command.id in sandbox.processes:
            raise CommandNotStarted("This command was started before and is not run twice.")
        # One at a time, as in a real sandbox, where the end of one kills everything of its user.
        if any(not process.end.done() for process in sandbox.processes.values()):
            raise CommandNotStarted("Another command is still running in this sandbox; nothing ran.")
        process = _Process(self._answer(command.text), asyncio.get_running_loop().create_future())
        sandbox.processes[command.id] = process
        if not process.answer.hang:
            process.end.set_result(Outcome.exited)
        async with self._started:
            self.executed.append(command)
            self._started.notify_all()
        return await self._follow(process, sink)

    async def attach(self, handle: Handle, command: Command, sink: OutputSink | None = None) -> Result:
        """See `Sandboxes`."""
        self._answers()
        sandbox = self._sandboxes.get(handle.session_id)
        if sandbox is None or sandbox.lost or sandbox.handle != handle or command.id not in sandbox.processes:
            return Result(outcome=Outcome.lost, exit_code=None, stdout=b"", stderr=b"", elapsed_seconds=0.0)
        return await self._follow(sandbox.processes[command.id], sink)

    async def kill(self, handle: Handle, command_id: int) -> None:
        """See `Sandboxes`."""
        self._alive(handle)
        self._end(command_id, Outcome.killed)

    async def remove(self, session_id: int) -> None:
        """See `Sandboxes`."""
        self._answers()
        if session_id in self._sandboxes:
            self.lose(session_id)
            del self._sandboxes[session_id]

    async def list(self) -> tuple[Listed, ...]:
        """See `Sandboxes`."""
        self._answers()
        return tuple(
            Listed(
                session_id=session_id,
                created=sandbox.created,
                running=frozenset()
                if sandbox.lost
                else frozenset({sandbox.handle.gateway_id, sandbox.handle.sandbox_id}),
            )
            for session_id, sandbox in sorted(self._sandboxes.items())
        )

    async def close(self) -> None:
        """See `Sandboxes`."""

    def _answer(self, text: str) -> Answer:
        if callable(self.script):
            return self.script(text)
        missing = Answer(stderr=f"bash: line 1: {text}: command not found\n".encode(), exit_code=127)
        return self.script.get(text, missing)

    def _answers(self) -> None:
        if self._outage.is_set():
            raise EngineUnavailable

    def _alive(self, handle: Handle) -> _Sandbox:
        self._answers()
        sandbox = self._sandboxes.get(handle.session_id)
        if sandbox is None or sandbox.lost or sandbox.handle != handle:
            raise SandboxLost
        return sandbox

    def _end(self, command_id: int, outcome: Outcome) -> None:
        for sandbox in self._sandboxes.values():
            process = sandbox.processes.get(command_id)
            if process is not None and not process.end.done():
                process.end.set_result(outcome)

    async def _follow(self, process: _Process, sink: OutputSink | None) -> Result:
        answer = process.answer
        if sink is not None:
            for stream, data in (("stdout", answer.stdout), ("stderr", answer.stderr)):
                if data:
                    sink(stream, data)
        outage = asyncio.ensure_future(self._outage.wait())
        try:
            # Whoever gives up waiting must not end the command.
            either: set[asyncio.Future[Any]] = {process.end, outage}
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        finally:
            outage.cancel()
        if not process.end.done():
            raise EngineUnavailable
        outcome = process.end.result()
        return Result(
            outcome=outcome,
            exit_code=answer.exit_code if outcome is Outcome.exited else None,
            stdout=answer.stdout,
            stderr=answer.stderr,
            elapsed_seconds=0.0,
            denied=answer.denied,
        )
