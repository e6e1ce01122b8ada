from __future__ import annotations

import asyncio

import pytest

from engine.errors import NotFound
from engine.store import commands
from engine.store.database import Database
from engine.views import CommandState, CommandView, SessionView
from tests.unit.engine.store.conftest import NOW, CommandFactory

APPROVED = frozenset({CommandState.approved})


async def test_a_command_comes_back_as_it_was_proposed(db: Database, session: SessionView) -> None:
    async with db.begin() as tx:
        made = await commands.insert(
            tx,
            session_id=session.id,
            origin="operator",
            text="printf 'é\\n'",
            rationale="to see",
            said="I will look.",
            timeout_seconds=30,
            digest="a" * 64,
            state=CommandState.approved,
            tool_call_id=None,
            at=NOW,
        )
    async with db.read() as tx:
        loaded = await commands.load(tx, made.id)
    assert loaded == made
    assert (loaded.text, loaded.origin, loaded.timeout_seconds) == ("printf 'é\\n'", "operator", 30)
    assert (loaded.state, loaded.told, loaded.denied, loaded.created) == ("approved", False, (), NOW)


async def test_a_result_is_kept_with_the_move(db: Database, command: CommandFactory) -> None:
    made = await command(state=CommandState.running)
    async with db.begin() as tx:
        moved = await commands.move(
            tx,
            made.id,
            frozenset({CommandState.running}),
            CommandState.finished,
            outcome="exited",
            exit_code=7,
            elapsed_seconds=1.5,
            stdout_sha256="b" * 64,
            stderr_sha256="c" * 64,
            stdout_bytes=10,
            stderr_bytes=0,
            denied=("203.0.113.20:80/tcp",),
            out_of_memory=True,
            ended=NOW,
        )
        loaded = await commands.load(tx, made.id)
    assert moved == loaded
    assert (loaded.exit_code, loaded.denied, loaded.out_of_memory) == (7, ("203.0.113.20:80/tcp",), True)
    assert (loaded.elapsed_seconds, loaded.stdout_bytes, loaded.ended) == (1.5, 10, NOW)


async def test_a_command_in_another_state_is_not_moved(db: Database, command: CommandFactory) -> None:
    made = await command(state=CommandState.rejected)
    async with db.begin() as tx:
        assert await commands.move(tx, made.id, APPROVED, CommandState.claimed, decided_by="U9") is None
        assert await commands.load(tx, made.id) == made


async def test_a_claim_is_given_once(db: Database, command: CommandFactory) -> None:
    made = await command(state=CommandState.approved)

    async def claim() -> CommandView | None:
        async with db.begin() as tx:
            return await commands.move(tx, made.id, APPROVED, CommandState.claimed, started=NOW)

    claims = await asyncio.gather(*(claim() for _ in range(10)))
    assert sum(claimed is not None for claimed in claims) == 1


@pytest.mark.parametrize(
    ("state", "to_tell"),
    [
        ("proposed", False),
        ("held", False),
        ("approved", False),
        ("claimed", False),
        ("running", False),
        ("unknown", True),
        ("rejected", True),
        ("withdrawn", True),
        ("finished", True),
        ("timed_out", True),
        ("killed", True),
        ("failed", True),
    ],
)
async def test_the_agent_is_told_every_outcome_once(
    db: Database, session: SessionView, command: CommandFactory, state: str, to_tell: bool
) -> None:
    await command(state=CommandState.finished, told=True)
    made = await command(state=CommandState(state))
    async with db.begin() as tx:
        assert await commands.untold(tx, session.id) == ((made,) if to_tell else ())
        await commands.mark_told(tx, [made.id])
        assert await commands.untold(tx, session.id) == ()


async def test_telling_nothing_changes_nothing(db: Database, command: CommandFactory) -> None:
    made = await command(state=CommandState.finished)
    async with db.begin() as tx:
        await commands.mark_told(tx, [])
        assert await commands.load(tx, made.id) == made


async def test_commands_of_a_session_in_order(
    db: Database, session: SessionView, command: CommandFactory
) -> None:
    made = (await command("one"), await command("two", CommandState.running), await command("three"))
    async with db.read() as tx:
        assert await commands.of_session(tx, session.id) == made
        assert await commands.of_session(tx, 99) == ()
        assert await commands.in_flight(tx, session.id) == (made[1],)


async def test_an_unknown_number_is_named(db: Database) -> None:
    async with db.read() as tx:
        with pytest.raises(NotFound, match="no command C-5"):
            await commands.load(tx, 5)
