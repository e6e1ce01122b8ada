from __future__ import annotations

from engine.store import messages
from engine.store.database import Database
from engine.store.messages import QueuedMessage
from engine.views import SessionView
from tests.unit.engine.store.conftest import NOW


async def add(db: Database, session: SessionView, text: str, state: messages.MessageState) -> int:
    async with db.begin() as tx:
        return await messages.add(tx, session_id=session.id, by="U1", text=text, state=state, at=NOW)


async def test_a_turn_carries_what_is_queued_and_delivers_it(db: Database, session: SessionView) -> None:
    first = await add(db, session, "look at /login", "queued")
    await add(db, session, "too late", "noted")
    second = await add(db, session, "and /admin", "queued")
    async with db.begin() as tx:
        carried = await messages.carry(tx, session.id)
        left = await messages.queued(tx, session.id)
        delivered = await messages.deliver(tx, session.id)
        again = await messages.deliver(tx, session.id)
    assert carried == (
        QueuedMessage(id=first, by="U1", text="look at /login"),
        QueuedMessage(id=second, by="U1", text="and /admin"),
    )
    assert left == ()
    assert delivered == (first, second)
    assert again == ()


async def test_what_a_failed_turn_carried_is_queued_again_before_what_came_since(
    db: Database, session: SessionView
) -> None:
    await add(db, session, "first", "queued")
    async with db.begin() as tx:
        await messages.carry(tx, session.id)
    await add(db, session, "second", "queued")
    async with db.begin() as tx:
        await messages.take_back(tx, session.id)
        assert [message.text for message in await messages.queued(tx, session.id)] == ["first", "second"]


async def test_carrying_again_keeps_what_is_carried_already(db: Database, session: SessionView) -> None:
    await add(db, session, "first", "carried")
    await add(db, session, "second", "queued")
    async with db.begin() as tx:
        assert [message.text for message in await messages.carry(tx, session.id)] == ["first", "second"]
