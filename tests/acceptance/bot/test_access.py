"""Who may act, on every way in."""

from __future__ import annotations

from typing import Any

import pytest

from bot.workspace.client import Person
from engine.agent.port import Said
from tests.acceptance.bot.stage import CHANNEL, Stage

SHARED = "C0SHARED"


async def test_a_colleague_reads_along_and_every_way_in_refuses_them(stage: Stage) -> None:
    root, card = await stage.proposed(stage.alice, "id")
    ben = stage.ben
    for action in ("approve", "edit", "reject"):
        await ben.click(card, action)
        await _refused(stage, ben)
    for action in ("stop", "auto_on", "conclude", "restart", "end"):
        await ben.click(root, action)
        await _refused(stage, ben)
    await stage.slash(ben, "conclude R-1 fixed")
    await _refused(stage, ben)
    await ben.shortcut(card, "session_actions")
    await _refused(stage, ben)
    await ben.reply(root, "@revalid stop")
    await _refused(stage, ben)
    await ben.reply(root, "!id")
    await _refused(stage, ben)
    assert await stage.workspace.views(ben) == []
    assert stage.sandboxes.executed == []
    assert len(stage.agent.requests) == 1
    [session] = await stage.bot.engine.retests.sessions()
    assert session.state == "awaiting_command"
    assert await stage.workspace.ephemerals(stage.alice) == []


async def test_colleagues_who_talk_in_the_thread_are_told_once(stage: Stage) -> None:
    root = await stage.opened(stage.alice)
    await stage.ben.reply(root, "Is it the same login?")
    await _refused(stage, stage.ben)
    await stage.ben.reply(root, "I think it is.")
    stage.steps.append(Said(text="Hello Alice."))
    await stage.alice.reply(root, "Start.")
    await stage.in_thread(root, "Hello Alice.")
    assert await stage.workspace.ephemerals(stage.ben) == []
    assert stage.agent.requests[0].messages == ("Start.",)


async def test_a_form_is_checked_when_it_is_sent_too(stage: Stage) -> None:
    root = await stage.opened(stage.alice)
    await stage.alice.click(root, "conclude")
    form = await stage.form(stage.alice, "conclude_form")
    hub = stage.server.hub
    payload = hub.payloads.view_submission(hub.state.user(stage.ben.id), form, {"status": {}})
    payload["trigger_id"] = hub.triggers.issue(stage.ben.id)
    answer = await hub.sockets.ask("interactive", payload)
    assert "read along" in str(answer["errors"])
    assert (await stage.bot.engine.retests.finding(1)).verdict is None


@pytest.mark.parametrize("words", ["help", "findings", "import", "sessions"])
async def test_a_shared_channel_gets_nothing(stage: Stage, words: str) -> None:
    await stage.imported()
    for person in (stage.alice, stage.carol):
        answer = await person.slash(SHARED, "/revalid", words)
        assert answer["ok"]
        told = stage.text(await stage.whisper(person, "organisation"))
        assert "SQL injection" not in told
        assert await stage.workspace.views(person) == []
    assert len(await stage.workspace.messages(SHARED)) == 0


async def test_somebody_from_elsewhere_is_refused_in_a_channel_that_became_shared(stage: Stage) -> None:
    root, card = await stage.proposed(stage.alice, "id")
    await stage.alice.invite(CHANNEL, "carol")
    await stage.carol.click(card, "approve")
    await stage.whisper(stage.carol, "Only people of the organisation")
    await stage.carol.reply(root, "!id")
    await stage.whisper(stage.carol, "Only people of the organisation")
    await stage.alice.reply(root, "!id")
    await stage.whisper(stage.alice, "shared with another organisation")
    assert stage.sandboxes.executed == []


class TestConfiguredOperators:
    @pytest.fixture
    def settings(self, settings: dict[str, Any]) -> dict[str, Any]:
        return {**settings, "operators": ("U0BEN",)}

    async def test_only_they_open_and_operate(self, stage: Stage) -> None:
        await stage.imported()
        await stage.slash(stage.alice, "retest F-1")
        await stage.whisper(stage.alice, "Only the operators in Revalid's settings", "U0ALICE")
        assert await stage.workspace.views(stage.alice) == []
        root = await stage.opened(stage.ben)
        await stage.alice.click(root, "end")
        await stage.whisper(stage.alice, "Only the operators")
        await stage.slash(stage.ben, "end")
        await stage.whisper(stage.ben, "Ended without a verdict")


async def _refused(stage: Stage, person: Person) -> None:
    """They were told, and only they; the next refusal is looked for afresh."""
    told = await stage.whisper(person, "read along")
    await stage.workspace.do("dismiss", {"person": person.id, "channel": CHANNEL, "ts": told["ts"]})


async def test_in_a_direct_message_it_is_told_where_the_bot_works(stage: Stage) -> None:
    hub = stage.server.hub
    channel = hub.state.channel(CHANNEL)
    asked = hub.payloads.command(
        hub.state.user(stage.alice.id),
        channel,
        "/revalid",
        "retest F-1",
        trigger_id=hub.triggers.issue(stage.alice.id),
        response_url=hub.response_url(stage.alice.id, channel),
    )
    await hub.sockets.ask(
        "slash_commands", asked | {"channel_id": "D0ALICE", "channel_name": "directmessage"}
    )
    await stage.whisper(stage.alice, "works in channels")
    assert await stage.workspace.views(stage.alice) == []
