from __future__ import annotations

import pytest
from sqlalchemy.exc import InvalidRequestError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from engine.errors import StoreError
from engine.store import findings, messages
from engine.store.database import Database
from engine.store.errors import StoreLocked, from_sqlalchemy
from tests.unit.engine.store.conftest import NOW, sample_finding


@pytest.mark.parametrize(
    ("error", "kind", "sentence"),
    [
        (PoolTimeout("queue is full"), StoreLocked, "Too much is waiting for the database"),
        (InvalidRequestError("a session is closed"), StoreError, "did not answer: InvalidRequestError"),
    ],
)
def test_what_is_not_of_the_database_itself_is_a_sentence_too(
    error: SQLAlchemyError, kind: type[StoreError], sentence: str
) -> None:
    told = from_sqlalchemy(error)
    assert type(told) is kind
    assert sentence in told.sentence


async def test_a_rule_of_the_tables_that_is_broken_is_named_and_nothing_is_kept(db: Database) -> None:
    async def add() -> None:
        async with db.begin() as tx:
            await findings.add(tx, sample_finding(), by="U1", at=NOW)
            await messages.add(tx, session_id=77, by="U1", text="hello", state="queued", at=NOW)

    with pytest.raises(StoreError, match="The database refused: FOREIGN KEY constraint failed"):
        await add()
    async with db.read() as tx:
        assert await findings.count(tx) == 0
