"""From a file in the channel to a retest in a thread."""

from __future__ import annotations

import json

from tests.acceptance.bot.stage import CHANNEL, FINDINGS, Stage


async def test_help_lists_what_can_be_typed(stage: Stage) -> None:
    await stage.slash(stage.ben, "help")
    shown = stage.text(await stage.whisper(stage.ben, "retest F-12"))
    assert "conclude still_open" in shown


async def test_a_typo_is_answered_with_the_nearest_word(stage: Stage) -> None:
    await stage.slash(stage.alice, "retst F-1")
    await stage.whisper(stage.alice, "Did you mean", "retest")


async def test_findings_come_in_by_a_mention_with_a_file(stage: Stage) -> None:
    root = await stage.alice.say(CHANNEL, "@revalid import", files=[("findings.json", FINDINGS)])
    answer = await stage.in_thread(root, "2 imported")
    assert "SQL injection in the search" in stage.text(answer)
    assert "[Retest]" in stage.text(answer)

    again = await stage.alice.say(CHANNEL, "@revalid import", files=[("findings.json", FINDINGS)])
    await stage.in_thread(again, "0 imported", "2 already known")


async def test_findings_come_in_by_the_form(stage: Stage) -> None:
    await stage.slash(stage.alice, "import")
    form = await stage.form(stage.alice, "import_form")
    empty = await stage.alice.submit(form, {})
    assert "Add a file" in str(empty["errors"])

    file = await stage.workspace.upload(stage.alice.id, "findings.json", FINDINGS)
    wrong = await stage.alice.submit(form, {"pasted": "not findings"})
    assert wrong["errors"]["pasted"]
    pasted = {"findings": [{"title": "Pasted", "severity": "Low", "endpoints": ["http://app.example.com/"]}]}
    sent = await stage.alice.submit(form, {"files": [file["id"]], "pasted": json.dumps(pasted)})
    assert sent["ok"]
    await stage.in_channel("pasted text", "1 imported")
    await stage.in_channel("findings.json", "2 imported")


async def test_a_file_that_is_none_is_named_with_the_reason(stage: Stage) -> None:
    root = await stage.alice.say(CHANNEL, "@revalid import", files=[("photo.png", b"\x89PNG\r\n\x1a\n\0\0")])
    await stage.in_thread(root, "photo.png", "was not imported")


async def test_an_import_without_a_file_says_how(stage: Stage) -> None:
    await stage.alice.say(CHANNEL, "@revalid import")
    await stage.whisper(stage.alice, "Attach the findings file")


async def test_findings_are_listed_and_searched(stage: Stage) -> None:
    await stage.imported()
    await stage.slash(stage.ben, "findings redirect")
    shown = stage.text(await stage.whisper(stage.ben, "Open redirect at login"))
    assert "SQL injection" not in shown


async def test_the_retest_form_leaves_dangerous_targets_unticked(stage: Stage) -> None:
    await stage.imported()
    await stage.slash(stage.alice, "retest F-1")
    form = await stage.form(stage.alice, "retest_form")
    shown = stage.text(form)
    assert "Replay the proof." in str(form)
    assert "app.example.com:443" in shown
    [group] = [block["element"] for block in form["blocks"] if block.get("block_id") == "scope.0"]
    assert [option["text"]["text"] for option in group["initial_options"]] == ["app.example.com:443"]
    assert "private" in str(group["options"][1]["description"])


async def test_the_form_opens_a_thread_that_waits_or_starts(stage: Stage) -> None:
    root = await stage.opened(stage.alice)
    assert "SQL injection in the search" in stage.text(root)
    assert stage.agent.requests == []

    await stage.proposed(stage.alice, "id")
    [request] = stage.agent.requests
    assert request.goal == ("Replay the proof.", "Check the login.")
    assert request.scope == ("app.example.com:443",)


async def test_typed_targets_are_checked_in_the_form(stage: Stage) -> None:
    await stage.imported()
    await stage.slash(stage.alice, "retest F-1")
    form = await stage.form(stage.alice, "retest_form")
    bad = await stage.alice.submit(form, {"more_scope": "app.example.com:notaport"})
    assert "more_scope" in bad["errors"]
    unsaid = await stage.alice.submit(form, {"more_scope": "10.0.0.9:80"})
    assert "explicit yes" in unsaid["errors"]["more_scope_yes"]
    nothing = await stage.alice.submit(form, {"scope.0": []})
    assert nothing["errors"]["scope.0"].startswith("Tick what the sandbox may reach")
    fine = await stage.alice.submit(
        form, {"scope.0": [], "more_scope": "10.0.0.9:80", "more_scope_yes": ["yes"], "start": "later"}
    )
    assert fine["ok"]
    await stage.in_channel("Retest R-", "10.0.0.9:80")


async def test_a_mention_with_retest_gives_a_button_for_the_form(stage: Stage) -> None:
    await stage.imported()
    await stage.alice.say(CHANNEL, "@revalid retest F-2")
    shown = await stage.whisper(stage.alice, "Open redirect at login")
    await stage.alice.click({**shown, "channel": CHANNEL}, "retest")
    await stage.form(stage.alice, "retest_form")


async def test_a_finding_that_is_not_there_is_said_so(stage: Stage) -> None:
    await stage.slash(stage.alice, "retest F-99")
    await stage.whisper(stage.alice, "F-99")


async def test_sessions_are_listed_with_their_threads(stage: Stage) -> None:
    await stage.opened(stage.alice)
    await stage.slash(stage.ben, "sessions")
    shown = stage.text(await stage.whisper(stage.ben, "R-1"))
    assert "/archives/" in shown
