"""The Docker engine goes away under a command, and comes back or does not."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from engine.lifecycle import Input, State
from engine.means import Patience
from engine.outage import ENGINE_AWAY
from engine.sandbox.scripted import Answer as Does
from engine.views import CommandState
from tests.unit.engine.retest.desk import Desk, desk, propose, say

SLOW = Does(stdout=b"begun\n", hang=True)


@dataclass
class Pauses:
    """Each pause lasts until a test lets it end; the first of them is told by `begun`."""

    seconds: list[float] = field(default_factory=list)
    begun: asyncio.Event = field(default_factory=asyncio.Event)
    gate: asyncio.Event = field(default_factory=asyncio.Event)

    async def sleep(self, seconds: float) -> None:
        self.seconds.append(seconds)
        self.begun.set()
        await self.gate.wait()

    @property
    def patience(self) -> Patience:
        return Patience(sleep=self.sleep)


async def running(d: Desk) -> int:
    d.answers["sleep 60"] = SLOW
    await d.message("go")
    await d.approve()
    command = (await d.command()).id
    await d.sandboxes.until_running(command)
    return command


async def test_an_engine_that_comes_back_loses_nothing_and_runs_nothing_again() -> None:
    pauses = Pauses()
    async with desk([propose("sleep 60"), say("Seen.")], patience=pauses.patience) as d:
        command = await running(d)
        d.sandboxes.go_away()
        await pauses.begun.wait()

        assert d.retests.feed.progress(d.session_id).delayed == ENGINE_AWAY
        assert (await d.session()).state is State.working

        d.sandboxes.release(command)
        d.sandboxes.come_back()
        pauses.gate.set()
        await d.until_state(State.awaiting_operator)

        done = await d.command()
        assert (done.state, done.exit_code) == (CommandState.finished, 0)
        assert await d.outputs.read(done.stdout_sha256 or "") == b"begun\n"
        assert d.executed == ["sleep 60"]
        assert d.retests.feed.progress(d.session_id).delayed == ""
        assert "command_failed" not in await d.kinds()


async def test_an_engine_that_stays_away_ends_in_an_unknown_outcome_that_says_so() -> None:
    pauses = Pauses()
    pauses.gate.set()
    async with desk([propose("sleep 60")], patience=pauses.patience) as d:
        await running(d)
        d.sandboxes.go_away()
        failed = await d.until_event("command_failed")

        assert failed.outcome == "unknown"
        assert "Docker engine does not answer" in failed.sentence
        assert (await d.command()).state is CommandState.unknown
        assert (await d.session()).state is State.awaiting_operator
        assert d.retests.feed.progress(d.session_id).delayed == ""
        assert 200 < sum(pauses.seconds) <= 300
        assert max(pauses.seconds) == 15


async def test_a_sandbox_that_is_gone_once_the_engine_is_back_is_built_anew_and_the_agent_told() -> None:
    pauses = Pauses()
    async with desk([propose("sleep 60"), say("I begin again.")], patience=pauses.patience) as d:
        await running(d)
        d.sandboxes.go_away()
        await pauses.begun.wait()
        d.sandboxes.lose(d.session_id)
        d.sandboxes.come_back()
        pauses.gate.set()
        failed = await d.until_event("command_failed")
        assert (failed.outcome, "sandbox is gone" in failed.sentence) == ("unknown", True)

        await d.until_state(State.awaiting_operator)
        await d.message("Go on.")
        await d.until_event("agent_said")
        assert d.sandboxes.created == 2
        assert d.agent.requests[-1].fresh_sandbox
        assert d.executed == ["sleep 60"]


async def test_a_kill_while_the_engine_is_away_is_done_once_it_is_back() -> None:
    pauses = Pauses()
    async with desk([propose("sleep 60"), say("Killed, I see.")], patience=pauses.patience) as d:
        await running(d)
        d.sandboxes.go_away()
        await pauses.begun.wait()
        assert (await d.ask(Input.kill)).done
        await asyncio.sleep(0)
        d.sandboxes.come_back()
        pauses.gate.set()
        ended = await d.until_event("command_ended")
        assert ended.outcome == "killed"


async def test_an_approved_command_is_not_started_while_the_engine_is_away() -> None:
    async with desk([propose("id"), say("Once more?")]) as d:
        await d.message("go")
        await d.waiting()
        d.sandboxes.go_away()
        await d.approve()
        failed = await d.until_event("command_failed")
        assert failed.outcome == "not_started"
        assert failed.sentence.endswith("Nothing ran.")
        await d.until_state(State.awaiting_operator)

        d.sandboxes.come_back()
        await d.message("Again.")
        await d.until_event("agent_said")
        assert d.executed == []
