"""Whatever is asked, in any order, while anything is in flight: nothing is lost, doubled or left hanging."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine import worker
from engine.errors import EngineUnavailable, ModelError, SandboxError
from engine.lifecycle import Input
from engine.store.database import Database
from tests.unit.engine.retest.bench import Bench
from tests.unit.engine.retest.desk import REPLAY, determine, propose, say

WORDS: dict[Input, dict[str, Any]] = {
    Input.edit: {"text": "id -u"},
    Input.operator_command: {"text": "uname"},
    Input.goal_edit: {"goal": ("Check the login",)},
    Input.conclude: {"status": "still_open"},
    Input.conclude_again: {"status": "fixed"},
    Input.hand_over: {"person": "T1:BEN"},
    Input.add_operator: {"person": "T1:CAROL"},
}
PEOPLE = list(Input)[: list(Input).index(Input.provisioned)]


def fails(bench: Bench, *, create: SandboxError | None = None, run: SandboxError | None = None) -> None:
    bench.sandboxes.fail_create, bench.sandboxes.fail_run = create, run


def away(bench: Bench) -> None:
    bench.db.away = 2


HAPPENS: dict[str, Callable[[Bench], None]] = {
    "proposal": lambda b: b.turn_ends(propose(REPLAY, b.next_call())),
    "prose": lambda b: b.turn_ends(say("Hm.")),
    "fixed": lambda b: b.turn_ends(determine("fixed")),
    "still open": lambda b: b.turn_ends(determine("still_open", evidence=b.ran)),
    "inconclusive": lambda b: b.turn_ends(determine("inconclusive")),
    "model away": lambda b: b.turn_ends(ModelError()),
    "command ends": Bench.command_ends,
    "build ends": Bench.build_ends,
    "sandbox dies": Bench.sandbox_dies,
    "engine away": lambda b: fails(b, create=EngineUnavailable(), run=EngineUnavailable()),
    "engine back": fails,
    "database away": away,
}

Step = Input | str
TURN: list[Step] = [Input.message, "build ends"]
PLACES: dict[str, list[Step]] = {
    "idle": [],
    "provisioning": [Input.message],
    "turn": TURN,
    "stopping turn": [*TURN, Input.stop, Input.message],
    "gate": [*TURN, "proposal"],
    "gate with a message": [*TURN, "proposal", Input.message],
    "held": [*TURN, "proposal", Input.stop],
    "command": [*TURN, "proposal", Input.approve],
    "command and the operator's": [*TURN, "proposal", Input.approve, Input.operator_command],
    "operator's commands": [*TURN, "prose", Input.operator_command, Input.operator_command],
    "turn after a command": [*TURN, "proposal", Input.approve, "command ends"],
    "handed back": [*TURN, "prose"],
    "Auto-run command": [Input.auto_on, *TURN, "proposal"],
    "Auto-run turn": [Input.auto_on, *TURN, "proposal", "command ends", *[Input.operator_command] * 2],
    "concluded": [*TURN, "proposal", Input.approve, Input.conclude],
    "reopened": [*TURN, "proposal", Input.conclude, Input.reopen],
}
# What leads somewhere comes more often, or most of the time would be spent with sessions that are over.
FORWARD: list[Step] = [Input.message, Input.approve, "proposal", "prose", "command ends", "build ends"]
STEPS: list[Step] = [*FORWARD, *FORWARD, *PEOPLE, *HAPPENS, "reborn"]
PAUSES = ["none", "transaction", "quiet"]


async def take(bench: Bench, step: Step) -> None:
    if isinstance(step, Input):
        bench.ask(step, **WORDS.get(step, {}))
    elif step == "reborn":
        await bench.reborn()
    else:
        HAPPENS[step](bench)


async def play(db: Database, place: str, script: list[tuple[Step, str]]) -> None:
    bench = Bench(db)
    await bench.open()
    for step in PLACES[place]:
        await take(bench, step)
        await bench.quiet()
    await bench.check()
    for step, pause in script:
        await take(bench, step)
        if pause == "quiet":
            await bench.quiet()
            await bench.check()
        elif pause == "transaction":
            await bench.one_transaction()
    await bench.quiet()
    await bench.check()
    await bench.close()


def test_nothing_is_lost_doubled_or_left_hanging(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "FIRST_PAUSE", 0)
    with asyncio.Runner() as runner:
        db = runner.run(Database.open("sqlite+aiosqlite:///:memory:"))

        @settings(max_examples=40, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
        @given(
            place=st.sampled_from(sorted(PLACES)),
            script=st.lists(st.tuples(st.sampled_from(STEPS), st.sampled_from(PAUSES)), max_size=12),
        )
        def holds(place: str, script: list[tuple[Step, str]]) -> None:
            runner.run(play(db, place, script))

        try:
            holds()
        finally:
            runner.run(db.close())
