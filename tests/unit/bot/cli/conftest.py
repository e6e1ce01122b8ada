"""The `revalid` command on a database of its own, with and without something in it."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from bot.cli import app
from engine.agent.port import Determined, Proposed
from engine.agent.scripted import ScriptedAgent
from engine.findings.model import Endpoint, Finding, Matcher, RecordedStep, Severity
from engine.lifecycle import Input, State
from engine.retest import Retests
from engine.sandbox.scripted import Answer, ScriptedSandboxes
from engine.scope import Scope, Target
from engine.store.database import Database
from engine.store.outputs import FileOutputs
from engine.views import Ask, SessionView

ALICE = "T1:U1ALICE"
HOSTILE = "\x1b[2J\u202etitle\rof a \x9bforger"
COMMAND = "curl -sS https://shop.example.com/search?q=%27"
SCOPE = Scope(targets=(Target(host="shop.example.com", ports=(443,)),))
SQL = Finding(
    format="generic-json",
    ref="sql-1",
    title="SQL injection in search",
    severity=Severity.high,
    endpoints=(
        Endpoint(scheme="https", host="shop.example.com", port=443, path="/search", userinfo="ada:secret"),
        Endpoint(scheme="https", host="www.example.com", port=443),
    ),
    replay=(RecordedStep(command=COMMAND, matchers=(Matcher(type="word", values=("SQL syntax",)),)),),
)
FORGER = Finding(format="nuclei", ref="forger", title=HOSTILE, severity=Severity.unknown)


@dataclass(frozen=True)
class Told:
    """What a command printed."""

    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[str]:
        return self.out.splitlines()

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Run = Callable[..., Told]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to work in, and an environment without settings."""
    for name in [*os.environ]:
        if name.startswith(("REVALID_", "SLACK_")):
            monkeypatch.delenv(name)
    for name in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OLLAMA_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def run(folder: Path) -> Run:
    def command(*words: str) -> Told:
        result = CliRunner().invoke(app, words)
        if result.exception and not isinstance(result.exception, SystemExit):
            raise result.exception
        return Told(result.exit_code, result.stdout, result.stderr)

    return command


@pytest.fixture
def kept(folder: Path) -> Path:
    """F-1 concluded in R-1 by R-1's two commands, F-2 hostile, R-2 open; gives the folder of the outputs."""
    asyncio.run(_keep(folder))
    return folder / "var" / "outputs"


async def _keep(folder: Path) -> None:
    (folder / "var").mkdir()
    db = await Database.open(f"sqlite+aiosqlite:///{folder / 'var' / 'revalid.db'}")
    sandboxes = ScriptedSandboxes(_does, names={"shop.example.com": ("203.0.113.10",)})
    agent = ScriptedAgent(
        [
            Proposed(tool_call_id="1", command=COMMAND, rationale="the old proof", timeout_seconds=30),
            Determined(status="still_open", rationale=f"It \x1b[31mleaks{HOSTILE}", evidence=(1,)),
        ]
    )
    retests = Retests(
        db=db, outputs=FileOutputs(folder / "var" / "outputs"), sandboxes=sandboxes, agent=agent
    )
    try:
        await retests.import_findings([SQL, FORGER], ALICE)
        first = await _open(retests, "Replay the proof", "Compare")
        await _ask(retests, first, Input.message, text="please\nbegin")
        await _until(retests, first, State.awaiting_command)
        await _ask(retests, first, Input.approve, command_id=1)
        await _until(retests, first, State.awaiting_operator)
        await _ask(retests, first, Input.operator_command, text="seq")
        await _until(retests, first, State.awaiting_operator, commands=2)
        await _ask(retests, first, Input.conclude, status="still_open", text="as before", exhibits=(1,))
        await _open(retests)
    finally:
        await retests.close()
        await db.close()


def _does(text: str) -> Answer:
    if text == "seq":
        return Answer(
            stdout=b"".join(b"%05d\n" % n for n in range(1000)), stderr=b"to \x1b]0;forge\x07 a title"
        )
    return Answer(stdout=b"You have an error in your SQL syntax\n")


async def _open(retests: Retests, *goal: str) -> SessionView:
    return await retests.open(finding_id=1, by=ALICE, goal=goal, scope=SCOPE)


async def _ask(retests: Retests, session: SessionView, given: Input, **words: Any) -> None:
    answer = await retests.ask(session.id, Ask(given=given, by=ALICE, **words))
    assert answer.done, answer.sentence


async def _until(retests: Retests, session: SessionView, state: State, *, commands: int = 0) -> None:
    watch = retests.feed.watch()
    try:
        async with asyncio.timeout(30):
            while not await _is(retests, session.id, state, commands):
                await watch.next()
    finally:
        retests.feed.unwatch(watch)


async def _is(retests: Retests, session_id: int, state: State, commands: int) -> bool:
    view = await retests.session(session_id)
    ended = sum(command.ended is not None for command in await retests.commands(session_id))
    return view.state is state and ended >= commands
