"""Conclude, Conclude again, Reopen, Restart, End, and who may operate."""

from __future__ import annotations

import pytest

from engine.agent.port import Ran
from engine.lifecycle import Input, State
from engine.sandbox.scripted import Answer as Does
from engine.views import CommandState, Status
from tests.unit.engine.retest.desk import ALICE, REPLAY, desk, propose, say


@pytest.mark.parametrize("status", ["fixed", "still_open", "inconclusive"])
async def test_an_operator_may_conclude_anything_at_any_live_point(status: Status) -> None:
    async with desk([]) as d:
        answer = await d.ask(Input.conclude, status=status, text="I looked.")

        assert answer.session.state is State.concluded
        verdict = answer.session.verdict
        assert verdict is not None
        assert (verdict.status, verdict.rationale, verdict.by) == (status, "I looked.", ALICE)
        finding = await d.retests.finding(answer.session.finding_id)
        assert finding.verdict == verdict


async def test_conclude_takes_the_commands_that_ran_as_exhibits() -> None:
    async with desk([propose(REPLAY), say("Open.")]) as d:
        d.answers[REPLAY] = Does(stdout=b"SQL syntax")
        await d.message("go")
        await d.approve()
        await d.until_state(State.awaiting_operator)
        answer = await d.ask(Input.conclude, status="still_open")

        verdict = answer.session.verdict
        assert verdict is not None
        exhibit = verdict.exhibits[0]
        assert (exhibit.command_id, exhibit.role, exhibit.command) == (1, "replay", REPLAY)
        assert await d.retests.output(exhibit.stdout_sha256) == b"SQL syntax"


async def test_a_command_that_did_not_run_proves_nothing() -> None:
    async with desk([propose("id")]) as d:
        await d.message("go")
        waiting = await d.waiting()
        answer = await d.ask(Input.conclude, status="fixed", exhibits=(waiting.id, 77))

        assert not answer.done
        assert answer.sentence.startswith(f"C-{waiting.id}, C-77 did not run")
        assert (await d.session()).state is State.awaiting_command


async def test_concluding_kills_what_runs_and_its_end_changes_nothing() -> None:
    async with desk([propose("sleep")]) as d:
        d.answers["sleep"] = Does(hang=True)
        await d.message("go")
        waiting = await d.waiting()
        await d.approve()
        await d.sandboxes.until_running(waiting.id)
        await d.ask(Input.conclude, status="still_open", text="seen enough")
        await d.until_event("sandbox_removed")
        view = await d.session()

        assert view.state is State.concluded
        assert view.verdict is not None
        assert (await d.command()).state is CommandState.killed
        assert len(d.agent.requests) == 1
        assert await d.sandboxes.list() == ()


async def test_a_turn_that_ends_after_the_verdict_changes_nothing() -> None:
    async with desk([propose("id")]) as d:
        d.agent.hang()
        await d.message("go")
        await d.agent.entered.wait()
        await d.ask(Input.conclude, status="fixed")
        d.agent.release()
        await d.until_event("sandbox_removed")
        view = await d.session()

        assert (view.state, view.waiting) == (State.concluded, None)
        assert "command_proposed" not in await d.kinds()


async def test_ending_while_the_sandbox_is_being_built_leaves_none_behind() -> None:
    async with desk([]) as d:
        await d.message("go")
        await d.ask(Input.end)
        await d.until_event("sandbox_removed")

        assert (await d.session()).state is State.ended
        assert await d.sandboxes.list() == ()


async def test_conclude_again_supersedes_and_keeps_the_earlier_one() -> None:
    async with desk([]) as d:
        first = (await d.ask(Input.conclude, status="fixed")).session
        second = (await d.ask(Input.conclude_again, status="still_open", text="wrong host")).session

        assert first.verdict is not None
        assert second.verdict is not None
        assert (second.verdict.status, second.verdict.supersedes) == ("still_open", first.verdict.id)
        assert second.verdict.reason == "operator_adjudication"
        kept = await d.retests.verdicts(second.finding_id)
        assert [verdict.status for verdict in kept] == ["fixed", "still_open"]


async def test_reopen_withdraws_the_verdict_and_the_agent_keeps_its_history() -> None:
    async with desk([propose("id"), say("Done."), say("I remember.")]) as d:
        await d.message("go")
        await d.approve()
        await d.until_state(State.awaiting_operator)
        concluded = (await d.ask(Input.conclude, status="fixed")).session
        await d.until_event("sandbox_removed")
        answer = await d.ask(Input.reopen)

        assert answer.session.state is State.idle
        assert answer.session.verdict is None
        assert (await d.retests.finding(concluded.finding_id)).verdict is None
        kept = await d.retests.verdicts(concluded.finding_id)
        assert [(verdict.status, verdict.withdrawn_by) for verdict in kept] == [("fixed", ALICE)]
        await d.message("once more")
        await d.until_state(State.awaiting_operator)
        request = d.agent.requests[2]
        assert request.fresh_sandbox
        assert request.history != b"[]"
        assert d.sandboxes.created == 2


async def test_a_command_killed_by_the_verdict_is_told_after_reopening() -> None:
    async with desk([propose("sleep"), say("I see.")]) as d:
        d.answers["sleep"] = Does(hang=True)
        await d.message("go")
        waiting = await d.waiting()
        await d.approve()
        await d.sandboxes.until_running(waiting.id)
        await d.ask(Input.conclude, status="fixed")
        await d.until_event("sandbox_removed")
        await d.ask(Input.reopen)
        await d.message("again")
        await d.until_state(State.awaiting_operator)

        told = d.agent.requests[1].answered
        assert isinstance(told, Ran)
        assert told.outcome == "killed"


async def test_restart_ends_this_session_and_links_a_fresh_one_both_ways() -> None:
    async with desk([propose("id")]) as d:
        await d.message("go")
        await d.waiting()
        answer = await d.ask(Input.restart)

        assert answer.fresh is not None
        assert answer.session.state is State.ended
        assert answer.session.restarted_as == answer.fresh.id
        assert answer.fresh.state is State.idle
        assert answer.fresh.restarted_from == answer.session.id
        assert (answer.fresh.goal, answer.fresh.scope) == (answer.session.goal, answer.session.scope)
        assert (await d.command()).state is CommandState.withdrawn


async def test_restart_of_a_concluded_session_keeps_its_verdict() -> None:
    async with desk([]) as d:
        await d.ask(Input.conclude, status="fixed")
        answer = await d.ask(Input.restart)

        assert answer.session.state is State.concluded
        assert answer.session.verdict is not None
        assert answer.fresh is not None


async def test_end_records_no_verdict_and_terminal_is_terminal() -> None:
    async with desk([say("Hi.")]) as d:
        await d.message("go")
        await d.until_state(State.awaiting_operator)
        answer = await d.ask(Input.end)
        await d.until_event("sandbox_removed")
        refused = [
            await d.ask(given, text="x", status="fixed", person="T1:BEN")
            for given in (Input.stop, Input.conclude, Input.operator_command, Input.auto_on, Input.reopen)
        ]

        assert answer.session.verdict is None
        assert not any(answer.done for answer in refused)
        assert all("ended" in answer.sentence for answer in refused)


async def test_operators_change_by_hand_over_and_by_adding() -> None:
    async with desk([]) as d:
        added = (await d.ask(Input.add_operator, person="T1:BEN")).session
        handed = (await d.ask(Input.hand_over, person="T1:CAROL")).session
        again = await d.ask(Input.add_operator, person="T1:BEN")

        assert (added.operator, added.others) == (ALICE, ("T1:BEN",))
        assert (handed.operator, handed.others) == ("T1:CAROL", ("T1:BEN", ALICE))
        assert not again.done


async def test_a_goal_reaches_the_agent_at_the_next_turn_and_never_wakes_it() -> None:
    async with desk([say("One."), say("Two.")]) as d:
        await d.message("go")
        await d.until_state(State.awaiting_operator)
        await d.ask(Input.goal_edit, goal=("Check the login",))
        assert len(d.agent.requests) == 1
        await d.message("go on")
        await d.until(lambda v: v.state is State.awaiting_operator and len(d.agent.requests) == 2)

        assert d.agent.requests[1].goal == ("Check the login",)
        assert any("Check the login" in notice for notice in d.agent.requests[1].notices)


async def test_a_regenerated_goal_replaces_the_old_one_or_says_that_there_is_none() -> None:
    async with desk([]) as d:
        await d.ask(Input.goal_regenerate)
        await d.until_event("agent_said")
        assert (await d.session()).goal == ("Search",)


async def test_turning_auto_run_on_approves_the_waiting_command() -> None:
    async with desk([propose("id"), say("Done.")]) as d:
        await d.message("go")
        await d.waiting()
        await d.ask(Input.auto_on)
        await d.until_state(State.awaiting_operator)

        assert d.executed == ["id"]
        assert (await d.command()).decided_by == "auto-run"


async def test_turning_auto_run_on_does_not_wake_a_resting_session() -> None:
    async with desk([say("One.")]) as d:
        await d.message("go")
        await d.until_state(State.awaiting_operator)
        answer = await d.ask(Input.auto_on)

        assert answer.done
        assert answer.session.state is State.awaiting_operator
        assert len(d.agent.requests) == 1
