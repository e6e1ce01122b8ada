"""Starts commands in a sandbox, at most once each, and waits for them."""

from __future__ import annotations

from dataclasses import dataclass
from secrets import token_hex

from engine.errors import CommandNotStarted, EngineUnavailable, SandboxError
from engine.faults import reach
from engine.sandbox.containers import AGENT
from engine.sandbox.engine_client import EngineClient
from engine.sandbox.follower import Follower, NeverStarted
from engine.sandbox.port import Command, Handle, Limits, Outcome, OutputSink, Result

# The kernel takes 128 KiB in one argument; a character has at most four bytes.
_ARGUMENT_CHARACTERS = 30_000
# All arguments of a program together may take 2 MiB, the environment included.
_LONGEST_BYTES = 1 << 20
# A detached start says nothing of whether the process came up; a loaded host needs seconds for it.
_START_PATIENCE = 10.0
# Such a command was started long ago, so its first line is there or never comes.
_ATTACH_PATIENCE = 1.0
_REFUSALS = {
    3: "This command was started before and is not run twice.",
    4: "Another command is still running in this sandbox; nothing ran.",
}


@dataclass(frozen=True, kw_only=True)
class Prepared:
    """A command that the engine holds ready. `nonce` marks this very start in the spool."""

    command: Command
    nonce: str
    exec_id: str


class Runner:
    """Talks to the scripts under `/opt/revalid` in the sandbox image."""

    def __init__(self, client: EngineClient, limits: Limits) -> None:
        self._client = client
        self._limits = limits
        self._waiting: dict[tuple[str, int], Follower] = {}

    async def prepare(self, handle: Handle, command: Command) -> Prepared:
        """Everything short of starting it."""
        text = _checked(command.text)
        # The id alone cannot tell this start from one whose answer was lost on the way.
        nonce = token_hex(8)
        argv = [
            "/opt/revalid/run",
            str(command.id),
            nonce,
            str(command.timeout_seconds),
            str(self._limits.output),
            *(text[at : at + _ARGUMENT_CHARACTERS] for at in range(0, len(text), _ARGUMENT_CHARACTERS)),
        ]
        exec_id = await self._client.call(
            lambda api: str(api.exec_create(handle.sandbox_id, argv, user=AGENT)["Id"])
        )
        reach("exec created")
        return Prepared(command=command, nonce=nonce, exec_id=exec_id)

    async def run(self, handle: Handle, prepared: Prepared, sink: OutputSink | None) -> Result:
        """Start and wait. The caller has checked the lock."""
        command, exec_id = prepared.command, prepared.exec_id
        follower = Follower(
            self._client,
            handle.sandbox_id,
            command,
            sink=sink,
            nonce=prepared.nonce,
            patience=_START_PATIENCE,
        )
        try:
            # Detached: an attached one would hang on our connection, and a stream cannot be attached again.
            await self._client.call(lambda api: api.exec_start(exec_id, detach=True))
        except SandboxError as error:
            await self._void(handle, command, error)
        reach("exec started")
        try:
            return await self._wait(handle, command, follower)
        except NeverStarted:
            code = await self._client.call(lambda api: api.exec_inspect(exec_id)["ExitCode"])
            raise CommandNotStarted(_REFUSALS.get(code)) from None

    async def attach(self, handle: Handle, command: Command, sink: OutputSink | None) -> Result:
        """Wait for a command that was started before."""
        follower = Follower(self._client, handle.sandbox_id, command, sink=sink, patience=_ATTACH_PATIENCE)
        try:
            return await self._wait(handle, command, follower)
        except NeverStarted:
            return Result(outcome=Outcome.lost, exit_code=None, stdout=b"", stderr=b"", elapsed_seconds=0.0)

    async def kill(self, handle: Handle, command_id: int) -> None:
        """Tell the command's watcher to end it; whoever waits here sees to it that it ends."""
        # Through its watcher, which then still writes how it ended; a plain kill would leave no last line.
        await self._client.execute(handle.sandbox_id, ["/opt/revalid/end", str(command_id)], user=AGENT)
        if follower := self._waiting.get((handle.sandbox_id, command_id)):
            follower.expect_end()

    async def _wait(self, handle: Handle, command: Command, follower: Follower) -> Result:
        key = handle.sandbox_id, command.id
        self._waiting[key] = follower
        try:
            return await follower.result()
        finally:
            self._waiting.pop(key, None)

    async def _void(self, handle: Handle, command: Command, error: SandboxError) -> None:
        """After a start that may or may not have happened: take the command's claim, so that it never will.

        Returns when the command did start. Raises `CommandNotStarted` when it did not, and another error when
        nobody can tell yet.
        """
        try:
            # A folder is made at most once, whoever is first: the same claim that the start script takes.
            code, _ = await self._client.execute(
                handle.sandbox_id, ["mkdir", f"/spool/{command.id}"], user=AGENT
            )
        except EngineUnavailable:
            raise
        except SandboxError:
            raise error from None
        if code == 0:
            raise CommandNotStarted(f"The command could not be started; nothing ran. {error}") from error


def _checked(text: str) -> str:
    # An argument ends at a NUL, so what ran would not be what was approved.
    if "\0" in text:
        raise CommandNotStarted("The command contains a NUL character, which no shell takes; nothing ran.")
    if len(text.encode("utf-8", "replace")) > _LONGEST_BYTES:
        raise CommandNotStarted(
            "The command is longer than 1 MiB; nothing ran. Put the data in a file first."
        )
    return text
