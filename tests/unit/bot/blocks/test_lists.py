"""Answers to `/revalid help | findings | sessions | import`."""

from __future__ import annotations

from dataclasses import replace

from bot.blocks.ids import Action, Ref, decode
from bot.blocks.lists import findings_list, help_message, import_answer, session_picker, sessions_list
from bot.words import USAGE
from engine.findings.report import ImportReport, Rejected
from engine.lifecycle import Input, State
from engine.views import Imported
from tests.unit.bot.blocks.samples import (
    HOSTILE,
    assert_inert,
    assert_shows,
    buttons,
    finding,
    session,
    verdict,
    words,
)


def test_help_lists_every_command_and_never_a_slash_in_a_thread() -> None:
    message = help_message(USAGE)

    assert_shows(message)
    for usage in USAGE:
        assert f"`{usage}`" in words(message)
    thread = words(message).split("In a thread")[1]
    assert "/revalid" not in thread


def test_a_finding_is_listed_with_its_verdict_and_a_retest_button() -> None:
    message = findings_list([replace(finding(), verdict=verdict())])

    assert_shows(message)
    assert "*F-12*  SQL injection in search" in words(message)
    assert "high  ·  shop.example.com:8080  ·  🔴 still open in R-42" in words(message)
    assert decode(buttons(message)[Action.retest]["value"]) == Ref(finding_id=12)


def test_lists_stay_short_and_say_so() -> None:
    findings, sessions = findings_list([finding()] * 30), sessions_list([session()] * 30, {})

    assert_shows(findings)
    assert "The newest 20 are shown" in words(findings)
    assert_shows(sessions)
    assert "The first 20 of 30" in words(sessions)


def test_an_empty_list_says_what_to_do() -> None:
    assert "`/revalid import` takes a file" in words(findings_list([]))
    assert "`/revalid retest F-12` opens one" in words(sessions_list([], {}))


def test_a_session_is_listed_with_its_thread_state_and_operator() -> None:
    message = sessions_list([session(State.awaiting_operator)], {42: "https://workspace.example.com/p1"})

    assert_shows(message)
    text = words(message)
    assert "*<https://workspace.example.com/p1|R-42>*  F-12 SQL injection in search" in text
    assert "your turn; a reply in the thread goes on  ·  <@U1ALICE>" in text


def test_which_session_has_a_button_each() -> None:
    message = session_picker([session(), session(id=43)], Input.conclude, {}, words="conclude still_open")

    assert_shows(message)
    assert "Conclude* which session?" in words(message)
    assert list(buttons(message)) == ["pick.42", "pick.43"]


def test_an_import_tells_found_new_known_and_why_not() -> None:
    report = ImportReport(
        format="nuclei",
        name="scan.jsonl",
        findings=(finding().finding,),
        rejected=(Rejected(item=3, line=3, reason="It has no title."),),
        notes=("A byte order mark was dropped.",),
    )
    message = import_answer(report, Imported(new=(finding(),), known=()))

    assert_shows(message)
    text = words(message)
    assert "scan.jsonl" in text
    assert "Found 2: *1 imported*, 0 already known, 1 rejected." in text
    assert "Item 3: It has no title." in text
    assert "A byte order mark was dropped." in text
    assert Action.retest in buttons(message)


def test_hostile_titles_and_reasons_are_only_characters() -> None:
    view = finding(title=HOSTILE)
    report = ImportReport(
        format="nuclei",
        name=HOSTILE,
        findings=(view.finding,),
        rejected=tuple(Rejected(item=n, reason=HOSTILE) for n in range(30)),
        notes=(HOSTILE,) * 9,
    )
    for message in (
        import_answer(report, Imported(new=(view,) * 40, known=())),
        findings_list([view] * 30),
        sessions_list([session(title=HOSTILE)], {}),
    ):
        assert_shows(message)
        assert_inert(message)
