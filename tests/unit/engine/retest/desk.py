"""A session on the bench: the real conductor and database, scripted sandbox and agent."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from engine.agent.port import Agent, Determined, Proposed, Said, TurnRequest
from engine.agent.scripted import ScriptedAgent, Step
from engine.findings.model import Endpoint, Finding, Matcher, RecordedStep, Severity
from engine.lifecycle import Input, State
from engine.means import Patience
from engine.retest import Retests
from engine.sandbox.scripted import Answer as Does
from engine.sandbox.scripted import ScriptedSandboxes
from engine.scope import Scope, Target
from engine.store.database import Database
from engine.store.outputs import MemoryOutputs
from engine.views import Answer, Ask, CommandView, SessionView

ALICE = "T1:ALICE"
REPLAY = "curl -sS -i http://shop.example.com:8080/search?q=%27"
CONTROL = "curl -sS -i http://shop.example.com:8080/"
FINDING = Finding(
    format="manual",
    ref="1",
    title="SQL injection in search",
    severity=Severity.high,
    endpoints=(Endpoint(scheme="http", host="shop.example.com", port=8080, path="/search"),),
    replay=(RecordedStep(command=REPLAY, matchers=(Matcher(type="word", values=("SQL syntax",)),)),),
    control=(RecordedStep(command=CONTROL),),
)
SCOPE = Scope(targets=(Target(host="shop.example.com", ports=(8080,)),))


def propose(command: str, call: str = "call") -> Proposed:
    return Proposed(tool_call_id=call, command=command, rationale="to see", timeout_seconds=30)


def say(text: str) -> Said:
    return Said(text=text)


def determine(status: Any, *, evidence: tuple[int, ...] = (), control: tuple[int, ...] = ()) -> Determined:
    return Determined(status=status, rationale="as seen", evidence=evidence, control=control)


@dataclass
class Desk:
    db: Database
    outputs: MemoryOutputs
    sandboxes: ScriptedSandboxes
    agent: ScriptedAgent
    retests: Retests
    answers: dict[str, Does]
    """What commands do; one that is not in here prints "ok"."""
    session_id: int = 0

    @property
    def executed(self) -> list[str]:
        return [command.text for command in self.sandboxes.executed]

    async def ask(self, given: Input, **words: Any) -> Answer:
        return await self.retests.ask(self.session_id, Ask(given=given, by=ALICE, **words))

    async def message(self, text: str) -> Answer:
        return await self.ask(Input.message, text=text)

    async def session(self) -> SessionView:
        return await self.retests.session(self.session_id)

    async def until(self, holds: Callable[[SessionView], bool]) -> SessionView:
        """Wait for the session to be so; wakes on each change, never polls."""
        watch = self.retests.feed.watch()
        try:
            async with asyncio.timeout(30):
                while not holds(view := await self.session()):
                    await watch.next()
                return view
        finally:
            self.retests.feed.unwatch(watch)

    async def until_state(self, state: State) -> SessionView:
        return await self.until(lambda view: view.state is state)

    async def until_event(self, kind: str, count: int = 1) -> Any:
        """The event of this kind, once it is there that many times."""
        watch = self.retests.feed.watch()
        try:
            async with asyncio.timeout(30):
                while len(found := await self.events(kind)) < count:
                    await watch.next()
                return found[-1]
        finally:
            self.retests.feed.unwatch(watch)

    async def events(self, kind: str) -> list[Any]:
        recorded = await self.retests.events(self.session_id)
        return [one.event for one in recorded if one.event.kind == kind]

    async def kinds(self) -> list[str]:
        return [one.event.kind for one in await self.retests.events(self.session_id)]

    async def waiting(self) -> CommandView:
        view = await self.until(lambda view: view.waiting is not None)
        assert view.waiting is not None
        return view.waiting

    async def approve(self) -> Answer:
        return await self.ask(Input.approve, command_id=(await self.waiting()).id)

    async def command(self, number: int = -1) -> CommandView:
        return (await self.retests.commands(self.session_id))[number]

    async def open(self) -> SessionView:
        imported = await self.retests.import_findings([FINDING], ALICE)
        finding = (*imported.new, *imported.known)[0]
        view = await self.retests.open(finding_id=finding.id, by=ALICE, goal=("Search",), scope=SCOPE)
        self.session_id = view.id
        return view

    async def reborn(self, agent: ScriptedAgent | None = None, *, real: Agent | None = None) -> None:
        """Stop cleanly and start a new conductor on the same database and sandboxes."""
        await self.retests.close()
        self.agent = agent or self.agent
        thinks = real or self.agent
        self.retests = Retests(db=self.db, outputs=self.outputs, sandboxes=self.sandboxes, agent=thinks)
        await self.retests.start()


@asynccontextmanager
async def desk(
    script: Iterable[Step] | Callable[[TurnRequest], Step],
    *,
    real: Agent | None = None,
    patience: Patience | None = None,
) -> AsyncIterator[Desk]:
    """A desk with a session opened, `idle`; all is closed after. `real` plays instead of the script."""
    db = await Database.open("sqlite+aiosqlite:///:memory:")
    answers: dict[str, Does] = {}
    sandboxes = ScriptedSandboxes(
        lambda text: answers.get(text, Does(stdout=b"ok")), names={"shop.example.com": ("203.0.113.10",)}
    )
    agent, outputs = ScriptedAgent(script), MemoryOutputs()
    retests = Retests(db=db, outputs=outputs, sandboxes=sandboxes, agent=real or agent, patience=patience)
    await retests.start()
    made = Desk(db, outputs, sandboxes, agent, retests, answers)
    await made.open()
    try:
        yield made
    finally:
        await made.retests.close()
        await db.close()
