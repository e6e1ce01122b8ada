"""The inbox, under Bolt and on a real table."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from datetime import datetime
from typing import Any

import pytest
from slack_bolt.async_app import AsyncApp
from slack_bolt.authorization import AuthorizeResult
from slack_bolt.request.async_request import AsyncBoltRequest
from slack_sdk.web.async_client import AsyncWebClient

from bot.inbox import KEY, Inbox
from bot.store.inbox import Entry, InboxStore
from bot.store.migrate import migrate_bot
from engine.errors import StoreError
from engine.store.database import Database


class Watched:
    """A store that counts transactions and can fail."""

    def __init__(self, store: InboxStore) -> None:
        self._store = store
        self.fail = False
        self.batches: list[int] = []

    async def write(self, arrived: Sequence[Entry], finished: Sequence[str] = ()) -> frozenset[str]:
        if self.fail:
            raise StoreError
        if arrived:
            self.batches.append(len(arrived))
        return await self._store.write(arrived, finished)

    async def undone(self) -> Sequence[Entry]:
        return await self._store.undone()

    async def forget(self, before: datetime) -> None:
        await self._store.forget(before)


class Rig:
    """A Bolt app with the inbox in front of a listener that writes down what it heard."""

    def __init__(self, store: Watched) -> None:
        self.store = store
        self.inbox = Inbox(store)
        self.heard: list[str] = []
        self.finish = True
        self._news = asyncio.Condition()

        async def authorize() -> AuthorizeResult:
            return AuthorizeResult(enterprise_id=None, team_id="T1", bot_user_id="UBOT", bot_id="B1")

        self.app = AsyncApp(
            client=AsyncWebClient(token="xoxb-1"), authorize=authorize, request_verification_enabled=False
        )
        self.app.middleware(self.inbox.middleware)
        self.app.event("message")(self._hear)
        self.app.event("app_mention")(self._hear)

    async def _hear(self, event: dict[str, Any], context: dict[str, Any]) -> None:
        if self.finish or event["ts"].startswith("99."):
            self.inbox.done(context[KEY])
        async with self._news:
            self.heard.append(event["ts"])
            self._news.notify_all()

    async def hears(self, *expected: str) -> None:
        """Exactly these, in this order: one more message is sent, and nothing may come between."""
        last = f"99.{len(self.heard)}{len(expected)}"
        await self.send(last)
        async with asyncio.timeout(30), self._news:
            await self._news.wait_for(lambda: last in self.heard)
        self.heard.remove(last)
        assert self.heard == list(expected)

    async def send(self, ts: str = "2.0", **fields: Any) -> int:
        event = {"type": "message", "channel": "C1", "user": "U1", "ts": ts, "thread_ts": "1.0", **fields}
        body = {
            "type": "event_callback",
            "event_id": "Ev",
            "team_id": "T1",
            "token": "secret",
            "event": event,
        }
        response = await self.app.async_dispatch(AsyncBoltRequest(body=body, mode="socket_mode"))
        return int(response.status)


@pytest.fixture
async def db() -> AsyncIterator[Database]:
    db = await Database.open("sqlite+aiosqlite:///:memory:")
    await migrate_bot(db)
    yield db
    await db.close()


@pytest.fixture
async def rig(db: Database) -> AsyncIterator[Rig]:
    rig = Rig(Watched(InboxStore(db)))
    yield rig
    await rig.inbox.close()


async def test_the_same_message_acts_once_however_often_it_comes(rig: Rig) -> None:
    assert await rig.send() == 200
    assert await rig.send() == 200
    assert await rig.send(type="app_mention") == 200
    await rig.hears("2.0")


async def test_duplicates_within_one_transaction_act_once(rig: Rig) -> None:
    await asyncio.gather(*(rig.send() for _ in range(5)))
    await rig.hears("2.0")


async def test_a_burst_shares_transactions(rig: Rig) -> None:
    statuses = await asyncio.gather(*(rig.send(f"{number}.5") for number in range(50)))
    assert set(statuses) == {200}
    assert len(rig.store.batches) <= 3
    await rig.hears(*(f"{number}.5" for number in range(50)))


async def test_chatter_is_acknowledged_and_costs_nothing(rig: Rig) -> None:
    assert await rig.send(thread_ts=None) == 200
    assert rig.store.batches == []
    await rig.hears()


async def test_without_the_database_slack_is_not_answered_and_its_retry_is_taken(rig: Rig) -> None:
    rig.store.fail = True
    assert await rig.send() == 500
    rig.store.fail = False
    assert await rig.send() == 200
    await rig.hears("2.0")


async def test_what_was_not_finished_is_dispatched_again_at_the_next_start(rig: Rig, db: Database) -> None:
    await rig.send("2.0")
    await rig.hears("2.0")
    rig.finish = False
    await rig.send("3.0")
    await rig.send("4.0")
    await rig.hears("2.0", "3.0", "4.0")
    await rig.inbox.close()

    after = Rig(Watched(InboxStore(db)))
    assert await after.inbox.replay(after.app) == 2
    assert await after.send("3.0") == 200
    await after.hears("3.0", "4.0")
    await after.inbox.close()
    assert await after.inbox.replay(after.app) == 0


async def test_the_old_shared_token_is_not_kept(rig: Rig, db: Database) -> None:
    rig.finish = False
    await rig.send()
    await rig.hears("2.0")
    await rig.inbox.close()
    [entry] = await InboxStore(db).undone()
    assert "token" not in entry.body
    assert entry.body["event"]["ts"] == "2.0"


async def test_a_mark_that_could_not_be_written_is_done_again_later(rig: Rig, db: Database) -> None:
    rig.finish = False
    await rig.send()
    await rig.hears("2.0")
    rig.store.fail = True
    rig.inbox.done("message:C1:2.0")
    await rig.inbox.close()
    assert len(await InboxStore(db).undone()) == 1
