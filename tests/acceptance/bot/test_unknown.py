"""A command of which nobody knows whether it ran: two buttons on its card, and stale clicks answered."""

from __future__ import annotations

from bot.blocks.ids import Action, of_command
from engine.agent.port import Said
from engine.sandbox.scripted import Answer
from tests.acceptance.bot.stage import Stage

COMMAND = "curl -i https://app.example.com/"


async def lost(stage: Stage) -> tuple[dict[str, object], dict[str, object]]:
    """The thread's root and the card, after the sandbox died under the command."""
    stage.sandboxes.script = lambda _: Answer(hang=True)
    root, card = await stage.proposed(stage.alice, COMMAND)
    await stage.alice.click(card, Action.approve)
    await stage.sandboxes.until_running(1)
    stage.sandboxes.script = lambda _: Answer(stdout=b"200 OK")
    stage.sandboxes.lose(1)
    return root, await stage.in_thread(root, "Nobody knows whether C-1 ran", "[Run again] [Mark as not run]")


async def test_run_again_runs_it_as_another_command_and_a_second_click_is_answered(stage: Stage) -> None:
    root, card = await lost(stage)
    stage.steps.append(Said(text="I see 200."))
    await stage.alice.click(card, Action.run_again)
    await stage.in_thread(root, "I see 200.")
    await stage.in_thread(root, "C-2 ran")
    shown = await stage.in_thread(root, "C-1 ran; it was run again", "Run again by @Alice", "as C-2")
    assert "[Run again]" not in stage.text(shown)

    value = of_command(await stage.bot.engine.retests.command(1))
    await stage.click_as_shown_earlier(stage.alice, shown, Action.run_again, value)
    await stage.whisper(stage.alice, "C-1 was run again as a command of its own.")
    assert [command.text for command in stage.sandboxes.executed] == [COMMAND, COMMAND]


async def test_mark_as_not_run_says_who_said_so(stage: Stage) -> None:
    root, card = await lost(stage)
    await stage.alice.click(card, Action.mark_not_run)
    await stage.in_thread(root, "C-1 did not run, a person says", "Marked as not run by @Alice")
    assert [command.text for command in stage.sandboxes.executed] == [COMMAND]


async def test_only_who_may_operate_decides(stage: Stage) -> None:
    _, card = await lost(stage)
    await stage.ben.click(card, Action.mark_not_run)
    await stage.whisper(stage.ben, "you can read along")
    assert (await stage.bot.engine.retests.command(1)).state == "unknown"
