"""The retests of one installation: open them, ask things of them, read them back.

Everything that changes a session goes through its worker; everything read comes from the database.
"""

from __future__ import annotations

import asyncio
import codecs
from collections.abc import Sequence
from datetime import UTC, datetime

import structlog

from engine import scope as scopes
from engine.agent.port import Agent, Determined, OutputPiece
from engine.archive import Archive
from engine.dangers import Danger
from engine.errors import NotFound, SandboxError, ScopeError, StoreError
from engine.faults import reach
from engine.feed import Feed
from engine.ledger.control import opened
from engine.means import Means, Patience
from engine.reconcile import Reconciler
from engine.retention import why_missing
from engine.sandbox.port import Sandboxes
from engine.scope import Scope
from engine.store import asked, commands, events, findings, sessions
from engine.store.database import Database
from engine.store.errors import OutputMissing
from engine.store.outputs import Outputs
from engine.turn import missing
from engine.views import (
    RAN,
    Answer,
    Ask,
    ProposedTarget,
    SessionView,
    Status,
)
from engine.worker import SHUTTING_DOWN, Worker

log = structlog.get_logger()

PIECE_BYTES = 32 << 10
CROWD = 256
"""Workers kept before those with nothing to do are let go."""


class Retests(Archive):
    """The engine's whole API. Raises `RevalidError` kinds only."""

    def __init__(
        self,
        *,
        db: Database,
        outputs: Outputs,
        sandboxes: Sandboxes,
        agent: Agent,
        feed: Feed | None = None,
        patience: Patience | None = None,
    ) -> None:
        super().__init__(db=db, outputs=outputs)
        self.feed = feed or Feed()
        self._sandboxes = sandboxes
        self._agent = agent
        self._means = Means(
            db=db,
            outputs=outputs,
            sandboxes=sandboxes,
            agent=agent,
            feed=self.feed,
            patience=patience or Patience(),
        )
        self._workers: dict[int, Worker] = {}
        self._crowded = CROWD
        self._reconciler = Reconciler(self._means, self._worker)
        self._closed = False

    async def start(self) -> None:
        """Go on where the last process stopped: turns, commands, sandboxes to build or to remove.

        Without a Docker engine it starts all the same, and goes on with what needs one when it is back.
        """
        async with self._db.begin() as tx:
            await asked.forget(tx, datetime.now(UTC) - asked.KEPT)
        await self._reconciler.start()

    async def reconcile(self) -> None:
        """Remove sandboxes that no session needs, and tell sessions whose sandbox is gone.

        Raises `EngineUnavailable`, `StoreError`.
        """
        await self._reconciler.look()

    def rest(self) -> None:
        """Begin no turn, command or sandbox from now on; what is asked is stored for the next start."""
        self._means.resting.set()

    async def close(self) -> None:
        """Store what is in hand and stop. Running commands go on and are found again by `start`."""
        self._closed = True
        await self._reconciler.close()
        await asyncio.gather(*(worker.close() for worker in self._workers.values()))

    async def proposed_scope(self, finding_id: int) -> tuple[ProposedTarget, ...]:
        """The targets a finding names, looked up now, each with what a person has to say yes to."""
        found = await self.finding(finding_id)
        scope = await scopes.look_up(scopes.propose(found.finding), self._sandboxes.resolve)
        asked = {target.host: dangers for target, dangers in scopes.unconfirmed(scope)}
        nothing: frozenset[Danger] = frozenset()
        return tuple(
            [
                ProposedTarget(
                    target=target,
                    dangers=asked.get(target.host, nothing),
                    addresses=await self._addresses(target.host),
                )
                for target in scope.targets
            ]
        )

    async def _addresses(self, host: str) -> tuple[str, ...]:
        try:
            return await self._sandboxes.resolve(host)
        except (ScopeError, SandboxError):
            return ()

    async def draft_goal(self, finding_id: int) -> tuple[str, ...]:
        """A few steps for the operator to edit before opening a session."""
        return await self._agent.draft_goal((await self.finding(finding_id)).finding)

    async def open(
        self, *, finding_id: int, by: str, goal: Sequence[str], scope: Scope, key: str = ""
    ) -> SessionView:
        """Open a session, `idle`, for the person who asked; once for each `key` that is not empty.

        Raises:
            ScopeError: A target has no port, or a danger that nobody said yes to.
        """
        scopes.check(scope)
        async with self._db.begin() as tx:
            if known := await asked.recall(tx, key):
                return await sessions.load(tx, known["session"])
            view = await sessions.insert(
                tx, finding_id=finding_id, operator=by, goal=goal, scope=scope, at=datetime.now(UTC)
            )
            await asked.keep(tx, key, {"session": view.id}, datetime.now(UTC))
            await events.append(tx, view.id, by, [opened(view)], datetime.now(UTC))
            view = await sessions.load(tx, view.id)
            reach("session about to be stored")
        reach("session stored")
        self.feed.touch(view.id)
        return view

    async def ask(self, session_id: int, ask: Ask) -> Answer:
        """Have a session do something, or take a message; see `Input` for what there is."""
        return await self._worker(session_id).ask(ask)

    async def missing(self, session_id: int, status: Status) -> tuple[str, ...]:
        """What the rules of evidence would still want, were every command that ran its proof."""
        if status == "inconclusive":
            return ()
        async with self._db.read() as tx:
            view = await sessions.load(tx, session_id)
            finding = (await findings.load(tx, view.finding_id)).finding
            ran = [one for one in await commands.of_session(tx, session_id) if one.state in RAN]
        alive = {step.command for step in finding.control}
        control = tuple(one.id for one in ran if one.text in alive)
        evidence = tuple(one.id for one in ran if one.text not in alive)
        claim = Determined(status=status, rationale="", evidence=evidence, control=control)
        return await missing(self._db, self._outputs, session_id, claim)

    def _worker(self, session_id: int) -> Worker:
        worker = self._workers.get(session_id)
        if worker is None:
            if self._closed:
                raise StoreError(SHUTTING_DOWN)
            if len(self._workers) >= self._crowded:
                self._workers = {number: one for number, one in self._workers.items() if not one.idle}
                # Twice what is busy, so that the sweep costs the same however many there are.
                self._crowded = max(CROWD, 2 * len(self._workers))
            worker = self._workers[session_id] = Worker(session_id, self._means)
        return worker


class StoredOutputs:
    """Reads a kept output for the agent, a piece at a time."""

    def __init__(self, db: Database, outputs: Outputs) -> None:
        self._db = db
        self._outputs = outputs

    async def __call__(self, session_id: int, command_id: int, offset: int) -> OutputPiece:
        """Up to 32 KiB of a command's standard output, from a byte offset."""
        async with self._db.read() as tx:
            command = await commands.load(tx, command_id)
        if command.session_id != session_id or command.stdout_sha256 is None:
            raise NotFound(f"C-{command_id} has no output in this session.")
        try:
            data = await self._outputs.read(command.stdout_sha256, offset, PIECE_BYTES)
        except OutputMissing as error:
            raise await why_missing(self._db, command.stdout_sha256) from error
        at_end = offset + len(data) >= command.stdout_bytes
        # A character cut in two would read as damage, so what is begun is left for the next piece.
        decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        text = decoder.decode(data, final=at_end)
        after = offset + len(data) - len(decoder.getstate()[0])
        return OutputPiece(
            text=text,
            next_offset=after if after < command.stdout_bytes else None,
            total=command.stdout_bytes,
        )
