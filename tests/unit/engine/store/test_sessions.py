from __future__ import annotations

from dataclasses import replace

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from engine.errors import NotFound, RevisionConflict
from engine.lifecycle import Activity, Gate, Situation, State
from engine.sandbox.port import Handle
from engine.scope import Pin, Pinned
from engine.store import commands, sessions, verdicts
from engine.store.database import Database
from engine.views import CommandState, SessionView
from tests.unit.engine.store.conftest import NOW, CommandFactory, sample_finding

WORKING = Situation(
    state=State.working, activity=Activity.turn, auto_run=True, queued=2, carried=1, sandbox=True
)
PINNED = Pinned(pins=(Pin(host="shop.example.com", addresses=("203.0.113.10",), ports=(443,)),))
HANDLE = Handle(session_id=1, gateway_id="g", sandbox_id="s", pinned=PINNED, image="sha256:1")


async def test_a_session_opens_idle(session: SessionView) -> None:
    assert session.situation == Situation()
    assert (session.title, session.severity) == (sample_finding().title, "high")
    assert (session.goal, session.operator, session.others) == (("Log in", "Search for a quote"), "U1", ())
    assert (session.revision, session.events, session.created) == (0, 0, NOW)
    assert (session.verdict, session.waiting, session.pinned, session.working_since) == (None,) * 4


async def test_a_change_keeps_every_fact(db: Database, session: SessionView) -> None:
    async with db.begin() as tx:
        changed = await sessions.change(
            tx,
            session,
            situation=WORKING,
            operator="U2",
            others=("U3",),
            goal=("Only this",),
            sandbox=HANDLE,
            notices=("New goal.",),
            working_since=NOW,
        )
    async with db.read() as tx:
        loaded = await sessions.load(tx, session.id)
        details = await sessions.details(tx, session.id)
    assert loaded == changed
    assert loaded == replace(
        session,
        situation=WORKING,
        revision=1,
        operator="U2",
        others=("U3",),
        goal=("Only this",),
        pinned=PINNED,
        working_since=NOW,
    )
    assert details == sessions.Details(handle=HANDLE, notices=("New goal.",))


async def test_what_is_not_named_stays(db: Database, session: SessionView) -> None:
    async with db.begin() as tx:
        session = await sessions.change(tx, session, situation=WORKING, sandbox=HANDLE, notices=("One.",))
        session = await sessions.change(tx, session, situation=Situation())
        kept = await sessions.details(tx, session.id)
        session = await sessions.change(tx, session, situation=Situation(), sandbox=None)
        gone = await sessions.details(tx, session.id)
    assert kept == sessions.Details(handle=HANDLE, notices=("One.",))
    assert gone == sessions.Details(handle=None, notices=("One.",))
    assert session.revision == 3


async def test_a_change_made_on_an_old_revision_is_refused(db: Database, session: SessionView) -> None:
    async with db.begin() as tx:
        await sessions.change(tx, session, situation=WORKING)
    with pytest.raises(RevisionConflict):
        async with db.begin() as tx:
            await sessions.change(tx, session, situation=Situation(state=State.ended), operator="U9")
    async with db.read() as tx:
        loaded = await sessions.load(tx, session.id)
    assert (loaded.state, loaded.operator, loaded.revision) == (State.working, "U1", 1)


@pytest.mark.parametrize("state", [CommandState.proposed, CommandState.held])
async def test_the_proposal_at_the_gate_is_shown(
    db: Database, session: SessionView, command: CommandFactory, state: CommandState
) -> None:
    await command(state=CommandState.finished)
    waiting = await command("id", state)
    async with db.read() as tx:
        loaded = await sessions.load(tx, session.id)
    assert (loaded.waiting, loaded.running) == (waiting, ())


async def test_every_command_in_flight_is_shown(
    db: Database, session: SessionView, command: CommandFactory
) -> None:
    running = await command(state=CommandState.running)
    claimed = await command(state=CommandState.claimed)
    async with db.read() as tx:
        loaded = await sessions.load(tx, session.id)
    assert (loaded.waiting, loaded.running) == (None, (running, claimed))


async def test_a_verdict_is_shown_while_it_stands(db: Database, session: SessionView) -> None:
    over = Situation(state=State.concluded)
    async with db.begin() as tx:
        given = await verdicts.append(
            tx,
            finding_id=session.finding_id,
            session_id=session.id,
            status="fixed",
            reason="operator_conclusion",
            rationale="",
            by="U1",
            supersedes=None,
            exhibits=(),
            at=NOW,
        )
        concluded = await sessions.change(tx, session, situation=over, verdict_id=given.id)
        await verdicts.withdraw(tx, given.id, by="U2", at=NOW)
        after = await sessions.load(tx, session.id)
    assert concluded.verdict == given
    assert after.verdict is None


async def test_sessions_are_found_by_operator_finding_and_life(db: Database, session: SessionView) -> None:
    async with db.begin() as tx:
        second = await sessions.insert(
            tx,
            finding_id=session.finding_id,
            operator="U2",
            goal=(),
            scope=session.scope,
            restarted_from=session.id,
            others=("U3",),
            at=NOW,
        )
        session = await sessions.change(
            tx, session, situation=Situation(state=State.ended), restarted_as=second.id
        )
        assert (session.restarted_as, second.restarted_from, second.others) == (2, 1, ("U3",))
        assert await sessions.live(tx) == (second,)
        assert await sessions.search(tx) == (second, session)
        assert await sessions.search(tx, live=True) == (second,)
        assert await sessions.search(tx, live=False) == (session,)
        assert await sessions.search(tx, operator="U1") == (session,)
        assert await sessions.search(tx, finding_id=session.finding_id, limit=1) == (second,)
        assert await sessions.search(tx, finding_id=77) == ()


async def test_proposals_of_other_sessions_do_not_show(
    db: Database, session: SessionView, command: CommandFactory
) -> None:
    mine = await command()
    async with db.begin() as tx:
        other = await sessions.insert(
            tx, finding_id=session.finding_id, operator="U2", goal=(), scope=session.scope, at=NOW
        )
        assert other.waiting is None
        assert [view.waiting for view in await sessions.live(tx)] == [mine, None]


async def test_an_unknown_number_is_named(db: Database) -> None:
    async with db.read() as tx:
        with pytest.raises(NotFound, match="no session R-42"):
            await sessions.load(tx, 42)
        with pytest.raises(NotFound, match="no session R-42"):
            await sessions.details(tx, 42)


async def test_a_situation_of_an_older_version_can_be_read(db: Database, session: SessionView) -> None:
    async with db.begin() as tx:
        await tx.execute(text("""UPDATE sessions SET situation = '{"gate": "held", "gone_since": 1}'"""))
        loaded = await sessions.load(tx, session.id)
    assert loaded.situation == Situation(gate=Gate.held)


async def test_a_command_moved_in_the_same_transaction_shows(
    db: Database, session: SessionView, command: CommandFactory
) -> None:
    waiting = await command()
    async with db.begin() as tx:
        before = await sessions.load(tx, session.id)
        await commands.move(tx, waiting.id, frozenset({CommandState.proposed}), CommandState.claimed)
        after = await sessions.load(tx, session.id)
    assert before.waiting == waiting
    assert after.waiting is None
    assert [running.id for running in after.running] == [waiting.id]


async def test_a_start_goes_on_with_what_is_in_flight_or_left_over(
    db: Database, session: SessionView
) -> None:
    async def opened(tx: AsyncSession) -> SessionView:
        return await sessions.insert(
            tx, finding_id=session.finding_id, operator="U1", goal=(), scope=session.scope, at=NOW
        )

    async with db.begin() as tx:
        working, left_over, over, resting, running = [await opened(tx) for _ in range(5)]
        await sessions.change(tx, working, situation=WORKING)
        await sessions.change(tx, left_over, situation=Situation(state=State.ended), sandbox=HANDLE)
        await sessions.change(tx, over, situation=Situation(state=State.ended))
        await sessions.change(tx, resting, situation=Situation(state=State.awaiting_operator), sandbox=HANDLE)
        await commands.insert(
            tx,
            session_id=running.id,
            origin="operator",
            text="id",
            timeout_seconds=5,
            digest="d" * 64,
            state=CommandState.running,
            at=NOW,
        )
        assert await sessions.unfinished(tx) == (working.id, left_over.id, running.id)
