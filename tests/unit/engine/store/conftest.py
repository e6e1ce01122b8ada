from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from engine.findings.model import Endpoint, Finding, Severity
from engine.scope import Scope, Target
from engine.store import commands, findings, sessions
from engine.store.database import Database
from engine.views import CommandState, CommandView, SessionView

NOW = datetime(2031, 4, 5, 6, 7, 8, 9, tzinfo=UTC)

CommandFactory = Callable[..., Awaitable[CommandView]]


def sample_finding(title: str = "SQL injection in search", host: str = "shop.example.com") -> Finding:
    return Finding(
        format="manual",
        ref="1",
        title=title,
        severity=Severity.high,
        endpoints=(Endpoint(scheme="https", host=host, port=443, path="/search"),),
    )


@pytest.fixture
async def db() -> AsyncIterator[Database]:
    opened = await Database.open("sqlite+aiosqlite:///:memory:")
    yield opened
    await opened.close()


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite+aiosqlite:///{tmp_path / 'revalid.db'}"


@pytest.fixture
async def session(db: Database) -> SessionView:
    async with db.begin() as tx:
        finding, _ = await findings.add(tx, sample_finding(), by="U1", at=NOW)
        return await sessions.insert(
            tx,
            finding_id=finding.id,
            operator="U1",
            goal=("Log in", "Search for a quote"),
            scope=Scope(targets=(Target(host="shop.example.com", ports=(443,)),)),
            at=NOW,
        )


@pytest.fixture
def command(db: Database, session: SessionView) -> CommandFactory:
    """Adds a command to the session in the state that the test needs."""

    async def add(
        text: str = "curl -s https://shop.example.com/",
        state: CommandState = CommandState.proposed,
        *,
        told: bool = False,
    ) -> CommandView:
        async with db.begin() as tx:
            made = await commands.insert(
                tx,
                session_id=session.id,
                origin="agent",
                text=text,
                timeout_seconds=60,
                digest="d" * 64,
                state=state,
                tool_call_id="call-1",
                at=NOW,
            )
            if told:
                await commands.mark_told(tx, [made.id])
            return await commands.load(tx, made.id)

    return add
