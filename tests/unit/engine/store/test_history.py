from __future__ import annotations

import json

import pytest
from sqlalchemy import text

from engine.errors import RevisionConflict
from engine.store import history
from engine.store.database import Database
from engine.views import SessionView
from tests.unit.engine.store.conftest import NOW

FIRST = [{"kind": "request", "text": "é \u2028"}, {"kind": "response", "cost": 0.1, "n": 2**60}]


async def test_no_history_is_an_empty_array(db: Database, session: SessionView) -> None:
    async with db.read() as tx:
        assert await history.load(tx, session.id) == b"[]"


async def test_a_history_comes_back_whole(db: Database, session: SessionView) -> None:
    longer = [*FIRST, {"kind": "request", "parts": [None, True, []]}]
    async with db.begin() as tx:
        await history.extend(tx, session.id, json.dumps(FIRST).encode())
        await history.extend(tx, session.id, json.dumps(longer).encode())
    async with db.read() as tx:
        assert json.loads(await history.load(tx, session.id)) == longer


async def test_stored_messages_are_never_written_again(db: Database, session: SessionView) -> None:
    async with db.begin() as tx:
        await history.extend(tx, session.id, json.dumps(FIRST).encode())
        await history.extend(tx, session.id, json.dumps([{"other": 1}, {"other": 2}]).encode())
        assert json.loads(await history.load(tx, session.id)) == FIRST


async def test_a_history_behind_the_stored_one_is_refused(db: Database, session: SessionView) -> None:
    async with db.begin() as tx:
        await history.extend(tx, session.id, json.dumps(FIRST).encode())
        with pytest.raises(RevisionConflict, match="behind the stored one"):
            await history.extend(tx, session.id, json.dumps(FIRST[:1]).encode())


async def test_what_a_turn_used_is_kept(db: Database, session: SessionView) -> None:
    async with db.begin() as tx:
        await history.add_turn(tx, session_id=session.id, model="recorded", usage={"input_tokens": 3}, at=NOW)
        kept = (await tx.execute(text("SELECT model, usage FROM turns"))).one()
    assert tuple(kept) == ("recorded", '{"input_tokens": 3}')
