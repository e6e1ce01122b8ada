from __future__ import annotations

from datetime import datetime, timedelta, timezone

import pytest
from sqlalchemy import text

from engine.errors import NotFound
from engine.events import (
    AGENT,
    CHAIN_START,
    AgentSaid,
    AnyEvent,
    LaterEvent,
    MessageReceived,
    SandboxRemoved,
    StopRequested,
)
from engine.store import events, sessions
from engine.store.database import Database
from engine.views import SessionView
from tests.unit.engine.store.conftest import NOW

SAID = AgentSaid(text="Nothing at /search.\n“Zürich” \u202e", form="hand_back")


async def append(db: Database, session: SessionView, *given: AnyEvent) -> None:
    async with db.begin() as tx:
        await events.append(tx, session.id, AGENT, given, NOW)


async def test_events_are_numbered_and_chained(db: Database, session: SessionView) -> None:
    async with db.begin() as tx:
        first = await events.append(tx, session.id, AGENT, (SAID, StopRequested()), NOW)
    async with db.begin() as tx:
        second = await events.append(tx, session.id, "U1", (SandboxRemoved(),), NOW)
    async with db.read() as tx:
        stored = await events.read(tx, session.id)
        view = await sessions.load(tx, session.id)
    assert stored == (*first, *second)
    assert [one.number for one in stored] == [1, 2, 3]
    assert [one.actor for one in stored] == ["agent", "agent", "U1"]
    assert stored[0].event == SAID
    assert [one.previous for one in stored] == [CHAIN_START, stored[0].hash, stored[1].hash]
    assert view.events == 3


async def test_each_session_has_its_own_numbers(db: Database, session: SessionView) -> None:
    await append(db, session, SAID)
    async with db.begin() as tx:
        other = await sessions.insert(
            tx, finding_id=session.finding_id, operator="U1", goal=(), scope=session.scope, at=NOW
        )
        (one,) = await events.append(tx, other.id, AGENT, (SAID,), NOW)
    assert (one.session_id, one.number, one.previous) == (other.id, 1, CHAIN_START)


async def test_an_event_taken_back_leaves_no_gap(db: Database, session: SessionView) -> None:
    async def fail() -> None:
        async with db.begin() as tx:
            await events.append(tx, session.id, AGENT, (SAID,), NOW)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await fail()
    await append(db, session, StopRequested())
    async with db.read() as tx:
        assert [(one.number, one.event) for one in await events.read(tx, session.id)] == [
            (1, StopRequested())
        ]


async def test_the_time_is_kept_in_utc(db: Database, session: SessionView) -> None:
    there = datetime(2031, 4, 5, 8, 7, 8, 9, tzinfo=timezone(timedelta(hours=2)))
    async with db.begin() as tx:
        (one,) = await events.append(tx, session.id, AGENT, (SAID,), there)
    async with db.read() as tx:
        (stored,) = await events.read(tx, session.id)
    assert one.at == stored.at == NOW
    assert one.at.utcoffset() == timedelta(0)


async def test_reading_goes_on_from_a_number(db: Database, session: SessionView) -> None:
    await append(db, session, *(AgentSaid(text=str(number), form="note") for number in range(1, 8)))
    async with db.read() as tx:
        page = await events.read(tx, session.id, after=2, limit=3)
    assert [one.number for one in page] == [3, 4, 5]


async def test_nothing_to_append_changes_nothing(db: Database, session: SessionView) -> None:
    async with db.begin() as tx:
        assert await events.append(tx, session.id, AGENT, (), NOW) == ()
        assert (await sessions.load(tx, session.id)).events == 0


async def test_an_unknown_session_is_named(db: Database) -> None:
    async with db.begin() as tx:
        with pytest.raises(NotFound, match="no session R-42"):
            await events.append(tx, 42, AGENT, (SAID,), NOW)


@pytest.mark.parametrize(
    ("stored", "fields"),
    [
        ('{"kind": "teleported", "where": [1]}', {"kind": "teleported", "where": [1]}),
        (
            '{"kind": "stop_requested", "why": "later field"}',
            {"kind": "stop_requested", "why": "later field"},
        ),
        ("not json", {"text": "not json"}),
        ("[1]", {"text": "[1]"}),
    ],
)
async def test_an_event_of_a_later_version_is_shown_not_lost(
    db: Database, session: SessionView, stored: str, fields: dict[str, object]
) -> None:
    await append(db, session, StopRequested(), SAID)
    async with db.begin() as tx:
        await tx.execute(
            text("UPDATE events SET kind = 'teleported', data = :data WHERE number = 1"), {"data": stored}
        )
        first, second = await events.read(tx, session.id)
    assert first.event == LaterEvent(name="teleported", data=fields)
    assert second.event == SAID


async def test_a_number_is_never_given_twice_for_a_message(db: Database, session: SessionView) -> None:
    heard = MessageReceived(message_id=1, text="hello", disposition="woke")
    await append(db, session, heard)
    await append(db, session, heard)
    async with db.read() as tx:
        raw = await events.raw(tx, session.id)
    assert [one.number for one in raw] == [1, 2]
    assert raw[0].data == heard.model_dump_json()
    assert raw[0].hash != raw[1].hash
