"""Replies, by the state of the session."""

from __future__ import annotations

from engine.agent.port import Said
from engine.errors import ModelError
from tests.acceptance.bot.stage import CHANNEL, Stage


async def test_a_reply_wakes_an_idle_session_and_goes_on_with_a_waiting_one(stage: Stage) -> None:
    root = await stage.opened(stage.alice)
    stage.steps.append(Said(text="I have looked."))
    await stage.alice.reply(root, "Look at *the login* &amp; more <https://app.example.com/x>")
    await stage.in_thread(root, "I have looked.")
    stage.steps.append(Said(text="Once more."))
    await stage.alice.reply(root, "And again?")
    await stage.in_thread(root, "Once more.")
    said = [request.messages for request in stage.agent.requests]
    assert said[1] == ("And again?",)
    assert "https://app.example.com/x" in said[0][0]


async def test_a_reply_while_the_agent_works_is_queued_and_acknowledged(stage: Stage) -> None:
    stage.agent.hang()
    stage.steps.extend([Said(text="First."), Said(text="Second.")])
    root = await stage.opened(stage.alice, start=True)
    await stage.agent.entered.wait()
    await stage.alice.reply(root, "One more thing.")
    await stage.whisper(stage.alice, "Your message is queued")
    stage.agent.release()
    await stage.in_thread(root, "Second.")
    assert stage.agent.requests[-1].messages == ("One more thing.",)


async def test_a_message_that_mentions_the_bot_reaches_the_agent_once(stage: Stage) -> None:
    root = await stage.opened(stage.alice)
    stage.steps.extend([Said(text="Heard."), Said(text="Heard twice.")])
    await stage.alice.reply(root, "@revalid please look at the cookies")
    await stage.in_thread(root, "Heard.")
    await stage.alice.reply(root, "And?")
    await stage.in_thread(root, "Heard twice.")
    assert [request.messages for request in stage.agent.requests] == [
        ("please look at the cookies",),
        ("And?",),
    ]


async def test_the_words_of_the_channel_work_in_the_thread_by_a_mention(stage: Stage) -> None:
    root, _card = await stage.proposed(stage.alice, "id")
    await stage.alice.reply(root, "@revalid stop")
    await stage.in_thread(root, "is held")
    await stage.whisper(stage.alice, "Stopped")
    await stage.alice.reply(root, "@revalid auto maybe")
    await stage.whisper(stage.alice, "needs", "on", "off")
    await stage.alice.reply(root, "@revalid")
    await stage.whisper(stage.alice, "retest F-12")
    assert len(stage.agent.requests) == 1


async def test_a_model_that_does_not_answer_leaves_the_session_ready_for_another_try(stage: Stage) -> None:
    root = await stage.opened(stage.alice)
    stage.steps.append(ModelError("The model is overloaded."))
    await stage.alice.reply(root, "Start.")
    await stage.in_thread(root, "The model is overloaded.")
    stage.steps.append(Said(text="Here I am."))
    await stage.alice.reply(root, "Again.")
    await stage.in_thread(root, "Here I am.")


async def test_a_reply_to_a_session_that_is_over_offers_the_ways_on(stage: Stage) -> None:
    root = await stage.opened(stage.alice)
    await stage.slash(stage.alice, "end")
    await stage.whisper(stage.alice, "Ended without a verdict")
    await stage.alice.reply(root, "One more thing.")
    over = await stage.whisper(stage.alice, "kept as a note")
    assert "[Reopen]" not in stage.text(over)
    await stage.alice.click({**over, "channel": CHANNEL}, "restart")
    fresh = await stage.in_channel("Retest R-2")
    assert "not started" in stage.text(fresh)
    await stage.in_thread(root, "R-2")


async def test_files_in_a_reply_are_said_to_be_unseen(stage: Stage) -> None:
    root = await stage.opened(stage.alice)
    stage.steps.append(Said(text="Without the file, then."))
    await stage.alice.reply(root, "See the log.", files=[("log.txt", b"log")])
    await stage.whisper(stage.alice, "does not see files")
    await stage.in_thread(root, "Without the file, then.")


async def test_talk_in_threads_and_channels_that_are_not_ours_is_left_alone(stage: Stage) -> None:
    root = await stage.alice.say(CHANNEL, "Lunch?")
    await stage.alice.reply(root, "Yes, stop and conclude.")
    await stage.alice.say(CHANNEL, "!ls")
    await stage.slash(stage.alice, "help")
    await stage.whisper(stage.alice, "retest F-12")
    assert len(await stage.workspace.thread(CHANNEL, root["ts"])) == 2
    assert len(await stage.workspace.ephemerals(stage.alice)) == 1


async def test_the_menu_of_a_message_acts_on_its_thread(stage: Stage) -> None:
    root, card = await stage.proposed(stage.alice, "id")
    await stage.alice.shortcut(card, "session_actions")
    window = await stage.form(stage.alice, "notice")
    assert "Retest R-1" in str(window["title"])
    await stage.alice.click(window, "stop")
    await stage.in_thread(root, "is held")

    async def told() -> bool:
        return "Stopped" in str(await stage.workspace.views(stage.alice))

    await stage.workspace.until(told)


async def test_the_menu_of_any_other_message_says_that_there_is_no_session(stage: Stage) -> None:
    message = await stage.alice.say(CHANNEL, "Lunch?")
    await stage.alice.shortcut(message, "session_actions")
    await stage.whisper(stage.alice, "no session's thread")
