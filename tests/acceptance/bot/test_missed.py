"""Sockets that drop, deliveries that come twice or in another order, and a process that died half way."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from bot.app import Bot
from bot.settings import Settings
from engine.agent.port import Said
from tests.acceptance.bot.stage import Stage, StillClock


async def _heard(stage: Stage) -> list[str]:
    """What reached the transcript, in order."""
    events = await stage.bot.engine.retests.events(1)
    return [one.event.text for one in events if one.event.kind == "message_received"]


async def _until(stage: Stage, holds: Callable[[list[str]], bool]) -> None:
    """Wait until what was heard is so; woken by each change."""
    watch = stage.bot.engine.retests.feed.watch()
    try:
        async with asyncio.timeout(30):
            while not holds(await _heard(stage)):
                await watch.next()
    finally:
        stage.bot.engine.retests.feed.unwatch(watch)


async def _until_heard(stage: Stage, *texts: str) -> None:
    await _until(stage, lambda heard: heard[-len(texts) :] == list(texts))


async def test_what_was_written_while_no_socket_was_open_is_taken_once_and_in_order(stage: Stage) -> None:
    root, _ = await stage.proposed(stage.alice, "id")
    chaos = stage.workspace.chaos
    await chaos.set(door="held")
    await chaos.drop()
    for word in ("one", "two", "three"):
        await stage.alice.reply(root, word)
    await stage.ben.reply(root, "not mine to say")
    await chaos.set(door="open", duplicates=1)
    await stage.workspace.until(chaos.connected)
    await stage.alice.reply(root, "four")
    await _until_heard(stage, "one", "two", "three", "four")
    assert await _heard(stage) == ["one", "two", "three", "four"]

    # And once more: what was read before is not read again.
    await chaos.drop()
    await stage.workspace.until(chaos.connected)
    await stage.alice.reply(root, "five")
    await _until_heard(stage, "four", "five")
    assert await _heard(stage) == ["one", "two", "three", "four", "five"]


async def test_what_is_fetched_survives_slack_asking_to_slow_down(stage: Stage) -> None:
    root, _ = await stage.proposed(stage.alice, "id")
    chaos = stage.workspace.chaos
    await chaos.fail("conversations.replies", status=429, retry_after=30, times=2)
    await chaos.fail("conversations.replies", status=503, times=1)
    await chaos.set(door="held")
    await chaos.drop()
    await stage.alice.reply(root, "one")
    await chaos.set(door="open")
    await _until_heard(stage, "one")
    assert (await chaos.now())["struck"]["conversations.replies"] == 3


async def test_a_thread_that_cannot_be_read_still_takes_what_comes_live(stage: Stage) -> None:
    root, _ = await stage.proposed(stage.alice, "id")
    chaos = stage.workspace.chaos
    await chaos.fail("conversations.replies", status=200, error="missing_scope")
    await chaos.drop()
    await stage.workspace.until(chaos.connected)
    await stage.alice.reply(root, "one")
    await _until_heard(stage, "one")


async def test_deliveries_in_another_order_and_twice_are_taken_once_each(stage: Stage) -> None:
    root, _ = await stage.proposed(stage.alice, "id")
    chaos = stage.workspace.chaos
    await chaos.set(hold=True, duplicates=2, seed=5)
    words = ["one", "two", "three", "four", "five"]
    for word in words:
        await stage.alice.reply(root, word)
    await chaos.release(shuffled=True)

    await _until(stage, lambda heard: len(heard) == len(words))
    await chaos.calm()
    await stage.alice.reply(root, "last")
    await _until_heard(stage, "last")
    assert sorted(await _heard(stage)) == sorted([*words, "last"])


async def test_what_was_done_but_not_marked_done_is_not_done_again(
    stage: Stage, settings: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as dying:
        dying.setattr("bot.inbox.Inbox.done", lambda _self, _key: None)
        root, card = await stage.proposed(stage.alice, "id")
        await stage.alice.reply(root, "mind the port")
        await _until_heard(stage, "mind the port")
        stage.steps.append(Said(text="Seen."))
        await stage.alice.click(card, "approve")
        await stage.in_thread(root, "Seen.")
        await stage.alice.reply(root, "!whoami")
        await stage.in_thread(root, "ran whoami")
        await stage.bot.close()
    stage.bot = Bot(
        Settings(_env_file=None, **settings),
        sandboxes=stage.sandboxes,
        agent=stage.agent,
        pacing=StillClock().pacing(),
    )
    await stage.bot.start()
    try:
        stage.steps.append(Said(text="Still here."))
        await stage.alice.reply(root, "after")
        await stage.in_thread(root, "Still here.")
        assert await _heard(stage) == ["mind the port", "after"]
        assert (stage.sandboxes.times("id"), stage.sandboxes.times("whoami")) == (1, 1)
        assert len(await stage.bot.engine.retests.sessions()) == 1
    finally:
        await stage.bot.close()
