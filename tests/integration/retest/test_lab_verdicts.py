"""Every finding of the practice lab, retested for real: conductor, recorded steps, Docker, SQLite."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from engine.agent.models import RecordedSource
from engine.agent.pydantic_agent import PydanticAgent
from engine.findings.read import read_findings
from engine.lifecycle import LIVE, Input, State
from engine.retest import Retests, StoredOutputs
from engine.sandbox.docker_sandboxes import DockerSandboxes
from engine.scope import Scope
from engine.store.database import Database
from engine.store.outputs import FileOutputs
from engine.verify import verify_all
from engine.views import Ask, SessionView

pytestmark = pytest.mark.docker

ALICE = "T1:ALICE"
FINDINGS = Path(__file__).parents[3] / "deploy" / "lab" / "findings"
RIGHT: dict[str, dict[str, str]] = json.loads((FINDINGS / "verdicts.json").read_text())
AT_ONCE = 3


@asynccontextmanager
async def retests_on(network: str, folder: Path) -> AsyncIterator[tuple[Retests, Database, FileOutputs]]:
    db = await Database.open(f"sqlite+aiosqlite:///{folder / 'revalid.db'}")
    outputs = FileOutputs(folder / "outputs")
    sandboxes = DockerSandboxes(instance="lab-verdicts", networks=(network,))
    agent = PydanticAgent(source=RecordedSource(), read_output=StoredOutputs(db, outputs))
    retests = Retests(db=db, outputs=outputs, sandboxes=sandboxes, agent=agent)
    await retests.start()
    try:
        yield retests, db, outputs
    finally:
        for view in await retests.sessions(live=True):
            await retests.ask(view.id, Ask(given=Input.end, by=ALICE))
        await retests.close()
        for left in await sandboxes.list():
            await sandboxes.remove(left.session_id)
        await sandboxes.close()
        await db.close()


async def opened(retests: Retests, finding_id: int) -> SessionView:
    """A session on all the targets that the finding names, with a yes to each danger."""
    proposed = await retests.proposed_scope(finding_id)
    targets = [one.target.model_copy(update={"accepted": one.dangers}) for one in proposed]
    return await retests.open(finding_id=finding_id, by=ALICE, goal=(), scope=Scope(targets=tuple(targets)))


async def rested(retests: Retests, session_id: int) -> SessionView:
    """The session once it neither works nor waits for its own next step."""
    watch = retests.feed.watch()
    try:
        async with asyncio.timeout(60):
            while (view := await retests.session(session_id)).state in {State.idle, State.working}:
                await watch.next()
            return view
    finally:
        retests.feed.unwatch(watch)


@pytest.mark.parametrize("name", sorted(RIGHT))
async def test_auto_run_reaches_the_right_verdict_of_every_finding(
    lab: str, tmp_path: Path, name: str
) -> None:
    report = read_findings((FINDINGS / name).read_bytes(), name)
    async with retests_on(lab, tmp_path) as (retests, db, outputs):
        imported = await retests.import_findings(report.findings, ALICE)
        slots = asyncio.Semaphore(AT_ONCE)

        async def verdict(finding_id: int) -> str:
            async with slots:
                session = await opened(retests, finding_id)
                await retests.ask(session.id, Ask(given=Input.auto_on, by=ALICE))
                await retests.ask(session.id, Ask(given=Input.start, by=ALICE))
                view = await rested(retests, session.id)
                await retests.ask(view.id, Ask(given=Input.end, by=ALICE))
                return view.verdict.status if view.verdict else "none"

        got = await asyncio.gather(*(verdict(view.id) for view in imported.new))
        titles = [view.finding.title for view in imported.new]

        assert dict(zip(titles, got, strict=True)) == RIGHT[name]
        assert (await verify_all(db, outputs)).problems == ()


async def test_a_guided_retest_runs_one_command_a_turn_and_leaves_nothing_behind(
    lab: str, tmp_path: Path
) -> None:
    report = read_findings((FINDINGS / "generic.json").read_bytes(), "generic.json")
    async with retests_on(lab, tmp_path) as (retests, _, _):
        imported = await retests.import_findings(report.findings[:1], ALICE)
        session = await opened(retests, imported.new[0].id)
        words = ["Please retest this.", "Go on."]
        for text in words:
            await retests.ask(session.id, Ask(given=Input.message, by=ALICE, text=text))
            view = await rested(retests, session.id)
            assert view.state is State.awaiting_command
            assert view.waiting is not None
            approve = Ask(given=Input.approve, by=ALICE, command_id=view.waiting.id)
            await retests.ask(session.id, approve)
            view = await rested(retests, session.id)
            assert view.state is State.awaiting_operator
        kinds = [one.event.kind for one in await retests.events(session.id)]
        assert kinds[-2:] == ["determination_recommended", "state_changed"]
        assert (await retests.session(session.id)).state in LIVE

        done = await retests.ask(session.id, Ask(given=Input.conclude, by=ALICE, status="still_open"))
        watch = retests.feed.watch()
        async with asyncio.timeout(30):
            while (await retests.events(session.id))[-1].event.kind != "sandbox_removed":
                await watch.next()

        assert done.session.verdict is not None
        assert [exhibit.role for exhibit in done.session.verdict.exhibits] == ["replay", "control"]
        assert await DockerSandboxes(instance="lab-verdicts").list() == ()
