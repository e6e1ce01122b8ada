"""The forms of a command and of a verdict."""

from __future__ import annotations

from typing import get_args

import pytest

from bot.blocks.forms import MOST_CHUNKS, conclude_form, edit_form, reject_form, whole_form
from bot.blocks.ids import Callback, Field, of_command
from bot.blocks.message import Json
from engine.lifecycle import State
from engine.views import CommandState, Status
from tests.unit.bot.blocks.samples import (
    HOSTILE,
    assert_inert,
    assert_opens,
    command,
    ended,
    session,
    verdict,
    words,
)


def element(view: Json, name: str) -> Json:
    found: Json = next(block for block in view["blocks"] if block.get("block_id") == name)["element"]
    return found


def test_an_edit_begins_with_the_exact_command_and_its_time_limit() -> None:
    view = edit_form(command(text="echo  'a\tb' \n\n"))

    assert_opens(view)
    assert element(view, Field.command)["initial_value"] == "echo  'a\tb' \n\n"
    assert element(view, Field.timeout)["initial_value"] == "60"
    assert view["private_metadata"] == of_command(command())


def test_an_edit_warns_of_what_the_box_does_not_show() -> None:
    assert "right-to-left override" in words(edit_form(command(text="echo \u202e")))


def test_a_reject_asks_for_a_reason_but_does_not_insist() -> None:
    view = reject_form(command(text="x" * 9000))

    assert_opens(view)
    assert next(block for block in view["blocks"] if block.get("block_id") == Field.reason)["optional"]


def test_a_window_shows_a_long_command_to_the_last_character_and_can_approve_it() -> None:
    text = "".join(f"echo {number} &&\n" for number in range(2000)) + "echo end"
    view = whole_form(command(text=text))

    assert_opens(view)
    shown = "".join(
        block["elements"][0]["elements"][0]["text"]
        for block in view["blocks"]
        if block["elements"][0]["type"] == "rich_text_preformatted"
    )
    assert shown == text
    assert view["submit"]["text"] == "Approve and run"
    assert view["callback_id"] == Callback.whole


@pytest.mark.parametrize("state", [state for state in CommandState if state is not CommandState.proposed])
def test_a_decided_command_can_be_read_whole_and_not_approved(state: CommandState) -> None:
    assert "submit" not in whole_form(ended(state, text="x" * 9000))


def test_a_command_that_nobody_can_read_cannot_be_approved() -> None:
    view = whole_form(command(text="<" * 2900 * MOST_CHUNKS))

    assert_opens(view)
    assert "submit" not in view
    assert "too long to be read here" in words(view)


def test_a_verdict_can_be_any_of_three_and_is_told_what_is_missing() -> None:
    view = conclude_form(
        session(), [ended()], {"fixed": ("The original proof was not replayed.",), "still_open": ()}
    )

    assert_opens(view)
    radio = element(view, Field.status)
    assert [option["value"] for option in radio["options"]] == list(get_args(Status))
    assert "initial_option" not in radio
    assert "The original proof was not replayed." in words(view)
    assert "You may conclude all the same." in words(view)


def test_a_recommendation_fills_the_form() -> None:
    view = conclude_form(session(), [ended()], {}, status="fixed", rationale="It is gone.", exhibits=(7,))

    assert_opens(view)
    assert element(view, Field.status)["initial_option"]["value"] == "fixed"
    assert element(view, Field.rationale)["initial_value"] == "It is gone."
    assert [option["value"] for option in element(view, Field.exhibits)["initial_options"]] == ["7"]


def test_only_commands_that_ran_can_prove_anything() -> None:
    view = conclude_form(session(), [command(), ended(CommandState.failed)], {})

    assert all(block.get("block_id") != Field.exhibits for block in view["blocks"])


def test_a_concluded_session_is_concluded_again() -> None:
    view = conclude_form(session(State.concluded, verdict=verdict()), [], {})

    assert view["callback_id"] == Callback.conclude_again
    assert view["title"]["text"] == "Conclude again"


def test_hostile_words_are_only_characters_and_every_limit_holds() -> None:
    ran = [ended(id=number, text=HOSTILE * 50) for number in range(1, 300)]
    view = conclude_form(
        session(title=HOSTILE * 20), ran, {"fixed": (HOSTILE,) * 20}, status="fixed", rationale="x" * 5000
    )

    for each in (view, reject_form(command(text=HOSTILE * 9)), whole_form(command(text=HOSTILE * 99))):
        assert_opens(each)
        assert_inert(each)
