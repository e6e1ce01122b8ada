"""What the engine tells before and around a session, and what it cannot be asked."""

from __future__ import annotations

from typing import Any

import pytest

from engine.agent.scripted import ScriptedAgent
from engine.errors import NotFound, ScopeError
from engine.lifecycle import Input, State
from engine.sandbox.scripted import Answer as Does
from engine.scope import Scope, Target
from engine.views import RAN
from tests.unit.engine.retest.desk import ALICE, CONTROL, REPLAY, desk, propose, say


async def test_the_proposed_scope_is_looked_up_and_says_what_needs_a_yes() -> None:
    async with desk([]) as d:
        finding_id = (await d.session()).finding_id
        public = await d.retests.proposed_scope(finding_id)
        d.sandboxes.names["shop.example.com"] = ("10.0.0.8",)
        private = await d.retests.proposed_scope(finding_id)
        d.sandboxes.names.clear()
        unknown = await d.retests.proposed_scope(finding_id)

        assert [(one.target.host, one.target.ports, one.addresses) for one in public] == [
            ("shop.example.com", (8080,), ("203.0.113.10",))
        ]
        assert public[0].dangers < private[0].dangers
        assert private[0].addresses == ("10.0.0.8",)
        assert unknown[0].addresses == ()


async def test_a_scope_without_a_port_opens_no_session() -> None:
    async with desk([]) as d:
        before = await d.retests.sessions()
        scope = Scope(targets=(Target(host="shop.example.com", ports=()),))
        with pytest.raises(ScopeError):
            await d.retests.open(finding_id=before[0].finding_id, by=ALICE, goal=(), scope=scope)

        assert await d.retests.sessions() == before


async def test_a_goal_is_drafted_by_the_agent() -> None:
    async with desk([], real=ScriptedAgent([], goal=("Replay it", "Compare"))) as d:
        assert await d.retests.draft_goal((await d.session()).finding_id) == ("Replay it", "Compare")


async def test_the_form_is_told_what_a_verdict_still_lacks() -> None:
    async with desk([propose(REPLAY), say("Done.")]) as d:
        d.answers[REPLAY] = Does(stdout=b"HTTP/1.1 200 OK\r\n\r\nno results")
        await d.message("go")
        await d.approve()
        await d.until_state(State.awaiting_operator)
        lacking = await d.retests.missing(d.session_id, "fixed")

        assert any(CONTROL in sentence for sentence in lacking)
        assert not any(REPLAY in sentence for sentence in lacking)
        assert await d.retests.missing(d.session_id, "inconclusive") == ()


async def test_the_engine_reads_back_what_it_keeps() -> None:
    async with desk([propose("id"), say("Done.")]) as d:
        await d.message("go")
        await d.approve()
        view = await d.until_state(State.awaiting_operator)
        kept = await d.retests.transcript(d.session_id)

        assert kept.session == view
        assert [one.event.kind for one in kept.events] == await d.kinds()
        assert [one.state in RAN for one in kept.commands] == [True]
        assert await d.retests.command(kept.commands[0].id) == kept.commands[0]
        assert [one.id for one in await d.retests.findings("injection")] == [view.finding_id]
        with pytest.raises(NotFound, match="C-77"):
            await d.retests.command(77)


@pytest.mark.parametrize(
    ("given", "words", "sentence"),
    [
        (Input.hand_over, {}, "Name the person."),
        (Input.hand_over, {"person": ALICE}, "They operate this session already."),
        (Input.conclude, {}, "Say which verdict: fixed, still_open or inconclusive."),
        (Input.conclude, {"status": "fixed", "exhibits": (9,)}, "C-9 did not run in this session"),
    ],
)
async def test_a_request_that_says_too_little_is_refused(
    given: Input, words: dict[str, Any], sentence: str
) -> None:
    async with desk([]) as d:
        answer = await d.ask(given, **words)

        assert not answer.done
        assert answer.sentence.startswith(sentence)


@pytest.mark.parametrize("seconds", [-1, 3601])
async def test_a_time_limit_out_of_range_is_refused(seconds: int) -> None:
    async with desk([propose("id")]) as d:
        await d.message("go")
        waiting = await d.waiting()
        answer = await d.ask(Input.edit, command_id=waiting.id, text="id", timeout_seconds=seconds)

        assert answer.sentence == "The time limit has to be between 1 and 3600 seconds."
        assert d.executed == []
