"""What a session does beside its mailbox: build and remove its sandbox, think, run commands."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass

import structlog

from engine import scope as scopes
from engine.agent.port import Agent
from engine.errors import ModelError, RevalidError, SandboxError
from engine.execution import rejoin, run_command
from engine.feed import Feed
from engine.reports import (
    CommandLost,
    GoalDrafted,
    Provisioned,
    ProvisionFailed,
    Report,
    SandboxGone,
    TurnLost,
)
from engine.sandbox.port import Handle, Sandboxes
from engine.store import findings, sessions
from engine.store.database import Database
from engine.store.outputs import Outputs
from engine.turn import take_turn

log = structlog.get_logger()

SECONDS_TO_END = 15
"""How long a killed command may take to come back before its sandbox is removed under it."""


@dataclass(frozen=True, kw_only=True)
class Means:
    """What the tasks of every session share."""

    db: Database
    outputs: Outputs
    sandboxes: Sandboxes
    agent: Agent
    feed: Feed


class Tasks:
    """The tasks of one session. Each ends in one report, unless it was called off."""

    def __init__(self, session_id: int, means: Means, report: Callable[[Report], None]) -> None:
        self._session_id = session_id
        self._means = means
        self._report = report
        self.generation = 0
        """Grows whenever a turn is called off; a report of an older one is void."""
        self._turn: asyncio.Task[None] | None = None
        self._commands: dict[int, asyncio.Task[None]] = {}
        self._others: set[asyncio.Task[None]] = set()
        # One at a time each: commands of agent and operator; building and removing the sandbox.
        self._running = asyncio.Lock()
        self._building = asyncio.Lock()

    def provision(self) -> None:
        """Build the sandbox; reports `Provisioned` or `ProvisionFailed`."""
        self._spawn(self._provision())

    def think(self) -> None:
        """Run one model turn; reports `TurnDone` or `TurnLost`."""
        self.stop_thinking()
        self._turn = asyncio.create_task(self._think())

    def stop_thinking(self) -> None:
        """Call the turn in flight off; it reports nothing."""
        self.generation += 1
        if self._turn is not None:
            self._turn.cancel()
            self._turn = None

    def run(self, command_id: int, *, again: bool = False) -> None:
        """Run an approved command, or wait for one that was claimed before (`again`)."""
        task = asyncio.create_task(self._run(command_id, again=again))
        self._commands[command_id] = task
        task.add_done_callback(lambda _: self._commands.pop(command_id, None))

    def kill(self, handle: Handle, command_ids: tuple[int, ...]) -> None:
        """End running commands; each reports as it ends."""
        self._spawn(self._kill(handle, command_ids))

    def tear_down(self, handle: Handle | None, running: tuple[int, ...]) -> None:
        """Kill what runs, wait for its report, remove the sandbox; reports `SandboxGone`."""
        self._spawn(self._tear_down(handle, running))

    def draft_goal(self, by: str) -> None:
        """Draft a new goal; reports `GoalDrafted`."""
        self._spawn(self._draft_goal(by))

    async def close(self) -> None:
        """Call everything off. Running commands go on in their sandbox; `run(again=True)` finds them."""
        tasks = [*self._commands.values(), *self._others, *([self._turn] if self._turn else [])]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _spawn(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.create_task(work)
        self._others.add(task)
        task.add_done_callback(self._others.discard)

    async def _provision(self) -> None:
        means = self._means
        async with self._building:
            try:
                async with means.db.read() as tx:
                    view = await sessions.load(tx, self._session_id)
                pinned = await scopes.pin(view.scope, means.sandboxes.resolve)
                handle = await means.sandboxes.create(self._session_id, pinned)
            except RevalidError as error:
                self._report(ProvisionFailed(error=error))
            except Exception:
                log.exception("sandbox_failed", session=self._session_id)
                self._report(ProvisionFailed(error=SandboxError()))
            else:
                self._report(Provisioned(handle=handle))

    async def _think(self) -> None:
        means = self._means
        try:
            done = await take_turn(means.db, means.outputs, means.agent, self._session_id)
        except RevalidError as error:
            self._report(TurnLost(error=error))
        except Exception:
            log.exception("turn_failed", session=self._session_id)
            self._report(TurnLost(error=ModelError()))
        else:
            self._report(done)

    async def _run(self, command_id: int, *, again: bool) -> None:
        means = self._means
        work = rejoin if again else run_command
        async with self._running:
            try:
                end = await work(means.db, means.outputs, means.sandboxes, means.feed, command_id)
            except Exception as error:
                log.exception("command_failed", session=self._session_id, command=command_id)
                failed = error if isinstance(error, RevalidError) else SandboxError()
                end = CommandLost(command_id=command_id, started=True, error=failed)
        if end is not None:
            self._report(end)

    async def _kill(self, handle: Handle, command_ids: tuple[int, ...]) -> None:
        for command_id in command_ids:
            try:
                await self._means.sandboxes.kill(handle, command_id)
            except SandboxError as error:
                log.warning("kill_failed", session=self._session_id, command=command_id, error=str(error))

    async def _tear_down(self, handle: Handle | None, running: tuple[int, ...]) -> None:
        if handle is not None:
            await self._kill(handle, running)
        ending = [task for command_id, task in self._commands.items() if command_id in running]
        if ending:
            await asyncio.wait(ending, timeout=SECONDS_TO_END)
        # A sandbox that is still being built is removed once it is there.
        async with self._building:
            try:
                await self._means.sandboxes.remove(self._session_id)
            except SandboxError as error:
                # The labels stay, so the next start finds and removes what is left.
                log.warning("removal_failed", session=self._session_id, error=str(error))
                return
        self._report(SandboxGone())

    async def _draft_goal(self, by: str) -> None:
        means = self._means
        async with means.db.read() as tx:
            view = await sessions.load(tx, self._session_id)
            finding = await findings.load(tx, view.finding_id)
        try:
            goal = await means.agent.draft_goal(finding.finding)
        except ModelError as error:
            log.warning("goal_failed", session=self._session_id, error=str(error))
            goal = ()
        self._report(GoalDrafted(by=by, goal=goal))
