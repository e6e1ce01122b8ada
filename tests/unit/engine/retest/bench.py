"""A session whose agent, sandbox and database move only when told to, and all that must hold of it."""

from __future__ import annotations

import asyncio
import json
from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from engine.agent.port import TurnOutput, TurnReply, TurnRequest
from engine.errors import RevalidError, StoreError
from engine.findings.model import Finding
from engine.lifecycle import LIVE, Activity, Gate, Input, State
from engine.retest import Retests
from engine.sandbox.port import Handle
from engine.sandbox.scripted import Answer as Does
from engine.sandbox.scripted import ScriptedSandboxes
from engine.scope import Pinned
from engine.store import history, messages, sessions
from engine.store.database import Database
from engine.store.outputs import MemoryOutputs
from engine.verify import verify_session
from engine.views import IN_FLIGHT, Ask, CommandState
from tests.unit.engine.retest.desk import ALICE, FINDING, SCOPE


class SteppedDatabase:
    """One transaction at a time, counted, so that an interleaving is the same each time; may be away."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._one = asyncio.Lock()
        self.busy = 0
        self.finished = 0
        self.away = 0
        """How many of the next writes fail."""
        self._moved = asyncio.Event()

    @asynccontextmanager
    async def _counted(self, transaction: Any) -> AsyncIterator[AsyncSession]:
        self.busy += 1
        try:
            async with self._one, transaction as tx:
                yield tx
        finally:
            self.busy -= 1
            self.finished += 1
            self._moved.set()

    @asynccontextmanager
    async def begin(self) -> AsyncIterator[AsyncSession]:
        if self.away:
            self.away -= 1
            raise StoreError
        async with self._counted(self._db.begin()) as tx:
            yield tx

    def read(self) -> Any:
        return self._counted(self._db.read())

    async def moved(self) -> None:
        self._moved.clear()
        await self._moved.wait()


class SteppedAgent:
    """Turns wait until they are told what to come to. The history tells what each stored turn was given."""

    def __init__(self) -> None:
        self.thinking: list[tuple[int, asyncio.Future[TurnOutput]]] = []
        """The turns in flight, each with its session."""
        self.faults: list[str] = []
        self.turns = 0

    async def take_turn(self, request: TurnRequest) -> TurnReply:
        entries = json.loads(request.history)
        call = entries[-1]["call"] if entries else None
        answered = request.answered.tool_call_id if request.answered else None
        if call != answered:
            self.faults.append(f"the history ends in {call} and is answered for {answered}")
        self.turns += 1
        turn: asyncio.Future[TurnOutput] = asyncio.get_running_loop().create_future()
        self.thinking.append((request.session_id, turn))
        try:
            output = await turn
        finally:
            self.thinking.remove((request.session_id, turn))
        seen = [one.command_id for one in request.operator_commands]
        entry = {
            "call": getattr(output, "tool_call_id", None),
            "messages": request.messages,
            "seen": seen,
            "notices": request.notices,
        }
        kept = json.dumps([*entries, entry]).encode()
        return TurnReply(output=output, history=kept, usage={}, model="stepped")

    async def draft_goal(self, finding: Finding) -> tuple[str, ...]:
        return ("Look again",)


class SteppedSandboxes(ScriptedSandboxes):
    """Commands and builds hang until they are told to end."""

    def __init__(self) -> None:
        super().__init__(
            lambda _: Does(stdout=b"SQL syntax", hang=True), names={"shop.example.com": ("203.0.113.10",)}
        )
        self.building: list[asyncio.Future[None]] = []

    async def create(self, session_id: int, pinned: Pinned) -> Handle:
        gate: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.building.append(gate)
        try:
            await gate
            return await super().create(session_id, pinned)
        finally:
            self.building.remove(gate)

    def holds(self, handle: Handle) -> bool:
        sandbox = self._sandboxes.get(handle.session_id)
        return sandbox is not None and sandbox.handle == handle

    def die(self, session_id: int) -> None:
        if session_id in self._sandboxes:
            self.lose(session_id)


class Bench:
    """One session after another on one database."""

    def __init__(self, db: Database) -> None:
        self.db = SteppedDatabase(db)
        self.outputs = MemoryOutputs()
        self.agent, self.sandboxes = SteppedAgent(), SteppedSandboxes()
        self.session_id = 0
        self.sent: defaultdict[int, list[str]] = defaultdict(list)
        """Messages that each session took."""
        self._asked: list[asyncio.Task[Any]] = []
        self._calls = self._written = 0

    async def open(self) -> None:
        self.retests = self._conductor()
        await self.retests.start()
        imported = await self.retests.import_findings([FINDING], ALICE)
        finding = (*imported.new, *imported.known)[0]
        view = await self.retests.open(finding_id=finding.id, by=ALICE, goal=("Search",), scope=SCOPE)
        self.session_id = view.id

    def _conductor(self) -> Retests:
        return Retests(db=self.db, outputs=self.outputs, sandboxes=self.sandboxes, agent=self.agent)  # type: ignore[arg-type]

    def ask(self, given: Input, **words: Any) -> None:
        """Ask and go on at once."""
        if given is Input.message:
            self._written += 1
            words = {"text": f"message {self._written}"}
        work = self._ask(self.session_id, Ask(given=given, by=ALICE, **words))
        self._asked.append(asyncio.create_task(work))

    async def _ask(self, session_id: int, ask: Ask) -> None:
        try:
            answer = await self.retests.ask(session_id, ask)
        except RevalidError:
            return
        assert answer.sentence.endswith("."), answer.sentence
        if not answer.done:
            return
        if ask.given is Input.message and answer.session.state in LIVE:
            self.sent[session_id].append(ask.text)
        if answer.fresh is not None:
            self.session_id = answer.fresh.id

    @property
    def ran(self) -> tuple[int, ...]:
        return tuple(command.id for command in self.sandboxes.executed)

    def next_call(self) -> str:
        self._calls += 1
        return f"call-{self._calls}"

    def turn_ends(self, output: TurnOutput | Exception) -> None:
        for _, turn in self.agent.thinking:
            if not turn.done():
                turn.set_exception(output) if isinstance(output, Exception) else turn.set_result(output)

    def command_ends(self) -> None:
        for command in self.sandboxes.executed:
            self.sandboxes.release(command.id)

    def build_ends(self) -> None:
        for gate in self.sandboxes.building:
            if not gate.done():
                gate.set_result(None)

    def sandbox_dies(self) -> None:
        self.sandboxes.die(self.session_id)

    async def reborn(self) -> None:
        """Stop cleanly and start again."""
        await self.retests.close()
        self.retests = self._conductor()
        await self.retests.start()

    async def one_transaction(self) -> None:
        """Go on for as long as one transaction takes, if there is one."""
        await _yield()
        if self.db.busy:
            await self.db.moved()

    async def quiet(self) -> None:
        """Until nothing moves any more that is not held back by this bench."""
        before = None
        while self.db.busy or before != (self.db.finished, self.db.away):
            before = self.db.finished, self.db.away
            if self.db.busy:
                await self.db.moved()
            await _yield()
        for asked in self._asked:
            assert asked.done(), "somebody was not answered"
            asked.result()
        self._asked.clear()

    async def told(self) -> list[dict[str, Any]]:
        """What each stored turn was given, oldest first."""
        async with self.db.read() as tx:
            stored: list[dict[str, Any]] = json.loads(await history.load(tx, self.session_id))
        return stored

    async def check(self) -> None:
        """Everything that must hold of a session that rests."""
        async with self.db.read() as tx:
            view = await sessions.load(tx, self.session_id)
            handle = (await sessions.details(tx, self.session_id)).handle
            queued = [one.text for one in await messages.queued(tx, self.session_id)]
            carried = [one.text for one in await messages.carried(tx, self.session_id)]
            turns = json.loads(await history.load(tx, self.session_id))
        commands = await self.retests.commands(self.session_id)
        s = view.situation
        delivered = [text for turn in turns for text in turn["messages"]]
        assert self.agent.faults == []
        assert (s.queued, s.carried) == (len(queued), len(carried))
        assert sorted(delivered + carried + queued) == sorted(self.sent[self.session_id])
        seen = [number for turn in turns for number in turn["seen"]]
        assert len(seen) == len(set(seen))
        ran = [one.id for one in self.sandboxes.executed]
        assert len(ran) == len(set(ran))

        unended = [one for one in commands if one.state in IN_FLIGHT | {CommandState.approved}]
        of_agent = [one for one in unended if one.origin == "agent"]
        assert len(of_agent) == (s.activity is Activity.command)
        assert s.operator_command == (len(unended) > len(of_agent))
        assert (s.state is State.working) == (s.activity is not Activity.nothing)
        thinking = [number for number, _ in self.agent.thinking if number == self.session_id]
        assert len(thinking) == (s.activity is Activity.turn)
        assert s.activity is not Activity.provisioning or self.sandboxes.building
        waiting = view.waiting.state if view.waiting else None
        expected = {Gate.open: CommandState.proposed, Gate.held: CommandState.held}.get(s.gate)
        assert waiting == expected
        assert (s.gate is Gate.open) == (s.state is State.awaiting_command)
        assert (s.gate is Gate.approved) == (s.activity is Activity.command)
        assert (s.state is State.concluded) == (view.verdict is not None)
        if not self.sandboxes.building:
            assert s.sandbox == (handle is not None)
            assert handle is None or self.sandboxes.holds(handle)
        if s.state in {State.idle, State.concluded, State.ended} and not self.sandboxes.building:
            assert self.session_id not in [one.session_id for one in await self.sandboxes.list()]
        assert (await verify_session(self.db, self.outputs, self.session_id)).problems == ()  # type: ignore[arg-type]

    async def close(self) -> None:
        """End the session, with nothing left of it."""
        if (await self.retests.session(self.session_id)).state in LIVE:
            self.ask(Input.end)
        self.db.away = 0
        await self.quiet()
        self.build_ends()
        await self.quiet()
        await self.check()
        await self.retests.close()


async def _yield() -> None:
    """Let everything run that is ready to; no chain between two transactions is nearly as long."""
    for _ in range(30):
        await asyncio.sleep(0)
