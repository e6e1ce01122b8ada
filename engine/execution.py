"""Running an approved command: claim it, check that it is what was approved, run it, keep its output."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from functools import partial

import structlog

from engine.approval import digest_of
from engine.errors import (
    CommandNotStarted,
    EngineUnavailable,
    LockNotProven,
    SandboxError,
    SandboxLost,
    SandboxOutOfMemory,
    StoreError,
)
from engine.events import SYSTEM, CommandStarted
from engine.faults import reach
from engine.feed import Feed
from engine.means import Means
from engine.outage import through_outage
from engine.reports import CommandEnd, CommandLost
from engine.sandbox.port import Command, Handle, Outcome, OutputSink, Result
from engine.store import commands, events, sessions
from engine.store.outputs import Outputs
from engine.views import CommandState, CommandView

log = structlog.get_logger()

_NEVER_STARTED = Result(outcome=Outcome.killed, exit_code=None, stdout=b"", stderr=b"", elapsed_seconds=0.0)


async def run_command(
    means: Means, command_id: int, called_off: Callable[[], bool]
) -> CommandEnd | CommandLost | None:
    """Run one approved command, at most once: a claim is never given twice, and None says so.

    One that is `called_off` by the time it is claimed ends as killed without having started. Cancelling
    leaves the command running in its sandbox; `rejoin` finds it again.
    """
    claimed = await _claim(means, command_id)
    if claimed is None or isinstance(claimed, CommandLost):
        return claimed
    reach("command claimed")
    command, handle = claimed
    if called_off():
        return await _keep(means.outputs, command, handle, _NEVER_STARTED)
    started = means.sandboxes.run(handle, _as_command(command), _sink(means.feed, command))
    attach = partial(_attach, means, handle, command)
    running = through_outage(means, handle, command, started, attach=attach, called_off=called_off)
    return await _outcome(means, command, handle, running, fresh=True)


async def rejoin(means: Means, command_id: int, called_off: Callable[[], bool]) -> CommandEnd | CommandLost:
    """Wait for a command that was claimed before this process started."""
    async with means.db.read() as tx:
        command = await commands.load(tx, command_id)
        handle = (await sessions.details(tx, command.session_id)).handle
    if handle is None:
        return CommandLost(command_id=command_id, started=True, error=SandboxLost())
    attach = partial(_attach, means, handle, command)
    running = through_outage(means, handle, command, attach(), attach=attach, called_off=called_off)
    return await _outcome(means, command, handle, running, fresh=False)


def _attach(means: Means, handle: Handle, command: CommandView) -> Awaitable[Result]:
    return means.sandboxes.attach(handle, _as_command(command), _sink(means.feed, command))


async def _outcome(
    means: Means, command: CommandView, handle: Handle, running: Awaitable[Result], *, fresh: bool
) -> CommandEnd | CommandLost:
    """Wait for the end; `fresh` when it was not started before."""
    try:
        result = await running
        reach("result read")
        kept = await _keep(means.outputs, command, handle, result)
        reach("outputs stored")
        return kept
    except SandboxError as error:
        # These come before the start; after any other error nobody knows whether it ran.
        certain = fresh and isinstance(error, CommandNotStarted | LockNotProven | SandboxLost)
        # An engine that does not answer may still have the sandbox, and a refused command harmed nothing.
        harmless = isinstance(error, EngineUnavailable | CommandNotStarted)
        return CommandLost(
            command_id=command.id,
            started=not certain,
            error=error,
            distrusted=None if harmless else handle,
        )
    except StoreError as error:
        unkept = StoreError(f"The command ran, but its output could not be kept: {error.sentence}")
        return CommandLost(command_id=command.id, started=True, error=unkept)
    except Exception:
        log.exception("command_failed", session=command.session_id, command=command.id)
        return CommandLost(command_id=command.id, started=True, error=SandboxError(), distrusted=handle)
    finally:
        means.feed.drop(command.id)


async def _claim(means: Means, command_id: int) -> tuple[CommandView, Handle] | CommandLost | None:
    at = datetime.now(UTC)
    async with means.db.begin() as tx:
        command = await commands.load(tx, command_id)
        view = await sessions.load(tx, command.session_id)
        handle = (await sessions.details(tx, command.session_id)).handle
        if handle is None:
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
    means.feed.touch(command.session_id)
    return claimed, handle


async def _keep(
    outputs: Outputs, command: CommandView, handle: Handle, result: Result
) -> CommandEnd | CommandLost:
    if result.outcome is Outcome.lost:
        error = SandboxOutOfMemory() if result.out_of_memory else SandboxLost()
        return CommandLost(command_id=command.id, started=True, error=error, distrusted=handle)
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
        reach("output part-way")

    return sink
