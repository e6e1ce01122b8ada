"""The card of a command, through its whole life."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from bot.blocks.command import command_card, shown_whole, speaks_apart
from bot.blocks.ids import Action, decode
from bot.blocks.message import Message
from bot.blocks.output import Stream
from engine.events import AUTO_RUN
from engine.views import IN_FLIGHT, CommandState, CommandView
from tests.unit.bot.blocks.samples import (
    ALICE,
    HOSTILE,
    NOON,
    assert_inert,
    assert_shows,
    buttons,
    command,
    ended,
    nodes,
    words,
)


def draw(view: CommandView, **changes: Any) -> Message:
    message = command_card(view, now=NOON + timedelta(seconds=12), decided_at=NOON, **changes)
    assert_shows(message)
    return message


def test_a_proposal_shows_the_exact_command_and_offers_three_decisions() -> None:
    message = draw(command())

    assert "C-7 waits for your decision" in words(message)
    assert "curl -sS -i http://shop.example.com:8080/search?q=%27" in words(message)
    assert "Why: The report says that a quote breaks the query." in words(message)
    assert "Time limit 60 s" in words(message)
    assert list(buttons(message)) == [Action.approve, Action.edit, Action.reject]
    assert decode(buttons(message)[Action.approve]["value"]).shows(command())
    assert not decode(buttons(message)[Action.approve]["value"]).shows(command(digest="f" * 64))


@pytest.mark.parametrize("state", [state for state in CommandState if state is not CommandState.proposed])
def test_a_command_that_does_not_wait_has_no_decision_left(state: CommandState) -> None:
    message = draw(ended(state))

    assert not {Action.approve, Action.edit, Action.reject} & set(buttons(message))
    assert (Action.kill in buttons(message)) is (state in IN_FLIGHT)


@pytest.mark.parametrize(
    ("view", "line"),
    [
        (ended(), "Approved by <@U1ALICE> 12:03 UTC"),
        (ended(edited_from="id"), "Edited and approved by <@U1ALICE> 12:03 UTC"),
        (ended(decided_by=AUTO_RUN), "Approved by Auto-run without asking 12:03 UTC"),
        (command(CommandState.rejected, decided_by=ALICE), "Rejected by <@U1ALICE> 12:03 UTC"),
        (command(CommandState.withdrawn, decided_by="system"), "Set aside 12:03 UTC"),
        (ended(origin="operator"), "<@U1ALICE>'s own command 12:03 UTC"),
    ],
)
def test_who_decided_stays_on_the_card(view: CommandView, line: str) -> None:
    assert line in words(draw(view))


def test_a_rejection_keeps_its_reason() -> None:
    message = draw(command(CommandState.rejected, decided_by=ALICE, reason="Not on a Friday."))

    assert "C-7 was rejected; nothing ran" in words(message)
    assert "Reason: Not on a Friday." in words(message)


def test_a_running_command_shows_how_long_and_its_last_lines() -> None:
    lines = b"".join(b"line %d\n" % number for number in range(100))
    message = draw(ended(CommandState.running), live=lines)

    assert "C-7 is running · 12 s" in words(message)
    assert "line 99" in words(message)
    assert "line 50\n" not in words(message)


def test_an_end_shows_exit_code_time_and_both_streams() -> None:
    streams = (Stream(name="stdout", total=6, head=b"hello\n"), Stream(name="stderr", total=4, head=b"oops"))
    message = draw(ended(exit_code=3), streams=streams)

    text = words(message)
    assert "C-7 ran · exit 3 · 1.2 s" in text
    assert "hello" in text
    assert "oops" in text
    assert "not evidence" not in text


def test_an_end_without_output_says_so() -> None:
    assert "It wrote nothing." in words(draw(ended()))


@pytest.mark.parametrize(
    ("view", "line"),
    [
        (ended(CommandState.timed_out), "C-7 was stopped at its time limit of 60 s"),
        (ended(CommandState.killed), "C-7 was killed after 1.2 s"),
        (ended(outcome="output_limit"), "C-7 wrote too much output"),
        (ended(CommandState.failed, reason="The sandbox is gone."), "C-7 could not be started; nothing ran"),
        (ended(CommandState.unknown), "Nobody knows whether C-7 ran"),
        (ended(out_of_memory=True), "ran out of memory"),
    ],
)
def test_a_failure_of_ours_is_said_and_is_no_evidence(view: CommandView, line: str) -> None:
    text = words(draw(view))

    assert line in text
    assert "it is not evidence" in text


def test_what_scope_refused_is_listed_and_not_called_closed() -> None:
    message = draw(ended(denied=tuple(f"203.0.113.20:{port}/tcp" for port in range(80, 100))))

    assert "Blocked by scope" in words(message)
    assert "203.0.113.20:80/tcp" in words(message)
    assert "and 8 more" in words(message)


def test_invisible_characters_are_shown_and_flagged() -> None:
    message = draw(command(text="echo \u202etxt.exe\u202c; curl http://ex\u0430mple.com"))

    text = words(message)
    assert "echo ⟨U+202E⟩txt.exe⟨U+202C⟩" in text
    assert "Hidden characters." in text
    assert "right-to-left override (U+202E)" in text
    assert "cyrillic small letter a (U+0430)" in text


def test_an_edit_keeps_the_original_beside_it() -> None:
    message = draw(ended(text="id -u", edited_from="id"))

    preformatted = [
        node["elements"][0]["text"]
        for node in nodes(message.blocks)
        if node.get("type") == "rich_text_preformatted"
    ]
    assert preformatted == ["id -u", "id"]


@pytest.mark.parametrize("long", ["echo " + "a" * 4000, "echo a\n" * 80])
def test_a_command_too_long_to_show_cannot_be_approved_from_the_card(long: str) -> None:
    view = command(text=long)
    message = draw(view)

    assert not shown_whole(view)
    assert Action.approve not in buttons(message)
    assert {Action.open_whole, Action.reject} <= set(buttons(message))
    assert "Only the beginning and the end of" in words(message)


def test_a_command_at_the_limit_is_shown_to_the_last_character() -> None:
    view = command(text="x" * 2499 + "!")

    assert Action.approve in buttons(draw(view))
    assert "x" * 2499 + "!" in words(draw(view))


def test_long_output_shows_both_ends_and_names_the_file() -> None:
    stream = Stream(name="stdout", total=3_000_000, head=b"first\n" * 1000, tail=b"\nlast" * 1000)
    message = draw(ended(), streams=(stream,))

    text = words(message)
    assert "first" in text
    assert "last" in text
    assert "3.0 MB" in text
    assert "C-7-stdout.txt" in text


def test_every_part_at_its_longest_still_fits() -> None:
    view = ended(
        said="&" * 180,
        rationale="<" * 225,
        text="&" * 500,
        edited_from="&" * 5000,
        reason="&" * 5000,
        denied=("203.0.113.20:80/tcp" * 10,) * 50,
        out_of_memory=True,
    )
    streams = tuple(
        Stream(name=name, total=10**6, head=b"&" * 6000, tail=b"<" * 6000) for name in ("stdout", "stderr")
    )

    draw(view, streams=streams)


def test_hostile_words_and_output_are_only_characters() -> None:
    stream = Stream(name="stdout", total=200, head=HOSTILE.encode())
    view = ended(
        said=HOSTILE, rationale=HOSTILE, text=HOSTILE, edited_from=HOSTILE, reason=HOSTILE, denied=(HOSTILE,)
    )

    assert_inert(draw(view, streams=(stream,)))
    assert_inert(draw(ended(CommandState.running, text=HOSTILE), live=HOSTILE.encode()))


def test_words_too_long_for_the_card_go_ahead_of_it() -> None:
    view = command(said="word " * 400)

    assert speaks_apart(view)
    assert not speaks_apart(command())
    assert "word word" not in words(draw(view, said=False))


def test_a_card_begins_with_the_same_kind_of_block_all_its_life() -> None:
    kinds = {draw(ended(state)).blocks[0]["type"] for state in CommandState}

    assert kinds == {"rich_text"}
