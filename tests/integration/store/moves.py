"""A process that makes real moves on a database for as long as it lives: `python -m … FOLDER`."""

from __future__ import annotations

import asyncio
import sys
from itertools import count
from pathlib import Path

from engine.agent.port import Proposed, Said, TurnOutput, TurnRequest
from engine.agent.scripted import ScriptedAgent
from engine.findings.model import Finding, Severity
from engine.lifecycle import Input, State
from engine.retest import Retests
from engine.sandbox.scripted import Answer, ScriptedSandboxes
from engine.scope import Scope, Target
from engine.store.database import Database
from engine.store.outputs import FileOutputs
from engine.views import Ask

ALICE = "T1:U1ALICE"
SCOPE = Scope(targets=(Target(host="203.0.113.10", ports=(80,)),))
FINDING = Finding(format="manual", ref="1", title="A finding", severity=Severity.low)


def think(request: TurnRequest) -> TurnOutput:
    if request.answered is not None:
        return Said(text="What now?")
    return Proposed(tool_call_id="call", command=f"id {request.session_id}", rationale="", timeout_seconds=30)


async def opened(folder: Path) -> tuple[Database, FileOutputs, Retests]:
    db = await Database.open(f"sqlite+aiosqlite:///{folder / 'revalid.db'}")
    outputs = FileOutputs(folder / "outputs")
    sandboxes = ScriptedSandboxes(lambda text: Answer(stdout=text.encode()))
    retests = Retests(db=db, outputs=outputs, sandboxes=sandboxes, agent=ScriptedAgent(think))
    await retests.start()
    return db, outputs, retests


async def one_retest(retests: Retests) -> None:
    found = await retests.import_findings([FINDING], ALICE)
    finding = (*found.new, *found.known)[0]
    view = await retests.open(finding_id=finding.id, by=ALICE, goal=(), scope=SCOPE)
    await retests.ask(view.id, Ask(given=Input.message, by=ALICE, text="go"))
    await until(retests, view.id, State.awaiting_command)
    await retests.ask(view.id, Ask(given=Input.approve, by=ALICE))
    await until(retests, view.id, State.awaiting_operator)
    await retests.ask(view.id, Ask(given=Input.conclude, by=ALICE, status="still_open", text="as before"))


async def until(retests: Retests, session_id: int, state: State) -> None:
    watch = retests.feed.watch()
    try:
        while (await retests.session(session_id)).state is not state:
            await watch.next()
    finally:
        retests.feed.unwatch(watch)


async def main(folder: Path) -> None:
    _, _, retests = await opened(folder)
    for number in count(1):
        await one_retest(retests)
        sys.stdout.write(f"{number}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
