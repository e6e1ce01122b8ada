from __future__ import annotations

import pytest

from engine.errors import NotFound
from engine.store import sessions, verdicts
from engine.store.database import Database
from engine.views import Exhibit, SessionView, Status, VerdictView
from tests.unit.engine.store.conftest import NOW

EXHIBIT = Exhibit(
    command_id=3,
    role="replay",
    command="curl -s https://shop.example.com/",
    outcome="exited",
    exit_code=0,
    stdout_sha256="a" * 64,
    stderr_sha256="b" * 64,
)


async def give(
    db: Database, session: SessionView, status: Status = "fixed", supersedes: int | None = None
) -> VerdictView:
    async with db.begin() as tx:
        return await verdicts.append(
            tx,
            finding_id=session.finding_id,
            session_id=session.id,
            status=status,
            reason="operator_conclusion",
            rationale="The quote is escaped now.",
            by="U1",
            supersedes=supersedes,
            exhibits=(EXHIBIT,),
            at=NOW,
        )


async def second_session(db: Database, first: SessionView) -> SessionView:
    async with db.begin() as tx:
        return await sessions.insert(
            tx, finding_id=first.finding_id, operator="U1", goal=(), scope=first.scope, at=NOW
        )


async def test_a_verdict_is_kept_with_its_exhibits(db: Database, session: SessionView) -> None:
    given = await give(db, session)
    async with db.read() as tx:
        assert await verdicts.load(tx, given.id) == given
        assert await verdicts.current(tx, session.finding_id) == given
    assert given.exhibits == (EXHIBIT,)
    assert (given.status, given.by, given.at, given.withdrawn_by) == ("fixed", "U1", NOW, None)


async def test_a_later_verdict_stands_and_the_earlier_stays(db: Database, session: SessionView) -> None:
    first = await give(db, session)
    second = await give(db, session, "still_open", supersedes=first.id)
    async with db.read() as tx:
        assert await verdicts.current(tx, session.finding_id) == second
        assert await verdicts.of_finding(tx, session.finding_id) == (first, second)
        assert await verdicts.of_session(tx, session.id) == (first, second)


async def test_a_withdrawn_verdict_is_kept_and_marked(db: Database, session: SessionView) -> None:
    given = await give(db, session)
    async with db.begin() as tx:
        await verdicts.withdraw(tx, given.id, by="U2", at=NOW)
        assert await verdicts.current(tx, session.finding_id) is None
        (kept,) = await verdicts.of_finding(tx, session.finding_id)
    assert (kept.id, kept.withdrawn_by) == (given.id, "U2")


async def test_withdrawing_the_last_word_of_a_session_withdraws_its_earlier_ones(
    db: Database, session: SessionView
) -> None:
    first = await give(db, session)
    second = await give(db, session, "still_open", supersedes=first.id)
    async with db.begin() as tx:
        await verdicts.withdraw(tx, second.id, by="U2", at=NOW)
        assert await verdicts.current(tx, session.finding_id) is None


async def test_an_earlier_session_stands_again_when_a_later_one_is_withdrawn(
    db: Database, session: SessionView
) -> None:
    first = await give(db, session)
    second = await give(db, await second_session(db, session), "still_open", supersedes=first.id)
    async with db.begin() as tx:
        await verdicts.withdraw(tx, second.id, by="U2", at=NOW)
        assert await verdicts.current(tx, session.finding_id) == first


async def test_concluding_again_after_a_withdrawal_withdraws_only_what_still_stands(
    db: Database, session: SessionView
) -> None:
    first = await give(db, session)
    async with db.begin() as tx:
        await verdicts.withdraw(tx, first.id, by="U2", at=NOW)
    second = await give(db, session, "still_open", supersedes=first.id)
    async with db.begin() as tx:
        await verdicts.withdraw(tx, second.id, by="U3", at=NOW)
        kept = await verdicts.of_finding(tx, session.finding_id)
    assert [verdict.withdrawn_by for verdict in kept] == ["U2", "U3"]


async def test_determinations_of_many_findings_at_once(db: Database, session: SessionView) -> None:
    given = await give(db, session)
    async with db.read() as tx:
        assert await verdicts.current_of(tx, (session.finding_id, 99)) == {session.finding_id: given}
        assert await verdicts.current_of(tx, ()) == {}


async def test_an_unknown_number_is_named(db: Database) -> None:
    async with db.read() as tx:
        with pytest.raises(NotFound, match="no verdict 8"):
            await verdicts.load(tx, 8)
