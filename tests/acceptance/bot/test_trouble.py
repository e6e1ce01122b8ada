"""Trouble of the model and of the Docker engine, as people in the thread meet it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from engine.agent.errors import ModelBusy, ModelKeyRefused
from engine.agent.port import Said
from engine.errors import EngineUnavailable
from tests.acceptance.bot.stage import CHANNEL, Stage

BUTTON = "[Retry]"


async def test_retry_on_a_failure_runs_the_same_turn_and_is_gone_once_used(stage: Stage) -> None:
    root = await stage.opened(stage.alice)
    stage.steps.append(ModelBusy())
    await stage.alice.reply(root, "Look at the login.")
    card = await stage.in_thread(root, "could not go on", "rate limit", BUTTON)
    stage.steps.append(Said(text="Here I am."))
    await stage.alice.click(card, "retry")
    await stage.in_thread(root, "Here I am.")
    assert [request.messages for request in stage.agent.requests] == [("Look at the login.",)] * 2

    async def unbuttoned() -> bool:
        return BUTTON not in stage.text(await stage.in_thread(root, "could not go on"))

    await stage.workspace.until(unbuttoned)


async def test_a_retry_that_comes_too_late_is_answered_and_does_nothing(stage: Stage) -> None:
    root = await stage.opened(stage.alice)
    stage.steps.append(ModelKeyRefused())
    await stage.alice.reply(root, "Start.")
    card = await stage.in_thread(root, "refused the API key", BUTTON)
    value = card["blocks"][-1]["elements"][0]["value"]
    stage.steps.append(Said(text="Here I am."))
    await stage.alice.reply(root, "Try now.")
    await stage.in_thread(root, "Here I am.")
    await stage.click_as_shown_earlier(stage.alice, card, "retry", value)
    await stage.whisper(stage.alice, "older version")
    assert [request.messages for request in stage.agent.requests] == [("Start.",), ("Start.", "Try now.")]


async def test_somebody_who_does_not_operate_the_session_cannot_retry(stage: Stage) -> None:
    root = await stage.opened(stage.alice)
    stage.steps.append(ModelBusy())
    await stage.alice.reply(root, "Start.")
    card = await stage.in_thread(root, BUTTON)
    await stage.ben.click(card, "retry")
    await stage.whisper(stage.ben, "can act on it")
    assert len(stage.agent.requests) == 1


async def test_a_provider_that_is_away_for_a_day_loses_no_message_and_doubles_none(stage: Stage) -> None:
    root = await stage.opened(stage.alice)
    sent = [f"Message {number}." for number in range(1, 9)]
    for number, text in enumerate(sent, start=1):
        stage.steps.append(ModelBusy())
        await stage.alice.reply(root, text)

        async def failed(count: int = number) -> bool:
            thread = await stage.workspace.thread(CHANNEL, root["ts"])
            return sum("could not go on" in stage.text(message) for message in thread) == count

        await stage.workspace.until(failed)
    stage.steps.append(Said(text="Back again."))
    await stage.alice.reply(root, "Are you there?")
    await stage.in_thread(root, "Back again.")
    stage.steps.append(Said(text="Nothing twice."))
    await stage.alice.reply(root, "And now?")
    await stage.in_thread(root, "Nothing twice.")
    assert stage.agent.requests[-2].messages == (*sent, "Are you there?")
    assert stage.agent.requests[-1].messages == ("And now?",)


async def test_a_sandbox_that_could_not_be_built_is_built_by_retry(stage: Stage) -> None:
    root = await stage.opened(stage.alice)
    stage.sandboxes.fail_create = EngineUnavailable()
    await stage.alice.reply(root, "Start.")
    card = await stage.in_thread(root, "The sandbox failed", "Docker engine does not answer", BUTTON)
    stage.sandboxes.fail_create = None
    stage.steps.append(Said(text="Here I am."))
    await stage.alice.click(card, "retry")
    await stage.in_thread(root, "Here I am.")
    assert stage.agent.requests[-1].messages == ("Start.",)


async def test_a_wedged_model_call_is_run_again_by_word_and_by_button(stage: Stage) -> None:
    stage.agent.hang()
    stage.steps.extend([Said(text="Here I am.")])
    root = await stage.opened(stage.alice, start=True)
    await stage.agent.entered.wait()
    assert BUTTON not in stage.text(await stage.in_channel("Retest R-1"))

    await stage.slash(stage.alice, "retry")
    await stage.in_thread(root, "had the agent think again")
    feed = stage.bot.engine.retests.feed
    feed.think(1, datetime.now(UTC) - timedelta(seconds=61))
    card = await stage.in_channel("Retest R-1", BUTTON)
    await stage.alice.click(card, "retry_turn")

    async def twice() -> bool:
        thread = await stage.workspace.thread(CHANNEL, root["ts"])
        return sum("had the agent think again" in stage.text(message) for message in thread) == 2

    await stage.workspace.until(twice)
    stage.agent.release()
    await stage.in_thread(root, "Here I am.")


async def test_retry_without_a_model_call_says_so(stage: Stage) -> None:
    await stage.opened(stage.alice)
    await stage.slash(stage.alice, "retry")
    await stage.whisper(stage.alice, "No model call is in flight")


async def test_the_card_says_what_the_session_waits_for(stage: Stage) -> None:
    stage.agent.hang()
    stage.steps.append(Said(text="Here I am."))
    root = await stage.opened(stage.alice, start=True)
    await stage.agent.entered.wait()
    stage.bot.engine.retests.feed.delay(1, "the model is busy, trying again")
    await stage.in_channel("the agent is thinking: the model is busy, trying again")
    stage.agent.release()
    await stage.in_thread(root, "Here I am.")

    async def quiet() -> bool:
        return "trying again" not in stage.text(await stage.in_channel("Retest R-1"))

    await stage.workspace.until(quiet)
