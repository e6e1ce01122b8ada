"""What sessions cost one process in memory: 1,000 parked, then 100 working, then a lot of finished work.

Run by `python -m tests.benchmarks.memory`. The sandbox is scripted and the agent replays recorded steps, so
what is measured is the engine's own. Growth is taken between two equal rounds of work, each of sessions that
are opened, worked through and concluded, after a first round has filled every cache.
"""

from __future__ import annotations

import asyncio
import gc
import os
import tempfile
from pathlib import Path

from engine.agent.models import RecordedSource
from engine.agent.pydantic_agent import PydanticAgent
from engine.findings.model import Endpoint, Finding, Matcher, RecordedStep
from engine.lifecycle import Input, State
from engine.retest import Retests, StoredOutputs
from engine.sandbox.scripted import Answer, ScriptedSandboxes
from engine.scope import Scope, Target
from engine.store.database import Database
from engine.store.outputs import FileOutputs
from engine.views import Ask, SessionView

PARKED, WORKING, ROUND = 1000, 100, 300
WHO = "T1:U1"
HOST = "app.example.com"
PROOF, ALIVE = f"curl -i http://{HOST}:8080/?q=%27", f"curl -i http://{HOST}:8080/"
FINDING = Finding(
    format="manual",
    ref="1",
    title="SQL injection",
    endpoints=(Endpoint(scheme="http", host=HOST, port=8080),),
    replay=(RecordedStep(command=PROOF, matchers=(Matcher(type="word", values=("SQL syntax",)),)),),
    control=(RecordedStep(command=ALIVE),),
)
SCOPE = Scope(targets=(Target(host=HOST, ports=(8080,)),))


def rss() -> int:
    """Resident bytes of this process."""
    gc.collect()
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


async def rested(retests: Retests, session_id: int, *, until: frozenset[State]) -> SessionView:
    """The session once it is in one of the states."""
    watch = retests.feed.watch()
    try:
        while (view := await retests.session(session_id)).state not in until:
            await watch.next()
        return view
    finally:
        retests.feed.unwatch(watch)


async def opened(retests: Retests, finding_id: int) -> int:
    """A session that has built its sandbox and waits at the gate."""
    view = await retests.open(finding_id=finding_id, by=WHO, goal=(), scope=SCOPE)
    await retests.ask(view.id, Ask(given=Input.start, by=WHO))
    await rested(retests, view.id, until=frozenset({State.awaiting_command}))
    return view.id


async def work(retests: Retests, finding_id: int, count: int) -> None:
    """Sessions from opening to verdict, one after the other."""
    for _ in range(count):
        session_id = await opened(retests, finding_id)
        await retests.ask(session_id, Ask(given=Input.auto_on, by=WHO))
        await rested(retests, session_id, until=frozenset({State.concluded, State.awaiting_operator}))
        await retests.ask(session_id, Ask(given=Input.end, by=WHO))


async def main() -> None:
    """Measure and print."""
    hanging = asyncio.Event()

    def does(text: str) -> Answer:
        reply = b"HTTP/1.1 200 OK\r\n\r\nwelcome"
        return Answer(stdout=reply, hang=hanging.is_set())

    with tempfile.TemporaryDirectory() as folder:
        db = await Database.open(f"sqlite+aiosqlite:///{Path(folder) / 'revalid.db'}")
        outputs = FileOutputs(Path(folder) / "outputs")
        agent = PydanticAgent(source=RecordedSource(), read_output=StoredOutputs(db, outputs))
        sandboxes = ScriptedSandboxes(does, names={HOST: ("203.0.113.10",)})
        retests = Retests(db=db, outputs=outputs, sandboxes=sandboxes, agent=agent)
        finding_id = (await retests.import_findings([FINDING], WHO)).new[0].id

        await work(retests, finding_id, ROUND)
        warm = rss()
        await work(retests, finding_id, ROUND)
        print(
            f"growth in {ROUND} sessions of finished work: {(rss() - warm) / ROUND / 1024:.1f} KiB a session"
        )

        before = rss()
        parked = [await opened(retests, finding_id) for _ in range(PARKED)]
        print(f"parked at the gate:  {(rss() - before) / PARKED / 1024:6.1f} KiB a session ({PARKED})")

        hanging.set()
        before = rss()
        for session_id in parked[:WORKING]:
            view = await retests.session(session_id)
            assert view.waiting is not None
            await retests.ask(session_id, Ask(given=Input.approve, by=WHO, command_id=view.waiting.id))
            await sandboxes.until_running(view.waiting.id)
        print(f"running a command:   {(rss() - before) / WORKING / 1024:6.1f} KiB a session more ({WORKING})")
        print(f"whole process:       {rss() / (1 << 20):6.1f} MiB")
        await retests.close()
        await db.close()


if __name__ == "__main__":
    asyncio.run(main())
