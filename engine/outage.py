"""Waits for a Docker engine that goes away under a command: the command may well run on without it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress

import structlog

from engine.errors import EngineUnavailable, LockNotProven, SandboxLost
from engine.means import Means
from engine.sandbox.port import Handle, Result
from engine.views import CommandView

log = structlog.get_logger()

ENGINE_AWAY = "the Docker engine does not answer, trying again"


async def through_outage(
    means: Means,
    handle: Handle,
    command: CommandView,
    running: Awaitable[Result],
    *,
    attach: Callable[[], Awaitable[Result]],
    called_off: Callable[[], bool],
) -> Result:
    """The command's result, also when the engine goes away and comes back before patience runs out.

    `attach` waits for it again. One that is `called_off` meanwhile is killed as soon as the engine hears it.

    Raises:
        EngineUnavailable: It stayed away; nobody knows how the command ended.
        SandboxError: Whatever else `running` raises.
    """
    try:
        return await running
    except EngineUnavailable as error:
        last = error
    try:
        for pause in means.patience.pauses():
            log.warning("engine_away", session=command.session_id, command=command.id, again_in=pause)
            means.feed.delay(command.session_id, ENGINE_AWAY)
            await means.patience.sleep(pause)
            try:
                await _found_again(means, handle, command.id, kill=called_off())
                means.feed.delay(command.session_id, "")
                # Attaching tells all that the command wrote from its beginning.
                means.feed.drop(command.id)
                return await attach()
            except EngineUnavailable as error:
                last = error
        raise last
    finally:
        means.feed.delay(command.session_id, "")


async def _found_again(means: Means, handle: Handle, command_id: int, *, kill: bool) -> None:
    """Raise `EngineUnavailable` while the engine is away; how the sandbox is, attaching tells."""
    with suppress(LockNotProven, SandboxLost):
        await means.sandboxes.verify(handle)
        if kill:
            await means.sandboxes.kill(handle, command_id)
