from __future__ import annotations

import pytest

from engine.errors import NotFound
from engine.store import findings, sessions, verdicts
from engine.store.database import Database
from engine.views import SessionView
from tests.unit.engine.store.conftest import NOW, sample_finding


async def test_a_finding_comes_back_as_it_was_imported(db: Database) -> None:
    async with db.begin() as tx:
        added, new = await findings.add(tx, sample_finding(), by="U1", at=NOW)
    async with db.read() as tx:
        loaded = await findings.load(tx, added.id)
    assert new
    assert loaded == added
    assert loaded.finding == sample_finding()
    assert (loaded.imported_by, loaded.imported, loaded.verdict) == ("U1", NOW, None)


async def test_a_second_import_changes_nothing(db: Database) -> None:
    changed = sample_finding().model_copy(update={"description": "another text"})
    async with db.begin() as tx:
        first, _ = await findings.add(tx, sample_finding(), by="U1", at=NOW)
        again, new = await findings.add(tx, changed, by="U2", at=NOW)
        assert await findings.count(tx) == 1
    assert not new
    assert again == first


async def test_an_unknown_number_is_named(db: Database) -> None:
    async with db.read() as tx:
        with pytest.raises(NotFound, match="no finding F-12"):
            await findings.load(tx, 12)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", ["Weak 100% TLS", "SQL injection", "Open redirect"]),
        ("sql", ["SQL injection"]),
        ("SHOP.example", ["SQL injection"]),
        (":443", ["Weak 100% TLS", "SQL injection", "Open redirect"]),
        ("100%", ["Weak 100% TLS"]),
        ("_", []),
        ("nothing like it", []),
    ],
)
async def test_search_looks_at_titles_and_addresses(db: Database, text: str, found: list[str]) -> None:
    async with db.begin() as tx:
        for title, host in (
            ("Open redirect", "a.example.com"),
            ("SQL injection", "shop.example.com"),
            ("Weak 100% TLS", "b.example.com"),
        ):
            await findings.add(tx, sample_finding(title, host), by="U1", at=NOW)
        assert [view.finding.title for view in await findings.search(tx, text=text)] == found


async def test_search_gives_pages(db: Database) -> None:
    async with db.begin() as tx:
        for number in range(5):
            await findings.add(tx, sample_finding(f"Finding {number}"), by="U1", at=NOW)
        page = await findings.search(tx, limit=2, offset=1)
    assert [view.finding.title for view in page] == ["Finding 3", "Finding 2"]


async def test_a_finding_shows_its_determination(db: Database, session: SessionView) -> None:
    async with db.begin() as tx:
        given = await verdicts.append(
            tx,
            finding_id=session.finding_id,
            session_id=session.id,
            status="still_open",
            reason="operator_conclusion",
            rationale="It still answers.",
            by="U1",
            supersedes=None,
            exhibits=(),
            at=NOW,
        )
        assert (await findings.load(tx, session.finding_id)).verdict == given
        assert [view.verdict for view in await findings.search(tx)] == [given]


async def test_sessions_of_an_unknown_finding_are_refused(db: Database, session: SessionView) -> None:
    async with db.begin() as tx:
        with pytest.raises(NotFound, match="no finding F-99"):
            await sessions.insert(tx, finding_id=99, operator="U1", goal=(), scope=session.scope, at=NOW)
