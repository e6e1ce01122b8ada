"""People who edit or delete what the agent has not read yet."""

from __future__ import annotations

from engine.agent.port import Said
from tests.acceptance.bot.stage import Stage


async def _until_event(stage: Stage, kind: str) -> None:
    watch = stage.bot.engine.retests.feed.watch()
    try:
        while kind not in [one.event.kind for one in await stage.bot.engine.retests.events(1)]:
            await watch.next()
    finally:
        stage.bot.engine.retests.feed.unwatch(watch)


async def test_the_agent_reads_a_queued_message_as_edited_and_none_that_was_deleted(
    stage: Stage,
) -> None:
    root, card = await stage.proposed(stage.alice, "id")
    edited = await stage.alice.reply(root, "look at port 80")
    deleted = await stage.alice.reply(root, "never mind")
    await stage.whisper(stage.alice, "Your message is queued")
    await stage.alice.edit(edited, "look at port 8080")
    await stage.alice.delete(deleted)
    await _until_event(stage, "message_changed")
    await _until_event(stage, "message_withdrawn")
    assert (await stage.bot.engine.retests.session(1)).situation.queued == 1

    stage.steps.append(Said(text="Seen."))
    await stage.alice.click(card, "approve")
    await stage.in_thread(root, "Seen.")
    assert stage.agent.requests[-1].messages == ("look at port 8080",)

    # What it has read stays as it was read, and nobody is told anything.
    whispers = len(await stage.workspace.ephemerals(stage.alice))
    await stage.alice.edit(edited, "look at port 9")
    stage.steps.append(Said(text="Again."))
    await stage.alice.reply(root, "go on")
    await stage.in_thread(root, "Again.")
    kinds = [one.event.kind for one in await stage.bot.engine.retests.events(1)]
    assert kinds.count("message_changed") == 1
    assert len(await stage.workspace.ephemerals(stage.alice)) == whispers
