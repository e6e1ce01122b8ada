"""What the engine asks of a sandbox. The Docker one and the scripted twin both satisfy it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from engine.scope import Pinned

OutputSink = Callable[[str, bytes], None]
"""Called on the event loop with `stdout` or `stderr` and the bytes just read."""


# Stored with every command and shown in transcripts, so the words never change.
class Outcome(StrEnum):
    """How a command ended. Only `exited` is evidence; the rest are failures of the infrastructure."""

    exited = "exited"
    timed_out = "timed_out"
    killed = "killed"
    output_limit = "output_limit"
    lost = "lost"


@dataclass(frozen=True, kw_only=True)
class Command:
    """Exactly what a person or Auto-run approved."""

    id: int
    """The proposal's id; names the spool inside the sandbox, so it is never used twice."""
    text: str
    timeout_seconds: int


@dataclass(frozen=True, kw_only=True)
class Denied:
    """A connection that the lock refused."""

    address: str
    port: int
    protocol: str
    """`tcp` or `udp`."""
    packets: int


@dataclass(frozen=True, kw_only=True)
class Result:
    """What came of a command. `stdout` and `stderr` are whole up to the output limit."""

    outcome: Outcome
    exit_code: int | None
    """None when the command did not exit by itself."""
    stdout: bytes
    stderr: bytes
    elapsed_seconds: float
    denied: tuple[Denied, ...] = ()
    out_of_memory: bool = False


@dataclass(frozen=True, kw_only=True)
class Handle:
    """How to find a sandbox again after a restart."""

    session_id: int
    gateway_id: str
    sandbox_id: str
    pinned: Pinned
    image: str = ""
    """The sandbox image's digest, kept for the evidence."""


@dataclass(frozen=True, kw_only=True)
class Listed:
    """A sandbox found by its labels."""

    session_id: int
    created: str
    running: frozenset[str] = frozenset()
    """The ids of its containers that run."""


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What one sandbox may use. Bytes, processes and processor cores."""

    # Files in the volumes and in /tmp count towards it, since all of them are in memory.
    memory: int = 512 << 20
    processes: int = 256
    cores: float = 1.0
    scratch: int = 64 << 20
    spool: int = 32 << 20
    # Well below the spool, which also takes the command's text and its last line.
    output: int = 8 << 20
    """Both streams of one command together; a command that writes more is killed."""


class Sandboxes(Protocol):
    """Makes, finds and removes sandboxes. Every method raises `SandboxError` and its kinds only."""

    async def resolve(self, host: str) -> tuple[str, ...]:
        """The addresses of a host as the engine sees it (attached target networks first, then DNS).

        Raises `ScopeError` when the name is unknown.
        """
        ...

    async def create(self, session_id: int, pinned: Pinned) -> Handle:
        """Build a gateway and a sandbox for one session and prove the lock; leaves nothing when it fails."""
        ...

    async def verify(self, handle: Handle) -> None:
        """Raise `LockNotProven` or `SandboxLost` unless the sandbox is up and locked right now."""
        ...

    async def run(self, handle: Handle, command: Command, sink: OutputSink | None = None) -> Result:
        """Verify, start the command as the unprivileged user, wait; its whole process tree is gone after.

        Cancelling the awaiting task leaves the command running; `attach` finds it again. `CommandNotStarted`,
        `LockNotProven` and `SandboxLost` mean that nothing ran; a sandbox that dies later gives `lost`. After
        any other error nobody knows yet whether it runs, and `attach` tells.
        """
        ...

    async def attach(self, handle: Handle, command: Command, sink: OutputSink | None = None) -> Result:
        """Wait for a command started earlier, by this process or one before it. `lost` if it is not there."""
        ...

    async def kill(self, handle: Handle, command_id: int) -> None:
        """End every process of the command; the waiting `run` or `attach` returns `killed`."""
        ...

    async def remove(self, session_id: int) -> None:
        """Remove sandbox, gateway, network and volumes of a session. Nothing to remove is fine."""
        ...

    async def list(self) -> tuple[Listed, ...]:
        """Every sandbox of this installation, dead ones too."""
        ...

    async def close(self) -> None:
        """Let go of the engine; running commands go on."""
        ...
