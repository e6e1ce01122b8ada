"""What arrives at the wrong moment, and what goes wrong while it is written down."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from engine import ledger, reporting, tasks, worker
from engine.agent.port import Ran, Said
from engine.agent.scripted import ScriptedAgent, Step
from engine.errors import CommandNotStarted, EngineUnavailable, StoreError
from engine.lifecycle import Effect, Input, State
from engine.sandbox.port import Handle, Outcome
from engine.sandbox.scripted import Answer as Does
from engine.store.database import Database
from engine.views import Ask, CommandState
from tests.unit.engine.retest.bench import Bench
from tests.unit.engine.retest.desk import ALICE, REPLAY, desk, determine, propose, say

STOP = Ask(given=Input.stop, by=ALICE)


@pytest.fixture
async def bench() -> AsyncIterator[Bench]:
    db = await Database.open("sqlite+aiosqlite:///:memory:")
    made = Bench(db)
    await made.open()
    yield made
    await made.close()
    await db.close()


async def at_the_gate(bench: Bench) -> None:
    bench.ask(Input.message)
    await bench.quiet()
    bench.build_ends()
    await bench.quiet()
    bench.turn_ends(propose("sleep", bench.next_call()))
    await bench.quiet()


async def test_a_sandbox_of_an_earlier_life_is_not_taken_for_the_new_one(bench: Bench) -> None:
    bench.ask(Input.message)
    await bench.quiet()
    for given, words in ((Input.conclude, {"status": "fixed"}), (Input.reopen, {}), (Input.message, {})):
        bench.ask(given, **words)
        await bench.quiet()
    for _ in range(2):
        bench.build_ends()
        await bench.quiet()
        await bench.check()

    assert (await bench.retests.session(bench.session_id)).situation.sandbox


async def test_a_new_sandbox_waits_until_the_old_one_and_what_runs_in_it_are_gone(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    await at_the_gate(bench)
    bench.ask(Input.approve)
    await bench.quiet()

    async def deaf(handle: Handle, command_id: int) -> None:
        pass

    monkeypatch.setattr(bench.sandboxes, "kill", deaf)
    for given, words in ((Input.conclude, {"status": "fixed"}), (Input.reopen, {}), (Input.message, {})):
        bench.ask(given, **words)
        await bench.quiet()
    assert bench.sandboxes.building == []
    bench.command_ends()
    await bench.quiet()
    bench.build_ends()
    await bench.quiet()
    await bench.check()

    view = await bench.retests.session(bench.session_id)
    assert (view.state, len(bench.agent.thinking)) == (State.working, 1)
    assert bench.sandboxes.created == 2


async def test_a_command_killed_before_it_starts_never_runs_and_the_turn_goes_on(bench: Bench) -> None:
    await at_the_gate(bench)
    bench.ask(Input.approve)
    bench.ask(Input.kill)
    await bench.quiet()

    command = (await bench.retests.commands(bench.session_id))[-1]
    assert (command.state, command.outcome) == (CommandState.killed, "killed")
    assert bench.sandboxes.executed == []
    assert len(bench.agent.thinking) == 1


async def test_a_command_that_does_not_hear_the_first_kill_is_told_again(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tasks, "SECONDS_A_KILL", 0)
    await at_the_gate(bench)
    bench.ask(Input.approve)
    await bench.quiet()
    told: list[int] = []
    kill, heard = bench.sandboxes.kill, asyncio.Event()

    async def at_last(handle: Handle, command_id: int) -> None:
        told.append(command_id)
        if len(told) == 1:
            raise EngineUnavailable
        if len(told) == 3:
            await kill(handle, command_id)
            heard.set()

    monkeypatch.setattr(bench.sandboxes, "kill", at_last)
    bench.ask(Input.kill)
    await heard.wait()
    await bench.quiet()

    command = (await bench.retests.commands(bench.session_id))[-1]
    assert command.state is CommandState.killed
    assert set(told) == {command.id}


async def test_kill_ends_the_command_it_names_and_no_other() -> None:
    async with desk([propose("id"), say("Done.")]) as d:
        d.answers["sleep"] = Does(hang=True)
        await d.message("go")
        waiting = await d.waiting()
        early = await d.ask(Input.kill, command_id=waiting.id)
        await d.approve()
        await d.until_state(State.awaiting_operator)
        await d.ask(Input.operator_command, text="sleep")
        running = (await d.command()).id
        await d.sandboxes.until_running(running)
        late = await d.ask(Input.kill, command_id=waiting.id)
        named = await d.ask(Input.kill, command_id=running)
        await d.until_event("command_ended", 2)

        assert not early.done
        assert early.sentence == f"C-{waiting.id} still waits for a decision, so there is nothing to kill."
        assert not late.done
        assert late.sentence == f"C-{waiting.id} was approved and has run, so there is nothing to kill."
        assert named.done
        assert [event.command_id for event in await d.events("kill_requested")] == [running]
        assert (await d.command()).state is CommandState.killed


async def test_a_session_over_by_the_agents_verdict_runs_nothing_that_waited() -> None:
    script: list[Step] = [propose(REPLAY), determine("still_open", evidence=(1,))]
    async with desk(script) as d:
        d.answers[REPLAY] = Does(stdout=b"HTTP/1.1 500\r\n\r\nSQL syntax")
        d.answers["sleep"] = Does(hang=True)
        await d.ask(Input.auto_on)
        await d.message("go")
        await d.until_event("command_ended")
        d.agent.hang()
        await d.agent.entered.wait()
        await d.ask(Input.operator_command, text="sleep")
        await d.ask(Input.operator_command, text="uname")
        await d.sandboxes.until_running(2)
        d.agent.release()
        await d.until_state(State.concluded)
        await d.until_event("sandbox_removed")

        states = [one.state for one in await d.retests.commands(d.session_id)]
        assert states == [CommandState.finished, CommandState.killed, CommandState.withdrawn]
        assert d.executed == [REPLAY, "sleep"]


async def test_after_a_restart_what_runs_goes_before_what_waits(bench: Bench) -> None:
    await at_the_gate(bench)
    bench.ask(Input.operator_command, text="uname")
    await bench.quiet()
    bench.ask(Input.approve)
    await bench.quiet()
    await bench.reborn()
    await bench.quiet()
    await bench.check()
    bench.command_ends()
    await bench.quiet()
    await bench.check()

    agents, operators = await bench.retests.commands(bench.session_id)
    assert agents.state is CommandState.claimed
    assert bench.ran == (operators.id, agents.id)


async def test_a_sandbox_left_by_a_session_that_was_reopened_is_removed_at_the_next_start(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    await at_the_gate(bench)

    async def away(session_id: int) -> None:
        raise EngineUnavailable

    with monkeypatch.context() as patch:
        patch.setattr(bench.sandboxes, "remove", away)
        bench.ask(Input.conclude, status="fixed")
        await bench.quiet()
        bench.ask(Input.reopen)
        await bench.quiet()
    assert len(await bench.sandboxes.list()) == 1
    await bench.reborn()
    await bench.quiet()

    await bench.check()
    assert await bench.sandboxes.list() == ()


async def test_a_sandbox_that_cannot_be_reaped_does_not_keep_revalid_from_starting() -> None:
    async with desk([say("Hi.")]) as d:
        await d.message("go")
        await d.until_state(State.awaiting_operator)
        await d.sandboxes.create(99, (await d.session()).pinned)  # type: ignore[arg-type]

        async def away(session_id: int) -> None:
            raise EngineUnavailable

        d.sandboxes.remove = away  # type: ignore[method-assign]
        await d.reborn()

        assert (await d.session()).state is State.awaiting_operator


async def test_a_command_refused_by_the_sandbox_leaves_the_sandbox_as_it_is() -> None:
    async with desk([propose("id"), say("I see.")]) as d:
        d.sandboxes.fail_run = CommandNotStarted()
        await d.message("go")
        await d.approve()
        view = await d.until_state(State.awaiting_operator)
        d.sandboxes.fail_run = None
        await d.message("again")
        await d.until(lambda v: v.state is State.awaiting_operator and len(d.agent.requests) == 2)

        assert view.situation.sandbox
        assert d.sandboxes.created == 1
        assert not d.agent.requests[1].fresh_sandbox


async def test_an_output_that_cannot_be_kept_leaves_the_outcome_open_and_says_why() -> None:
    async with desk([propose("id")]) as d:

        async def full(data: bytes) -> str:
            raise StoreError("The disk is full.")

        d.outputs.put = full  # type: ignore[method-assign]
        await d.message("go")
        await d.approve()
        view = await d.until_state(State.awaiting_operator)
        failed = (await d.events("command_failed"))[0]

        assert failed.outcome == "unknown"
        assert failed.sentence == "The command ran, but its output could not be kept: The disk is full."
        assert (await d.command()).state is CommandState.unknown
        assert view.situation.sandbox
        refused = await d.ask(Input.conclude, status="fixed", exhibits=((await d.command()).id,))
        assert "proves nothing" in refused.sentence


async def test_a_report_waits_for_a_database_that_is_away(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker, "FIRST_PAUSE", 0)
    await at_the_gate(bench)
    bench.ask(Input.approve)
    await bench.quiet()
    bench.db.away = 20
    bench.command_ends()
    await bench.quiet()

    assert (await bench.retests.commands(bench.session_id))[-1].state is CommandState.finished
    assert len(bench.agent.thinking) == 1


async def test_people_are_answered_while_a_report_waits_for_the_database(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker, "FIRST_PAUSE", 3600)
    await at_the_gate(bench)
    bench.ask(Input.approve)
    await bench.quiet()
    bench.db.away = 1
    bench.command_ends()
    await bench.quiet()
    answer = await bench.retests.ask(bench.session_id, STOP)

    assert answer.done
    assert answer.session.situation.stop_requested
    await bench.reborn()
    await bench.quiet()
    assert (await bench.retests.session(bench.session_id)).state is State.stopped


async def test_a_turn_that_can_never_be_written_counts_as_lost(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker, "FIRST_PAUSE", 0)
    await at_the_gate(bench)
    bench.ask(Input.reject)
    await bench.quiet()
    bench.db.away = worker.TRIES
    bench.turn_ends(Said(text="Hm."))
    await bench.quiet()
    await bench.check()

    assert (await bench.retests.session(bench.session_id)).state is State.awaiting_operator
    failed = [
        one.event for one in await bench.retests.events(bench.session_id) if one.event.kind == "turn_failed"
    ]
    assert [event.sentence for event in failed] == [
        "The model's turn could not be stored; reply in the thread to try again."
    ]


async def test_a_mistake_in_writing_a_turn_down_parks_the_session(monkeypatch: pytest.MonkeyPatch) -> None:
    async with desk([say("One."), say("Two.")]) as d:

        async def broken(_: object) -> None:
            raise ZeroDivisionError

        with monkeypatch.context() as patch:
            patch.setitem(ledger.STEPS, Effect.post_prose, broken)
            await d.message("go")
            await d.until_state(State.awaiting_operator)
        await d.message("again")
        await d.until(lambda v: v.state is State.awaiting_operator and len(d.agent.requests) == 2)

        assert d.agent.requests[1].messages == ("go", "again")
        assert [event.text for event in await d.events("agent_said")] == ["Two."]


async def test_a_mistake_in_writing_a_result_down_parks_the_session(monkeypatch: pytest.MonkeyPatch) -> None:
    async with desk([propose("id")]) as d:
        await d.message("go")
        await d.waiting()
        monkeypatch.setitem(reporting._ENDED_AS, Outcome.exited, None)
        await d.approve()
        await d.until_state(State.awaiting_operator)

        assert (await d.command()).state is CommandState.unknown
        assert (await d.events("command_failed"))[0].sentence == (
            "The command ran, but its result could not be stored."
        )


async def test_what_arrives_during_a_turn_is_told_with_the_next(bench: Bench) -> None:
    bench.ask(Input.message)
    await bench.quiet()
    bench.build_ends()
    await bench.quiet()
    bench.ask(Input.goal_edit, goal=("First",))
    bench.ask(Input.operator_command, text="uname")
    await bench.quiet()
    bench.turn_ends(Said(text="Hm."))
    bench.ask(Input.goal_edit, goal=("Second",))
    bench.command_ends()
    await bench.quiet()
    bench.ask(Input.message)
    await bench.quiet()
    bench.turn_ends(Said(text="I see."))
    await bench.quiet()

    first, second = await bench.told()
    assert (first["notices"], first["seen"]) == ([], [])
    assert [notice.rsplit(": ")[-1] for notice in second["notices"]] == ["First", "Second"]
    assert len(second["seen"]) == 1


async def test_nothing_is_taken_after_closing() -> None:
    async with desk([]) as d:
        await d.retests.close()
        with pytest.raises(StoreError, match="shutting down"):
            await d.message("too late")
        with pytest.raises(StoreError, match="shutting down"):
            await d.retests.ask(d.session_id + 1, STOP)


async def test_a_verdict_on_a_session_that_never_began_speaks_of_no_sandbox() -> None:
    async with desk([]) as d:
        answer = await d.ask(Input.conclude, status="fixed")
        await d.retests.close()

        assert answer.sentence == "The verdict is recorded."
        assert "sandbox_removed" not in await d.kinds()


async def test_a_rebuilt_sandbox_is_shown_as_a_new_one() -> None:
    async with desk([propose("sleep"), say("I see.")]) as d:
        d.answers["sleep"] = Does(hang=True)
        await d.message("go")
        waiting = await d.waiting()
        await d.approve()
        await d.sandboxes.until_running(waiting.id)
        d.sandboxes.lose(d.session_id)
        await d.until_state(State.awaiting_operator)
        await d.message("go on")
        await d.until_event("sandbox_ready", 2)

        assert [event.rebuilt for event in await d.events("sandbox_ready")] == [False, True]


async def test_a_goal_that_cannot_be_drafted_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    async with desk([]) as d:

        async def broken(_: object) -> tuple[str, ...]:
            raise ZeroDivisionError

        monkeypatch.setattr(ScriptedAgent, "draft_goal", broken)
        await d.ask(Input.goal_regenerate)

        assert "stays" in (await d.until_event("agent_said")).text


async def test_retry_with_a_finished_turn_in_the_mailbox_runs_one_turn_and_posts_one(bench: Bench) -> None:
    bench.ask(Input.message)
    await bench.quiet()
    bench.build_ends()
    await bench.quiet()
    bench.turn_ends(Said(text="First."))
    bench.ask(Input.retry_turn)
    await bench.quiet()
    await bench.check()
    bench.turn_ends(Said(text="Second."))
    await bench.quiet()
    await bench.check()

    said = [
        one.event for one in await bench.retests.events(bench.session_id) if one.event.kind == "agent_said"
    ]
    assert [event.text for event in said] in (["First."], ["Second."])


async def test_a_killed_result_reaches_the_agent_of_the_next_life() -> None:
    async with desk([propose("sleep"), say("I see.")]) as d:
        d.answers["sleep"] = Does(hang=True)
        await d.message("go")
        waiting = await d.waiting()
        await d.approve()
        await d.sandboxes.until_running(waiting.id)
        await asyncio.gather(d.ask(Input.conclude, status="fixed"), d.ask(Input.reopen), d.message("again"))
        await d.until_state(State.awaiting_operator)

        told = d.agent.requests[1].answered
        assert isinstance(told, Ran)
        assert (told.outcome, d.sandboxes.created) == ("killed", 2)


async def test_a_goal_drafted_for_a_session_that_is_over_changes_nothing(bench: Bench) -> None:
    bench.ask(Input.goal_regenerate)
    await bench.quiet()
    drafted = (await bench.retests.session(bench.session_id)).goal
    bench.ask(Input.goal_edit, goal=("Mine",))
    bench.ask(Input.goal_regenerate)
    bench.ask(Input.end)
    await bench.quiet()

    assert drafted == ("Look again",)
    assert (await bench.retests.session(bench.session_id)).goal == ("Mine",)
