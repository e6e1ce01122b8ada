"""What a message does in each state (design: the first table)."""

from __future__ import annotations

import asyncio

from engine.lifecycle import Input, State
from tests.unit.engine.retest.desk import desk, propose, say


async def test_a_message_wakes_an_idle_session_and_the_agent_reads_it_first() -> None:
    async with desk([say("Hello.")]) as d:
        answer = await d.message("Look at the search page first.")
        view = await d.until_state(State.awaiting_operator)

        assert answer.done
        assert view.situation.sandbox
        assert d.agent.requests[0].messages == ("Look at the search page first.",)
        assert (await d.events("message_received"))[0].disposition == "woke"
        assert [e.text for e in await d.events("agent_said")] == ["Hello."]


async def test_two_messages_at_once_build_one_sandbox_and_lose_none() -> None:
    async with desk([say("One."), say("Two.")]) as d:
        await asyncio.gather(d.message("first"), d.message("second"))
        await d.until(lambda v: v.state is State.awaiting_operator and v.situation.queued == 0)

        assert d.sandboxes.created == 1
        heard = [text for request in d.agent.requests for text in request.messages]
        assert heard == ["first", "second"]


async def test_a_message_continues_after_a_hand_back() -> None:
    async with desk([say("Done."), say("Again.")]) as d:
        await d.message("go")
        await d.until_state(State.awaiting_operator)
        await d.message("and now?")
        await d.until(lambda v: v.state is State.awaiting_operator and len(d.agent.requests) == 2)

        assert d.agent.requests[1].messages == ("and now?",)
        assert (await d.events("message_received"))[1].disposition == "continued"


async def test_a_message_at_the_gate_is_queued_and_goes_along_with_the_decision() -> None:
    async with desk([propose("id"), say("Ran it.")]) as d:
        await d.message("go")
        waiting = await d.waiting()
        answer = await d.message("mind the port")
        assert answer.done
        assert "Queued" in answer.sentence
        assert (await d.waiting()).id == waiting.id
        assert len(d.agent.requests) == 1

        await d.approve()
        await d.until_state(State.awaiting_operator)

        assert d.agent.requests[1].messages == ("mind the port",)
        assert d.executed == ["id"]


async def test_set_aside_and_send_now_withdraws_the_command_and_delivers() -> None:
    async with desk([propose("id"), say("Heard you.")]) as d:
        await d.message("go")
        waiting = await d.waiting()
        refused = await d.ask(Input.set_aside, command_id=waiting.id)
        await d.message("not that one")
        answer = await d.ask(Input.set_aside, command_id=waiting.id)
        await d.until_state(State.awaiting_operator)

        assert not refused.done
        assert answer.done
        assert d.executed == []
        request = d.agent.requests[1]
        assert request.messages == ("not that one",)
        assert request.answered is not None
        assert request.answered.kind == "withdrawn"


async def test_a_message_during_a_turn_that_ends_in_a_proposal_sets_it_aside() -> None:
    async with desk([propose("id"), say("I read it.")]) as d:
        d.agent.hang()
        await d.message("go")
        await d.agent.entered.wait()
        await d.message("wait, look elsewhere")
        d.agent.release()
        await d.until_state(State.awaiting_operator)

        assert d.executed == []
        assert len(await d.events("command_withdrawn")) == 1
        assert d.agent.requests[1].messages == ("wait, look elsewhere",)


async def test_a_message_during_a_turn_that_hands_back_runs_again_at_once() -> None:
    async with desk([say("One."), say("Two.")]) as d:
        d.agent.hang()
        await d.message("go")
        await d.agent.entered.wait()
        await d.message("more")
        d.agent.release()
        await d.until(lambda v: v.state is State.awaiting_operator and len(d.agent.requests) == 2)

        assert d.agent.requests[1].messages == ("more",)


async def test_a_message_to_a_session_that_is_over_is_kept_as_a_note() -> None:
    async with desk([]) as d:
        await d.ask(Input.end)
        answer = await d.message("too late?")

        assert answer.done
        assert answer.session.state is State.ended
        assert "Restart" in answer.sentence
        assert (await d.events("message_received"))[0].disposition == "noted"


async def test_an_empty_message_is_refused_with_a_sentence() -> None:
    async with desk([]) as d:
        answer = await d.message("  \n")

        assert not answer.done
        assert answer.sentence == "The message is empty."
