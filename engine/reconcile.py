"""Brings the database and the engine's sandboxes together, at the start and again and again after it.

A sandbox that no session needs is removed, half of one too; a session whose sandbox is gone is told so. While
the engine does not answer, sessions that need it wait, and go on when it is back.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

import structlog

from engine.errors import SandboxError, StoreError
from engine.lifecycle import Activity
from engine.means import Means
from engine.sandbox.port import Listed
from engine.store import sessions
from engine.worker import Worker

FIRST_LOOK_SECONDS = 5.0
"""How long a start waits for an engine that hangs."""
LONGEST_PAUSE = 30.0

log = structlog.get_logger(__name__)


class Reconciler:
    """Works through the workers of the sessions, so that nothing is removed that is just being built."""

    def __init__(self, means: Means, worker: Callable[[int], Worker]) -> None:
        self._means = means
        self._worker = worker
        self._waiting: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Go on with what was in flight; without an engine, only with what needs none for now."""
        async with self._means.db.read() as tx:
            unfinished = await sessions.unfinished(tx)
        try:
            async with asyncio.timeout(FIRST_LOOK_SECONDS):
                listed = await self._means.sandboxes.list()
        except (SandboxError, TimeoutError) as error:
            log.warning("engine_unavailable", error=str(error), waiting=len(unfinished))
            later = [one for one in unfinished if not await self._recover_thinking(one)]
            self._waiting = asyncio.create_task(self._when_back(later))
            return
        await self._recover(unfinished)
        await self._compare(listed)

    async def look(self) -> None:
        """Compare once more. Raises `EngineUnavailable` when the engine does not answer."""
        await self._compare(await self._means.sandboxes.list())

    async def close(self) -> None:
        """Stop waiting for the engine."""
        if self._waiting is not None:
            self._waiting.cancel()
            await asyncio.gather(self._waiting, return_exceptions=True)

    async def _when_back(self, later: Sequence[int]) -> None:
        pause = self._means.patience.first
        while True:
            await self._means.patience.sleep(pause)
            pause = min(pause * 2, LONGEST_PAUSE)
            try:
                listed = await self._means.sandboxes.list()
                await self._recover(later)
                await self._compare(listed)
            except (SandboxError, StoreError) as error:
                log.info("engine_still_unavailable", error=str(error), again_in=pause)
                continue
            log.info("engine_back", sessions=len(later))
            return

    async def _recover(self, unfinished: Sequence[int]) -> None:
        for session_id in unfinished:
            await self._worker(session_id).recover()

    async def _recover_thinking(self, session_id: int) -> bool:
        """Go on with a session of which only the model is wanted now; False for any other."""
        async with self._means.db.read() as tx:
            view = await sessions.load(tx, session_id)
        situation = view.situation
        only_thinks = situation.activity is Activity.turn and not situation.operator_command
        if only_thinks:
            await self._worker(session_id).recover()
        return only_thinks

    async def _compare(self, listed: Sequence[Listed]) -> None:
        running = {one.session_id: one.running for one in listed}
        async with self._means.db.read() as tx:
            needed = await sessions.sandboxes(tx)
        for session_id, handle in needed.items():
            if not {handle.gateway_id, handle.sandbox_id} <= running.get(session_id, frozenset()):
                # It may have been built since the list was made, so that the worker looks for itself.
                self._worker(session_id).check_sandbox(handle)
        for session_id in running.keys() - needed.keys():
            self._worker(session_id).remove_leftovers()
