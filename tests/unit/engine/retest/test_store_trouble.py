"""A database that is locked, read-only or full: one sentence each, nothing lost, and then on it goes."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event

from engine import worker
from engine.agent.scripted import ScriptedAgent
from engine.errors import StoreError
from engine.lifecycle import Input, State
from engine.retest import Retests
from engine.sandbox.scripted import Answer as Does
from engine.sandbox.scripted import ScriptedSandboxes
from engine.store import connect
from engine.store.database import Database
from engine.store.errors import StoreFull, StoreLocked, StoreReadOnly
from engine.store.outputs import MemoryOutputs
from engine.verify import verify_all
from tests.unit.engine.retest.desk import Desk, propose, say


class Trouble:
    """What keeps the database from being written, until it is over."""

    def __init__(self, db: Database, other: sqlite3.Connection) -> None:
        self._other = other
        self._pragma = ""
        event.listen(db._engine.sync_engine, "checkout", self._checked_out)

    def begin(self, kind: str) -> None:
        if kind == "locked":
            self._other.execute("BEGIN IMMEDIATE")
        else:
            # SQLite meets its own limit of pages as it meets the end of a disk.
            self._pragma = "PRAGMA query_only=ON" if kind == "read-only" else "PRAGMA max_page_count=1"

    def end(self, kind: str) -> None:
        if kind == "locked":
            self._other.execute("ROLLBACK")
        else:
            self._pragma = "PRAGMA query_only=OFF" if kind == "read-only" else "PRAGMA max_page_count=1000000"

    def _checked_out(self, connection: Any, _record: object, _proxy: object) -> None:
        if self._pragma:
            cursor = connection.cursor()
            cursor.execute(self._pragma)
            cursor.close()


KINDS: list[tuple[str, type[StoreError]]] = [
    ("locked", StoreLocked),
    ("read-only", StoreReadOnly),
    ("full", StoreFull),
]


@pytest.fixture
async def troubled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[tuple[Desk, Trouble]]:
    monkeypatch.setattr(connect, "BUSY_SECONDS", 0.0)
    monkeypatch.setattr(worker, "FIRST_PAUSE", 0.001)
    monkeypatch.setattr(worker, "LONGEST_PAUSE", 0.01)
    path = tmp_path / "revalid.db"
    db = await Database.open(f"sqlite+aiosqlite:///{path}")
    answers: dict[str, Does] = {}
    sandboxes = ScriptedSandboxes(
        lambda text: answers.get(text, Does(stdout=b"ok")), names={"shop.example.com": ("203.0.113.10",)}
    )
    agent = ScriptedAgent([propose("sleep"), say("Done.")])
    outputs: Any = MemoryOutputs()
    retests = Retests(db=db, outputs=outputs, sandboxes=sandboxes, agent=agent)
    desk = Desk(db, outputs, sandboxes, agent, retests, answers)
    await retests.start()
    await desk.open()
    other = sqlite3.connect(path, isolation_level=None)
    try:
        yield desk, Trouble(db, other)
    finally:
        await retests.close()
        await db.close()
        other.close()


@contextmanager
def one_sentence(kind: type[StoreError]) -> Any:
    with pytest.raises(kind) as told:
        yield
    assert told.value.sentence.endswith(".")


@pytest.mark.parametrize(("kind", "error"), KINDS)
async def test_what_people_ask_is_refused_in_one_sentence_and_taken_afterwards(
    troubled: tuple[Desk, Trouble], kind: str, error: type[StoreError]
) -> None:
    d, trouble = troubled
    await d.message("go")
    waiting = await d.waiting()
    before = await d.kinds()
    trouble.begin(kind)
    # What is short may still fit on a page of a disk that is full.
    long = (Input.message, Input.goal_edit)
    for given in long if kind == "full" else (*long, Input.approve, Input.stop, Input.conclude):
        with one_sentence(error):
            await d.ask(given, text="x" * 9000, command_id=waiting.id, status="fixed", goal=("y" * 9000,))
    assert await d.kinds() == before
    assert d.executed == []

    trouble.end(kind)
    await d.approve()
    await d.until_state(State.awaiting_operator)
    assert d.executed == ["sleep"]
    assert (await verify_all(d.db, d.outputs)).intact


@pytest.mark.parametrize(("kind", "_error"), KINDS)
async def test_the_end_of_a_command_waits_until_it_can_be_written(
    troubled: tuple[Desk, Trouble], kind: str, _error: type[StoreError]
) -> None:
    d, trouble = troubled
    d.answers["sleep"] = Does(stdout=b"zzz" * 3000, hang=True)
    await d.message("go")
    waiting = await d.waiting()
    await d.approve()
    await d.sandboxes.until_running(waiting.id)
    trouble.begin(kind)
    d.sandboxes.release(waiting.id)
    with one_sentence(_error):
        await d.message("x" * 9000)
    trouble.end(kind)
    await d.until_state(State.awaiting_operator)

    assert d.executed == ["sleep"]
    ended = await d.command()
    assert await d.retests.output(ended.stdout_sha256 or "") == b"zzz" * 3000
    assert (await verify_all(d.db, d.outputs)).intact
