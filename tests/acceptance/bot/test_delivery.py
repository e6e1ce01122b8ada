"""Deliveries that come twice, late, or to a bot that is another process by now."""

from __future__ import annotations

from typing import Any

import pytest

from bot.app import Bot
from bot.settings import Settings, load_settings
from engine.agent.port import Said
from engine.errors import SettingsError
from tests.acceptance.bot.conftest import Script
from tests.acceptance.bot.stage import CHANNEL, Stage, StillClock


async def test_a_click_that_is_delivered_twice_acts_once(stage: Stage) -> None:
    root, card = await stage.proposed(stage.alice, "id")
    stage.steps.append(Said(text="Seen."))
    hub = stage.server.hub
    [button] = [
        element
        for block in card["blocks"]
        if block["type"] == "actions"
        for element in block["elements"]
        if element["action_id"] == "approve"
    ]
    clicked = {**button, "block_id": "b", "action_ts": "1.2"}
    payload = hub.payloads.message_click(
        hub.state.user(stage.alice.id), hub.state.channel(CHANNEL), card, clicked, {}
    )
    payload["trigger_id"] = hub.triggers.issue(stage.alice.id)
    await hub.sockets.ask("interactive", payload)
    await hub.sockets.ask("interactive", payload)
    await stage.in_thread(root, "Seen.")
    assert stage.sandboxes.times("id") == 1
    # The second would have been answered with "has run".
    await stage.slash(stage.alice, "help")
    await stage.whisper(stage.alice, "retest F-12")
    assert len(await stage.workspace.ephemerals(stage.alice)) == 1


async def test_buttons_and_forms_of_an_older_version_are_answered(stage: Stage) -> None:
    root = await stage.opened(stage.alice)
    await stage.click_as_shown_earlier(stage.alice, root, "launch_missiles", "s1")
    await stage.whisper(stage.alice, "not active any more")

    hub = stage.server.hub
    old = {**await _form(stage), "callback_id": "form_of_old"}
    payload = hub.payloads.view_submission(hub.state.user(stage.alice.id), old, {})
    payload["trigger_id"] = hub.triggers.issue(stage.alice.id)
    answer = await hub.sockets.ask("interactive", payload)
    assert "not active any more" in str(answer["errors"])


async def _form(stage: Stage) -> dict[str, Any]:
    await stage.slash(stage.alice, "import")
    return await stage.form(stage.alice, "import_form")


async def test_a_new_process_goes_on_with_cards_and_threads_of_the_old_one(
    stage: Stage, settings: dict[str, Any], script: Script
) -> None:
    root, card = await stage.proposed(stage.alice, "id")
    await stage.bot.close()
    again = Bot(
        Settings(_env_file=None, **settings),
        sandboxes=stage.sandboxes,
        agent=stage.agent,
        pacing=StillClock().pacing(),
    )
    await again.start()
    try:
        script.steps.append(Said(text="Still here."))
        await stage.alice.click(card, "approve")
        await stage.in_thread(root, "Still here.")
        assert stage.sandboxes.times("id") == 1
    finally:
        await again.close()


async def test_a_button_in_another_channel_does_nothing(stage: Stage) -> None:
    root = await stage.opened(stage.alice)
    elsewhere = {**root, "channel": "C0LEADS"}
    await stage.click_as_shown_earlier(stage.alice, elsewhere, "end", "s1")

    async def told() -> bool:
        seen = await stage.workspace.ephemerals(stage.alice)
        return any("no such session in this channel" in stage.text(message) for message in seen)

    await stage.workspace.until(told)
    assert (await stage.bot.engine.retests.session(1)).state == "idle"


@pytest.mark.parametrize(
    ("wrong", "part"),
    [
        ({"slack_bot_token": None}, "SLACK_BOT_TOKEN is not set"),
        ({"slack_bot_token": "xoxb-wrong"}, "Slack does not take SLACK_BOT_TOKEN (invalid_auth)"),
        ({"slack_app_token": None}, "SLACK_APP_TOKEN is not set"),
        ({"slack_api_url": "http://127.0.0.1:9/api/"}, "Slack does not answer"),
        ({"database_url": "nonsense"}, "REVALID_DATABASE_URL"),
    ],
)
async def test_a_bot_that_cannot_start_says_why_and_leaves_nothing_open(
    settings: dict[str, Any],
    stage: Stage,
    wrong: dict[str, Any],
    part: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(settings["outputs"].parent)
    bot = Bot(
        load_settings(**{**settings, **wrong}),
        sandboxes=stage.sandboxes,
        agent=stage.agent,
    )
    with pytest.raises(SettingsError) as error:
        await bot.start()
    assert part in error.value.sentence
    await bot.close()
