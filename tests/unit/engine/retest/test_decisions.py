"""Approve, edit, reject: the gate."""

from __future__ import annotations

import asyncio

import pytest

from engine.agent.port import NotRun, Ran
from engine.errors import NotFound
from engine.lifecycle import Input, State
from engine.sandbox.scripted import Answer as Does
from engine.views import CommandState
from tests.unit.engine.retest.desk import desk, propose, say


async def test_an_approved_command_runs_once_and_its_result_reaches_the_agent() -> None:
    async with desk([propose("id", "call-1"), say("Root.")]) as d:
        d.answers["id"] = Does(stdout=b"uid=0")
        await d.message("go")
        answer = await d.approve()
        await d.until_state(State.awaiting_operator)

        assert answer.done
        assert d.executed == ["id"]
        told = d.agent.requests[1].answered
        assert isinstance(told, Ran)
        assert (told.tool_call_id, told.stdout, told.exit_code, told.edited) == ("call-1", "uid=0", 0, False)
        ended = await d.command()
        assert ended.state is CommandState.finished
        assert await d.retests.output(ended.stdout_sha256 or "") == b"uid=0"


async def test_two_approvals_at_once_run_it_once() -> None:
    async with desk([propose("id"), say("Done.")]) as d:
        await d.message("go")
        waiting = await d.waiting()
        answers = await asyncio.gather(*(d.ask(Input.approve, command_id=waiting.id) for _ in range(2)))
        await d.until_state(State.awaiting_operator)

        assert sorted(answer.done for answer in answers) == [False, True]
        assert d.executed == ["id"]


async def test_an_edit_runs_the_edited_command_and_keeps_the_original_beside_it() -> None:
    async with desk([propose("id"), say("Done.")]) as d:
        await d.message("go")
        waiting = await d.waiting()
        await d.ask(Input.edit, command_id=waiting.id, text="id -u", timeout_seconds=5)
        await d.until_state(State.awaiting_operator)

        assert d.executed == ["id -u"]
        told = d.agent.requests[1].answered
        assert isinstance(told, Ran)
        assert (told.command, told.edited) == ("id -u", True)
        ended = await d.command()
        assert (ended.edited_from, ended.timeout_seconds) == ("id", 5)
        assert ended.digest != waiting.digest


@pytest.mark.parametrize("text", ["", "a\x00b", "x" * 70_000])
async def test_an_edit_that_cannot_run_is_refused_and_the_gate_stays_open(text: str) -> None:
    async with desk([propose("id")]) as d:
        await d.message("go")
        waiting = await d.waiting()
        answer = await d.ask(Input.edit, command_id=waiting.id, text=text)

        assert not answer.done
        assert answer.sentence.startswith("This command cannot run: ")
        assert (await d.session()).state is State.awaiting_command


async def test_a_reject_runs_nothing_and_the_next_proposal_opens_a_gate() -> None:
    async with desk([propose("id"), propose("whoami")]) as d:
        await d.message("go")
        waiting = await d.waiting()
        await d.ask(Input.reject, command_id=waiting.id, text="too noisy")
        view = await d.until(lambda v: v.waiting is not None and v.waiting.id != waiting.id)

        assert view.state is State.awaiting_command
        assert d.executed == []
        told = d.agent.requests[1].answered
        assert isinstance(told, NotRun)
        assert (told.kind, told.reason) == ("rejected", "too noisy")


async def test_three_rejects_in_a_row_hand_back_and_ask() -> None:
    async with desk([propose("a"), propose("b"), propose("c"), say("Thanks.")]) as d:
        await d.message("go")
        for _ in range(3):
            waiting = await d.waiting()
            await d.ask(Input.reject, command_id=waiting.id)
            await d.until(lambda v, last=waiting.id: v.waiting is None or v.waiting.id != last)
        await d.until_state(State.awaiting_operator)

        assert "Three proposals" in (await d.events("agent_said"))[0].text
        await d.message("try the login page")
        await d.until(lambda v: v.state is State.awaiting_operator and len(d.agent.requests) == 4)
        assert isinstance(d.agent.requests[3].answered, NotRun)


async def test_decisions_on_anything_but_the_waiting_proposal_are_refused() -> None:
    async with desk([propose("id"), say("Done.")]) as d:
        await d.message("go")
        waiting = await d.waiting()
        await d.ask(Input.stop)
        held = await d.ask(Input.approve, command_id=waiting.id)
        await d.message("on")
        await d.ask(Input.approve, command_id=waiting.id)
        await d.until_state(State.awaiting_operator)
        again = await d.ask(Input.approve, command_id=waiting.id)
        with pytest.raises(NotFound):
            await d.ask(Input.approve, command_id=9999)

        assert not held.done
        assert "held" in held.sentence
        assert not again.done
        assert "has run" in again.sentence
        assert d.executed == ["id"]


async def test_a_command_of_another_session_cannot_be_approved_here() -> None:
    async with desk(lambda _: propose("id")) as d:
        await d.message("go")
        foreign = await d.waiting()
        await d.open()
        await d.message("go")
        await d.waiting()
        answer = await d.ask(Input.approve, command_id=foreign.id)

        assert not answer.done
        assert "another session" in answer.sentence
        assert d.executed == []
