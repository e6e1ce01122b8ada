"""Running an approved command: claim it, check that it is what was approved, run it, keep its output."""

from __future__ import annotations

from datetime import UTC, datetime

from engine.approval import digest_of
from engine.errors import CommandNotStarted, LockNotProven, SandboxError, SandboxLost
from engine.events import SYSTEM, CommandStarted
from engine.feed import Feed
from engine.reports import CommandEnd, CommandLost
from engine.sandbox.port import Command, Handle, Outcome, OutputSink, Result, Sandboxes
from engine.store import commands, events, sessions
from engine.store.database import Database
from engine.store.outputs import Outputs
from engine.views import CommandState, CommandView


async def run_command(
    db: Database, outputs: Outputs, sandboxes: Sandboxes, feed: Feed, command_id: int
) -> CommandEnd | CommandLost | None:
    """Run one approved command, at most once: a claim is never given twice, and None says so.

    Cancelling leaves the command running in its sandbox; `rejoin` finds it again.
    """
    claimed = await _claim(db, feed, command_id)
    if claimed is None or isinstance(claimed, CommandLost):
        return claimed
    command, handle = claimed
    try:
        result = await sandboxes.run(handle, _as_command(command), _sink(feed, command))
    except SandboxError as error:
        # These come before the start; after any other error nobody knows whether it ran.
        certain = isinstance(error, CommandNotStarted | LockNotProven | SandboxLost)
        return CommandLost(command_id=command_id, started=not certain, error=error)
    return await _keep(outputs, feed, command, result)


async def rejoin(
    db: Database, outputs: Outputs, sandboxes: Sandboxes, feed: Feed, command_id: int
) -> CommandEnd | CommandLost:
    """Wait for a command that was claimed before this process started."""
    async with db.read() as tx:
        command = await commands.load(tx, command_id)
        details = await sessions.details(tx, command.session_id)
    if details.handle is None:
        return CommandLost(command_id=command_id, started=True, error=SandboxLost())
    try:
        result = await sandboxes.attach(details.handle, _as_command(command), _sink(feed, command))
    except SandboxError as error:
        return CommandLost(command_id=command_id, started=True, error=error)
    return await _keep(outputs, feed, command, result)


async def _claim(
    db: Database, feed: Feed, command_id: int
) -> tuple[CommandView, Handle] | CommandLost | None:
    at = datetime.now(UTC)
    async with db.begin() as tx:
        command = await commands.load(tx, command_id)
        view = await sessions.load(tx, command.session_id)
        details = await sessions.details(tx, command.session_id)
        if details.handle is None:
            return CommandLost(command_id=command_id, started=False, error=SandboxLost())
        if digest_of(command.text, command.timeout_seconds, view.scope) != command.digest:
            changed = CommandNotStarted("What was approved is not what would run, so nothing ran.")
            return CommandLost(command_id=command_id, started=False, error=changed)
        claimed = await commands.move(
            tx, command_id, frozenset({CommandState.approved}), CommandState.claimed, started=at
        )
        if claimed is None:
            return None
        await events.append(tx, command.session_id, SYSTEM, [CommandStarted(command_id=command_id)], at)
    feed.touch(command.session_id)
    return claimed, details.handle


async def _keep(
    outputs: Outputs, feed: Feed, command: CommandView, result: Result
) -> CommandEnd | CommandLost:
    feed.drop(command.id)
    if result.outcome is Outcome.lost:
        return CommandLost(command_id=command.id, started=True, error=SandboxLost())
    return CommandEnd(
        command_id=command.id,
        result=result,
        stdout_sha256=await outputs.put(result.stdout),
        stderr_sha256=await outputs.put(result.stderr),
    )


def _as_command(command: CommandView) -> Command:
    return Command(id=command.id, text=command.text, timeout_seconds=command.timeout_seconds)


def _sink(feed: Feed, command: CommandView) -> OutputSink:
    def sink(_stream: str, data: bytes) -> None:
        feed.output(command.session_id, command.id, data)

    return sink
