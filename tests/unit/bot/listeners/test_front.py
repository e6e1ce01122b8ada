"""Acknowledged in time, and every error answered where it was asked."""

from __future__ import annotations

import asyncio
from typing import Any, cast

import pytest

from bot.inbox import KEY, Inbox
from bot.listeners import asked as read
from bot.listeners import front as front_module
from bot.listeners.asked import Asked
from bot.listeners.desk import Desk
from bot.listeners.front import FieldError, Front
from bot.replies import Ignored
from bot.running import Running
from bot.turns import Turns
from engine.errors import NotFound

COMMAND = {"team_id": "T1", "user_id": "U1", "channel_id": "C1", "text": "help", "trigger_id": "1.2"}
INPUTS = [{"type": "input", "block_id": "status"}, {"type": "input", "block_id": "rationale"}]


class FakeDesk:
    def __init__(self) -> None:
        self.said: list[str] = []
        self.fails = False

    async def say(self, asked: Asked, words: str) -> None:
        if self.fails:
            raise TimeoutError
        self.said.append(words)

    async def located(self, asked: Asked) -> Asked:
        return asked


class FakeInbox:
    def __init__(self) -> None:
        self.finished: list[str] = []

    def done(self, key: str) -> None:
        self.finished.append(key)


class Rig:
    def __init__(self) -> None:
        self.desk, self.inbox, self.running = FakeDesk(), FakeInbox(), Running()
        self.front = Front(cast("Desk", self.desk), cast("Inbox", self.inbox), self.running, Turns())
        self.acked: list[Any] = []

    async def ack(self, answer: Any = None) -> None:
        self.acked.append(answer)

    async def click(self, error: Exception | None) -> None:
        async def listen(asked: Asked) -> None:
            assert self.acked == [None], "nothing is done before Slack knows"
            if error is not None:
                raise error

        listener = self.front.click(listen, read.command)
        await listener(ack=self.ack, body=COMMAND, context={KEY: "k"})
        await self.running.drain(5)

    async def send(self, listen: Any, blocks: list[dict[str, Any]] | None = None) -> None:
        view = {"private_metadata": "s1", "blocks": INPUTS if blocks is None else blocks}
        body = {"user": {"id": "U1", "team_id": "T1"}, "view": view}
        await self.front.form(listen)(ack=self.ack, body=body, context={KEY: "k"})


@pytest.fixture
def rig() -> Rig:
    return Rig()


async def test_a_click_is_acknowledged_first_and_marked_done_last(rig: Rig) -> None:
    await rig.click(None)
    assert rig.inbox.finished == ["k"]
    assert rig.desk.said == []


async def test_an_error_is_told_and_the_delivery_is_done(rig: Rig) -> None:
    await rig.click(NotFound("There is no F-9."))
    assert rig.desk.said == ["There is no F-9."]
    assert rig.inbox.finished == ["k"]


async def test_who_is_ignored_hears_nothing(rig: Rig) -> None:
    await rig.click(Ignored())
    assert rig.desk.said == []


async def test_an_error_that_cannot_even_be_told_ends_there(rig: Rig) -> None:
    rig.desk.fails = True
    await rig.click(ValueError())
    assert rig.inbox.finished == ["k"]


async def test_an_interrupted_listener_leaves_its_delivery_for_the_next_start(rig: Rig) -> None:
    async def listen(asked: Asked) -> None:
        await asyncio.Event().wait()

    await rig.front.click(listen, read.command)(ack=rig.ack, body=COMMAND, context={KEY: "k"})
    await rig.running.drain(0.01)
    assert rig.inbox.finished == []


async def test_a_form_closes_when_all_is_well(rig: Rig) -> None:
    async def listen(asked: Asked) -> None:
        return None

    await rig.send(listen)
    assert rig.acked == [None]
    assert rig.inbox.finished == ["k"]


@pytest.mark.parametrize(
    ("error", "field"),
    [
        (FieldError("rationale", "Say why."), "rationale"),
        (FieldError("unknown", "Say why."), "status"),
        (NotFound("Say why."), "status"),
    ],
)
async def test_what_is_wrong_stands_beside_the_entry(rig: Rig, error: Exception, field: str) -> None:
    async def listen(asked: Asked) -> None:
        raise error

    await rig.send(listen)
    assert rig.acked == [{"response_action": "errors", "errors": {field: "Say why."}}]


async def test_a_window_without_entries_becomes_the_answer(rig: Rig) -> None:
    async def listen(asked: Asked) -> None:
        raise NotFound("It is gone.")

    await rig.send(listen, blocks=[{"type": "rich_text"}])
    assert rig.acked[0]["response_action"] == "update"
    assert "It is gone." in str(rig.acked[0]["view"])


async def test_a_slow_form_is_acknowledged_in_time_and_answered_in_the_thread(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(front_module, "FORM_SECONDS", 0.01)
    go = asyncio.Event()

    async def listen(asked: Asked) -> None:
        await go.wait()
        raise FieldError("status", "Concluded meanwhile.")

    await rig.send(listen)
    assert rig.acked == [None]
    go.set()
    await rig.running.drain(5)
    assert rig.desk.said == ["Concluded meanwhile."]


async def test_a_slow_form_without_an_error_says_nothing_more(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(front_module, "FORM_SECONDS", 0.01)
    go = asyncio.Event()

    async def listen(asked: Asked) -> None:
        await go.wait()

    await rig.send(listen)
    go.set()
    await rig.running.drain(5)
    assert rig.desk.said == []
