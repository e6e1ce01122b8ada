"""What a session does beside its mailbox: build and remove its sandbox, think, run commands."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, replace
from datetime import UTC, datetime

import structlog

from engine import scope as scopes
from engine.errors import CommandNotStarted, ModelError, NotFound, RevalidError, SandboxError, SandboxLost
from engine.execution import rejoin, run_command
from engine.faults import reach
from engine.lifecycle import LIVE, Activity
from engine.means import Means
from engine.reports import (
    CommandEnd,
    CommandLost,
    GoalDrafted,
    LeftoversRemoved,
    Provisioned,
    ProvisionFailed,
    Report,
    SandboxGone,
    SandboxMissing,
    TurnLost,
)
from engine.sandbox.port import Handle
from engine.store import findings, sessions
from engine.turn import take_turn

log = structlog.get_logger()

KILLS = 15
SECONDS_A_KILL = 1.0
"""How often a command is told to end, and how long it may take each time."""


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """The turn and the sandbox that a session waits for; a report of an earlier one is void."""

    turn: int = 0
    build: int = 0


class _Needed(Exception):
    """The session needs its sandbox."""


class Tasks:
    """The tasks of one session. Each ends in one report, unless it was called off."""

    def __init__(self, session_id: int, means: Means, report: Callable[[Report], None]) -> None:
        self._session_id = session_id
        self._means = means
        self._report = report
        self.wanted = Wanted()
        self._turn: asyncio.Task[None] | None = None
        self._commands: dict[int, asyncio.Task[None]] = {}
        self._called_off: set[int] = set()
        self._others: set[asyncio.Task[None]] = set()
        # One at a time each: commands of agent and operator; building and removing the sandbox.
        self._running = asyncio.Lock()
        self._building = asyncio.Lock()

    @property
    def idle(self) -> bool:
        """Nothing is under way."""
        turn = self._turn is not None and not self._turn.done()
        return not (turn or self._commands or self._others)

    def provision(self) -> None:
        """Build the sandbox; reports `Provisioned` or `ProvisionFailed`."""
        if self._means.resting.is_set():
            return
        self.wanted = replace(self.wanted, build=self.wanted.build + 1)
        self.spawn(self._provision(self.wanted.build))

    def think(self) -> None:
        """Run one model turn; reports `TurnDone` or `TurnLost`."""
        self.stop_thinking()
        if self._means.resting.is_set():
            return
        self._turn = asyncio.create_task(self._think(self.wanted.turn))

    def stop_thinking(self) -> None:
        """Call the turn in flight off; it reports nothing."""
        self.wanted = replace(self.wanted, turn=self.wanted.turn + 1)
        if self._turn is not None:
            self._turn.cancel()
            self._turn = None
            self._means.feed.think(self._session_id, None)

    def run(self, command_id: int, *, again: bool = False) -> None:
        """Run an approved command, or wait for one that was claimed before (`again`)."""
        if self._means.resting.is_set():
            return
        task = asyncio.create_task(self._run(command_id, again=again))
        self._commands[command_id] = task
        task.add_done_callback(lambda _: self._commands.pop(command_id, None))

    def kill(self, handle: Handle, command_ids: tuple[int, ...]) -> None:
        """End commands that run or are about to; each reports as it ends."""
        self.spawn(self._kill(handle, command_ids))

    def tear_down(self, handle: Handle | None, running: tuple[int, ...], *, known: bool) -> None:
        """Kill what runs, wait for its report, remove the sandbox.

        Reports `SandboxGone` when people know of a sandbox; what one that died left is removed in silence.
        """
        self.wanted = replace(self.wanted, build=self.wanted.build + 1)
        self.spawn(self._tear_down(handle, running, known=known))

    def check_sandbox(self, handle: Handle) -> None:
        """Look whether the sandbox is there; reports `SandboxMissing` when it is not."""
        self.spawn(self._check_sandbox(handle))

    def remove_leftovers(self) -> None:
        """Remove what is left of sandboxes unless the session needs it; reports `LeftoversRemoved`."""
        self.spawn(self._remove_leftovers())

    def draft_goal(self, by: str) -> None:
        """Draft a new goal; reports `GoalDrafted`."""
        self.spawn(self._draft_goal(by))

    def spawn(self, work: Coroutine[None, None, None]) -> None:
        """Do something beside the mailbox until it is done or the process stops."""
        task = asyncio.create_task(work)
        self._others.add(task)
        task.add_done_callback(self._others.discard)

    async def close(self) -> None:
        """Call everything off. Running commands go on in their sandbox; `run(again=True)` finds them."""
        tasks = [*self._commands.values(), *self._others, *([self._turn] if self._turn else [])]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _provision(self, build: int) -> None:
        async with self._building:
            if build != self.wanted.build:
                return
            report = await self._built()
        if build == self.wanted.build:
            self._report(report)

    async def _built(self) -> Provisioned | ProvisionFailed:
        means = self._means
        try:
            async with means.db.read() as tx:
                view = await sessions.load(tx, self._session_id)
            pinned = await scopes.pin(view.scope, means.sandboxes.resolve)
            handle = await means.sandboxes.create(self._session_id, pinned)
            reach("sandbox built")
            return Provisioned(handle=handle)
        except RevalidError as error:
            return ProvisionFailed(error=error)
        except Exception:
            log.exception("sandbox_failed", session=self._session_id)
            return ProvisionFailed(error=SandboxError())

    async def _think(self, turn: int) -> None:
        means = self._means
        report: Report
        means.feed.think(self._session_id, datetime.now(UTC))
        try:
            report = await take_turn(means.db, means.outputs, means.agent, self._session_id)
        except RevalidError as error:
            report = TurnLost(error=error)
        except Exception:
            log.exception("turn_failed", session=self._session_id)
            report = TurnLost(error=ModelError())
        if turn == self.wanted.turn:
            means.feed.think(self._session_id, None)
            self._report(report)

    async def _run(self, command_id: int, *, again: bool) -> None:
        end: CommandEnd | CommandLost | None
        async with self._running:
            reach("command about to be claimed")
            try:
                take = rejoin if again else run_command
                end = await take(self._means, command_id, lambda: command_id in self._called_off)
            except Exception as error:
                # Only the database comes before the sandbox: nothing was started that was not before.
                log.exception("command_not_taken", session=self._session_id, command=command_id)
                failed = error if isinstance(error, RevalidError) else CommandNotStarted()
                end = CommandLost(command_id=command_id, started=again, error=failed)
        self._called_off.discard(command_id)
        if end is not None:
            self._report(end)

    async def _kill(self, handle: Handle, command_ids: tuple[int, ...]) -> None:
        """Tell them to end until they do: one between its claim and its start cannot hear it yet."""
        self._called_off |= self._commands.keys() & set(command_ids)
        for _ in range(KILLS):
            for command_id in command_ids:
                if command_id in self._commands:
                    await self._tell_to_end(handle, command_id)
            dying = [task for command_id, task in self._commands.items() if command_id in command_ids]
            if not dying:
                return
            await asyncio.wait(dying, timeout=SECONDS_A_KILL)

    async def _tell_to_end(self, handle: Handle, command_id: int) -> None:
        try:
            await self._means.sandboxes.kill(handle, command_id)
            reach("command killed")
        except SandboxError as error:
            log.warning("kill_failed", session=self._session_id, command=command_id, error=str(error))

    async def _tear_down(self, handle: Handle | None, running: tuple[int, ...], *, known: bool) -> None:
        # Holding this from the start keeps a new sandbox, after a Reopen, from being removed for the old one.
        async with self._building:
            if handle is not None:
                await self._kill(handle, running)
            try:
                await self._means.sandboxes.remove(self._session_id)
                reach("sandbox removed")
            except SandboxError as error:
                # The labels stay, so the next start finds and removes what is left.
                log.warning("removal_failed", session=self._session_id, error=str(error))
                return
            dying = [task for command_id, task in self._commands.items() if command_id in running]
            if dying:
                await asyncio.wait(dying, timeout=SECONDS_A_KILL)
        if known:
            self._report(SandboxGone())

    async def _check_sandbox(self, handle: Handle) -> None:
        try:
            await self._means.sandboxes.verify(handle)
        except SandboxLost:
            self._report(SandboxMissing(handle=handle))
        except SandboxError as error:
            # A lock that is not proven is found again, and told, before the next command.
            log.warning("sandbox_not_checked", session=self._session_id, error=str(error))

    async def _remove_leftovers(self) -> None:
        async with self._building:
            try:
                known, handle = await self._unneeded()
                await self._means.sandboxes.remove(self._session_id)
            except _Needed:
                return
            except RevalidError as error:
                # The labels stay, so the next look finds them again.
                log.warning("sandbox_not_reaped", session=self._session_id, error=str(error))
                return
        log.info("sandbox_reaped", session=self._session_id)
        if known:
            self._report(LeftoversRemoved(handle=handle))

    async def _unneeded(self) -> tuple[bool, Handle | None]:
        """Whether there is such a session, and its sandbox. Raises `_Needed` when it has a use for one."""
        async with self._means.db.read() as tx:
            try:
                view = await sessions.load(tx, self._session_id)
            except NotFound:
                return False, None
            handle = (await sessions.details(tx, self._session_id)).handle
        situation = view.situation
        if view.state in LIVE and (situation.sandbox or situation.activity is Activity.provisioning):
            raise _Needed
        return True, handle

    async def _draft_goal(self, by: str) -> None:
        means = self._means
        try:
            async with means.db.read() as tx:
                view = await sessions.load(tx, self._session_id)
                finding = await findings.load(tx, view.finding_id)
            goal = await means.agent.draft_goal(finding.finding)
        except Exception:
            log.exception("goal_failed", session=self._session_id)
            goal = ()
        self._report(GoalDrafted(by=by, goal=goal))
