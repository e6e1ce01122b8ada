"""What is asked again under the same key, as after a crash between an effect and the note that it is done."""

from __future__ import annotations

from datetime import timedelta

import pytest

from engine.findings.model import Finding
from engine.lifecycle import Input, State
from engine.store import asked
from tests.unit.engine.retest.desk import ALICE, FINDING, SCOPE, desk, propose, say
from tests.unit.engine.store.conftest import NOW


async def test_a_message_is_taken_once_and_answered_alike() -> None:
    async with desk([say("Hello.")]) as d:
        first = await d.ask(Input.message, text="go", key="message:C1:1.1")
        await d.until_state(State.awaiting_operator)
        await d.reborn()
        again = await d.ask(Input.message, text="go", key="message:C1:1.1")

        assert (again.done, again.sentence, again.message_id) == (True, first.sentence, first.message_id)
        assert again.session.state is State.awaiting_operator
        assert len(await d.events("message_received")) == 1
        assert len(d.agent.requests) == 1


async def test_a_decision_is_taken_once() -> None:
    async with desk([propose("id"), say("Ran it.")]) as d:
        await d.message("go")
        first = await d.waiting()
        await d.ask(Input.approve, command_id=first.id, key="click 1")
        await d.until_state(State.awaiting_operator)
        again = await d.ask(Input.approve, command_id=first.id, key="click 1")

        assert again.done
        assert d.executed == ["id"]


async def test_a_command_of_the_operator_runs_once() -> None:
    async with desk([say("Hello.")]) as d:
        await d.message("go")
        await d.until_state(State.awaiting_operator)
        await d.ask(Input.operator_command, text="id", key="message:C1:2.2")
        await d.until_event("command_ended")
        await d.ask(Input.operator_command, text="id", key="message:C1:2.2")
        await d.ask(Input.operator_command, text="id", key="message:C1:3.3")
        await d.until_event("command_ended", 2)

        assert d.executed == ["id", "id"]


async def test_a_verdict_is_recorded_once_and_a_session_restarted_once() -> None:
    async with desk([]) as d:
        await d.ask(Input.conclude, status="fixed", text="Seen.", key="form 1")
        await d.ask(Input.conclude, status="fixed", text="Seen.", key="form 1")
        first = await d.ask(Input.restart, key="click 2")
        again = await d.ask(Input.restart, key="click 2")

        assert len(await d.retests.verdicts(first.session.finding_id)) == 1
        assert first.fresh
        assert again.fresh
        assert first.fresh.id == again.fresh.id
        assert len(await d.retests.sessions()) == 2


async def test_what_was_refused_stays_refused_although_it_would_be_possible_by_now() -> None:
    async with desk([say("Hello.")]) as d:
        refused = await d.ask(Input.resume, key="click 1")
        await d.ask(Input.stop)
        again = await d.ask(Input.resume, key="click 1")

        assert not refused.done
        assert (again.done, again.sentence) == (False, refused.sentence)
        assert again.session.state is State.stopped


async def test_without_a_key_everything_is_asked_anew() -> None:
    async with desk([say("One."), say("Two.")]) as d:
        await d.message("go")
        await d.message("go")
        await d.until(lambda v: v.state is State.awaiting_operator and v.situation.queued == 0)
        assert len(await d.events("message_received")) == 2


async def test_a_session_is_opened_and_findings_are_imported_once() -> None:
    async with desk([]) as d:
        other = Finding(format="manual", ref="2", title="Another")
        first = await d.retests.import_findings([FINDING, other], ALICE, key="form 1")
        again = await d.retests.import_findings([FINDING, other], ALICE, key="form 1")
        assert [one.id for one in again.new] == [one.id for one in first.new] != []
        assert [one.id for one in again.known] == [one.id for one in first.known] != []

        finding_id = first.new[0].id
        opened = [
            await d.retests.open(finding_id=finding_id, by=ALICE, goal=(), scope=SCOPE, key="form 2")
            for _ in range(2)
        ]
        assert opened[0].id == opened[1].id


async def test_what_was_not_stored_is_done_when_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    async with desk([say("Hello.")]) as d:
        with monkeypatch.context() as broken:

            def die(*_: object) -> None:
                raise OSError("the process dies here")

            broken.setattr("engine.worker.done", die)
            with pytest.raises(OSError, match="dies"):
                await d.ask(Input.message, text="go", key="message:C1:1.1")
        assert await d.events("message_received") == []
        assert (await d.ask(Input.message, text="go", key="message:C1:1.1")).done
        await d.until_state(State.awaiting_operator)
        assert len(await d.events("message_received")) == 1


async def test_old_keys_are_forgotten_at_the_start() -> None:
    async with desk([]) as d:
        async with d.db.begin() as tx:
            await asked.keep(tx, "old", {"done": True}, NOW - timedelta(days=4000))
        await d.reborn()
        async with d.db.read() as tx:
            assert await asked.recall(tx, "old") is None
