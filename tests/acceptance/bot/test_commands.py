"""Commands of the agent at the gate, and the operator's own."""

from __future__ import annotations

from engine.agent.port import NotRun, Ran, Said
from engine.sandbox.scripted import Answer
from tests.acceptance.bot.stage import CHANNEL, Stage, proposal


async def test_an_approved_command_runs_and_its_card_keeps_who_decided(stage: Stage) -> None:
    root, card = await stage.proposed(stage.alice, "id")
    stage.steps.append(Said(text="It ran; nothing more to see."))
    await stage.alice.click(card, "approve")
    done = await stage.in_thread(root, "ran id", "exit 0")
    assert done["ts"] == card["ts"]
    assert "Alice Okafor" in stage.text(done)
    assert "[Approve]" not in stage.text(done)
    await stage.in_thread(root, "nothing more to see")
    assert isinstance(stage.agent.requests[-1].answered, Ran)
    assert await stage.workspace.ephemerals(stage.alice) == []


async def test_a_rejected_command_does_not_run_and_the_agent_reads_why(stage: Stage) -> None:
    root, card = await stage.proposed(stage.alice, "rm -rf /")
    await stage.alice.click(card, "reject")
    form = await stage.form(stage.alice, "reject_form")
    stage.steps.append(Said(text="I will look elsewhere."))
    assert (await stage.alice.submit(form, {"reason": "Too much."}))["ok"]
    await stage.in_thread(root, "I will look elsewhere.")
    shown = stage.text(await stage.in_thread(root, "was rejected"))
    assert "Too much." in shown
    answered = stage.agent.requests[-1].answered
    assert isinstance(answered, NotRun)
    assert answered.reason == "Too much."
    assert stage.sandboxes.executed == []


async def test_an_edited_command_runs_as_edited(stage: Stage) -> None:
    root, card = await stage.proposed(stage.alice, "curl -s app.example.com")
    await stage.alice.click(card, "edit")
    form = await stage.form(stage.alice, "edit_form")
    wrong = await stage.alice.submit(form, {"command": "id", "timeout": "100000"})
    assert "time limit" in str(wrong["errors"]).lower()
    stage.steps.append(Said(text="Seen."))
    assert (await stage.alice.submit(form, {"command": "curl -i app.example.com", "timeout": "5"}))["ok"]
    await stage.in_thread(root, "Seen.")
    [ran] = stage.sandboxes.executed
    assert (ran.text, ran.timeout_seconds) == ("curl -i app.example.com", 5)
    answered = stage.agent.requests[-1].answered
    assert isinstance(answered, Ran)
    assert answered.edited


async def test_a_long_command_is_not_approved_unread(stage: Stage) -> None:
    _root, card = await stage.proposed(stage.alice, "true " + "x" * 4000)
    value = next(e for b in card["blocks"] for e in b["elements"] if e.get("action_id") == "open_whole")[
        "value"
    ]
    await stage.click_as_shown_earlier(stage.alice, card, "approve", value)
    await stage.whisper(stage.alice, "open it whole")
    assert not stage.sandboxes.executed


async def test_a_long_command_is_approved_from_the_window_that_shows_it_whole(stage: Stage) -> None:
    command = "echo " + "x" * 4000
    root, card = await stage.proposed(stage.alice, command)
    assert "[Approve]" not in stage.text(card)
    await stage.alice.click(card, "open_whole")
    window = await stage.form(stage.alice, "whole_form")
    stage.steps.append(Said(text="Done."))
    assert (await stage.alice.submit(window, {}))["ok"]
    await stage.in_thread(root, "Done.")
    assert [ran.text for ran in stage.sandboxes.executed] == [command]


async def test_only_one_of_two_clicks_counts_and_the_other_is_told(stage: Stage) -> None:
    root, card = await stage.proposed(stage.alice, "id")
    stage.steps.append(Said(text="Seen."))
    await stage.alice.click(card, "approve")
    await stage.in_thread(root, "Seen.")
    shown = await stage.in_thread(root, "ran id")
    assert "approve" not in str(shown["blocks"])
    command = await stage.bot.engine.retests.command(1)
    stale = f"s1.c1.d{command.digest[:12]}"
    await stage.click_as_shown_earlier(stage.alice, card, "approve", stale)
    await stage.whisper(stage.alice, "C-1", "has run")
    assert stage.sandboxes.times("id") == 1


async def test_a_button_that_showed_another_command_does_nothing(stage: Stage) -> None:
    _root, card = await stage.proposed(stage.alice, "id")
    await stage.click_as_shown_earlier(stage.alice, card, "approve", "s1.c1.d000000000000")
    await stage.whisper(stage.alice, "older version")
    await stage.click_as_shown_earlier(stage.alice, card, "approve", "whatever; drop")
    await stage.whisper(stage.alice, "older version")
    assert stage.sandboxes.executed == []


async def test_an_operators_own_command_runs_to_the_letter_without_waking_the_agent(stage: Stage) -> None:
    stage.steps.append(Said(text="Ready."))
    root = await stage.opened(stage.alice, start=True)
    await stage.in_thread(root, "Ready.")
    await stage.alice.reply(root, "!curl -s 'http://app.example.com/?a=1&b=<2>'")
    await stage.in_thread(root, "ran curl -s 'http://app.example.com/?a=1&b=<2>'")
    assert len(stage.agent.requests) == 1


async def test_a_reply_with_a_bang_and_a_space_is_for_the_agent(stage: Stage) -> None:
    root = await stage.opened(stage.alice)
    stage.steps.append(Said(text="Thank you."))
    await stage.alice.reply(root, "! nice")
    await stage.in_thread(root, "Thank you.")
    assert stage.agent.requests[0].messages == ("! nice",)


async def test_a_command_before_there_is_a_sandbox_is_refused_with_the_way_on(stage: Stage) -> None:
    root = await stage.opened(stage.alice)
    await stage.alice.reply(root, "!id")
    await stage.whisper(stage.alice, "There is no sandbox now")


async def test_kill_ends_the_running_command(stage: Stage) -> None:
    stage.sandboxes.script = lambda _text: Answer(stdout=b"begun\n", hang=True)
    root, card = await stage.proposed(stage.alice, "sleep 100")
    stage.steps.append(Said(text="Killed, I see."))
    await stage.alice.click(card, "approve")
    running = await stage.in_thread(root, "[Kill]")
    await stage.alice.click(running, "kill")
    await stage.in_thread(root, "Killed, I see.")
    await stage.in_thread(root, "C-1", "killed")


async def test_auto_run_runs_what_waits_and_can_be_taken_back(stage: Stage) -> None:
    root, _card = await stage.proposed(stage.alice, "id")
    stage.steps.extend([proposal("id -u", call="call-2"), Said(text="That is all.")])
    await stage.alice.click(root, "auto_on")
    await stage.in_thread(root, "That is all.")
    assert [ran.text for ran in stage.sandboxes.executed] == ["id", "id -u"]
    root = await stage.in_channel("Retest R-1", "Auto-run off")
    await stage.alice.click(root, "auto_off")
    await stage.in_thread(root, "Auto-run is off")


async def test_stop_pauses_and_a_reply_goes_on(stage: Stage) -> None:
    root, _card = await stage.proposed(stage.alice, "id")
    await stage.slash(stage.alice, "stop")
    await stage.whisper(stage.alice, "Stopped")
    await stage.in_thread(root, "is held")
    await stage.alice.reply(root, "Go on.")
    await stage.whisper(stage.alice, "still waits for a decision")
    await stage.in_thread(root, "waits for your decision")


async def test_a_queued_message_can_be_sent_now_by_setting_the_command_aside(stage: Stage) -> None:
    root, _card = await stage.proposed(stage.alice, "id")
    await stage.alice.reply(root, "Try the login instead.")
    offer = await stage.whisper(stage.alice, "still waits for a decision")
    stage.steps.append(Said(text="The login then."))
    await stage.alice.click({**offer, "channel": CHANNEL}, "send_now")
    await stage.in_thread(root, "The login then.")
    await stage.in_thread(root, "was set aside")
    assert stage.agent.requests[-1].messages == ("Try the login instead.",)
    assert stage.sandboxes.executed == []
