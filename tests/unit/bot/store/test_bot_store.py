"""What the bot remembers, in the real database."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Connection

from bot.store.inbox import Entry, InboxStore
from bot.store.migrate import BOT_VERSION_TABLE, migrate_bot
from bot.store.places import Place, Places
from bot.store.posts import Cursor, Post, Posts
from bot.store.tables import Base
from engine.store.database import Database


@pytest.fixture
async def db() -> AsyncIterator[Database]:
    opened = await Database.open("sqlite+aiosqlite:///:memory:")
    await migrate_bot(opened)
    yield opened
    await opened.close()


def entry(key: str) -> Entry:
    return Entry(key=key, kind="event", body={"text": key})


async def test_a_delivery_is_new_once(db: Database) -> None:
    inbox = InboxStore(db)

    assert await inbox.write([entry("a"), entry("b"), entry("a")]) == {"a", "b"}
    assert await inbox.write([entry("a"), entry("c")]) == {"c"}


async def test_what_was_not_finished_is_there_in_order_and_what_was_is_still_known(db: Database) -> None:
    inbox = InboxStore(db)
    await inbox.write([entry("a"), entry("b"), entry("c")])
    await inbox.write([], ["b"])

    assert await inbox.undone() == [entry("a"), entry("c")]
    assert await inbox.write([entry("b")]) == frozenset()


async def test_old_deliveries_are_forgotten_but_never_unfinished_ones(db: Database) -> None:
    inbox = InboxStore(db)
    await inbox.write([entry("a"), entry("b")])
    await inbox.write([], ["a"])
    await inbox.forget(datetime.now(UTC) + timedelta(minutes=1))

    assert await inbox.undone() == [entry("b")]
    assert await inbox.write([entry("a")]) == {"a"}


async def test_a_session_has_one_place_and_is_found_by_its_thread(db: Database) -> None:
    places = Places(db)
    first = await places.add(42, "T1", "C1")
    await places.threaded(42, "1.5")

    assert first == Place(session_id=42, team="T1", channel="C1", thread_ts=None)
    assert await places.add(42, "T1", "C2") == await places.of(42)
    assert await places.session_at("T1", "C1", "1.5") == 42
    assert await places.session_at("T2", "C1", "1.5") is None
    assert await places.of(43) is None
    assert set(await places.of_many([42, 43])) == {42}


async def test_posts_and_progress_are_remembered(db: Database) -> None:
    posts = Posts(db)
    await Places(db).add(42, "T1", "C1")
    post = Post(slot="root", channel="C1", ts="1.5", shown="x")
    await posts.remember(42, post)
    await posts.remember(42, Post(slot="root", channel="C1", ts="1.5", shown="y"))
    await posts.move(42, Cursor(event=9, recommended=7))

    assert await posts.of(42) == {"root": Post(slot="root", channel="C1", ts="1.5", shown="y")}
    assert await posts.cursor(42) == Cursor(event=9, recommended=7)
    assert await posts.cursor(43) == Cursor()


async def test_the_tables_are_what_the_migrations_make(db: Database) -> None:
    def differences(connection: Connection) -> list[object]:
        options = {
            "include_object": lambda _o, name, kind, *_: kind != "table" or name in Base.metadata.tables
        }
        context = MigrationContext.configure(connection, opts={**options, "version_table": BOT_VERSION_TABLE})
        return list(compare_metadata(context, Base.metadata))

    async with db.read() as tx:
        assert await (await tx.connection()).run_sync(differences) == []
