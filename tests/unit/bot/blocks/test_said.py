"""What the thread is told besides cards."""

from __future__ import annotations

import pytest

from bot.blocks import said
from bot.blocks.ids import Action, Ref, decode
from bot.blocks.message import Message
from engine import events as ev
from tests.unit.bot.blocks.samples import (
    ALICE,
    HOSTILE,
    assert_inert,
    assert_shows,
    buttons,
    command,
    recorded,
    words,
)

RECOMMENDED = ev.DeterminationRecommended(
    status="still_open",
    rationale="It answered as before.",
    evidence=(3,),
    control=(4,),
    missing=("a control",),
)


def test_a_recommendation_names_its_proof_and_has_a_button_that_names_its_event() -> None:
    message = said.recommendation(recorded(RECOMMENDED), RECOMMENDED)

    assert_shows(message)
    text = words(message)
    assert "I recommend: still open" in text
    assert "It answered as before." in text
    assert "Proof C-3  ·  Control C-4" in text
    assert "Still missing" in text
    assert "a control" in text
    assert decode(buttons(message)[Action.conclude_as]["value"]) == Ref(session_id=42, event=17)


def test_a_recommendation_that_no_longer_stands_has_no_button() -> None:
    message = said.recommendation(recorded(RECOMMENDED), RECOMMENDED, stands=False)

    assert buttons(message) == {}
    assert "I recommend: still open" in words(message)


def test_advice_is_not_a_gate() -> None:
    event = ev.CommandAdvised(command_id=8, ran="id", command="whoami", rationale="to compare")
    message = said.advice(event)

    assert_shows(message)
    assert "I ran id. I would try this next:" in words(message)
    assert "whoami" in words(message)
    assert buttons(message) == {}


def test_a_queued_message_offers_to_set_the_waiting_command_aside() -> None:
    message = said.message_queued(command())

    assert_shows(message)
    button = buttons(message)[Action.send_now]
    assert button["text"]["text"] == "Set the command aside and send now"
    assert decode(button["value"]).shows(command())
    assert buttons(said.message_queued(None)) == {}


def test_auto_run_on_is_loud_and_names_who() -> None:
    message = said.auto_run(on=True, actor=ALICE)

    assert_shows(message)
    assert "AUTO-RUN IS ON" in words(message)
    assert any(
        element.get("user_id") == "U1ALICE" for element in message.blocks[0]["elements"][0]["elements"]
    )
    assert "Auto-run is off" in words(said.auto_run(on=False, actor=ALICE))


def test_a_failure_of_the_sandbox_is_no_evidence_and_says_what_to_do() -> None:
    message = said.failure("The sandbox failed.", "The image is not there; run `make images`.")

    assert_shows(message)
    assert "The image is not there; run make images." in words(message)
    assert "it is not evidence" in words(message)


def test_a_ready_sandbox_tells_what_it_reaches_and_that_the_old_files_are_gone() -> None:
    event = ev.SandboxReady(pinned=("shop.example.com (203.0.113.10) 8080",), image="sha256:x", rebuilt=True)
    message = said.sandbox_ready(event)

    assert_shows(message)
    assert "shop.example.com (203.0.113.10) 8080" in words(message)
    assert "files and logins of the one before are gone" in words(message)


def test_prose_of_any_length_is_kept() -> None:
    assert said.agent_said("  \n") == []
    assert len(said.agent_said("Short.")) == 1
    assert not said.too_long("word " * 4000)
    assert said.too_long("word " * 8000)
    message = said.agent_said_in_file("word " * 8000, "R-42-17.md")
    assert_shows(message)
    assert "the whole is in R-42-17.md below" in words(message)


@pytest.mark.parametrize(
    "message",
    [
        said.agent_said(HOSTILE)[0],
        said.agent_said_in_file(HOSTILE, "R-1-1.md"),
        said.advice(
            ev.CommandAdvised(command_id=1, ran=HOSTILE, command=HOSTILE, rationale=HOSTILE, said=HOSTILE)
        ),
        said.recommendation(
            recorded(RECOMMENDED),
            RECOMMENDED.model_copy(update={"rationale": HOSTILE, "missing": (HOSTILE,)}),
        ),
        said.goal_changed(ev.GoalChanged(goal=(HOSTILE,) * 40), ALICE),
        said.sandbox_ready(ev.SandboxReady(pinned=(HOSTILE,), image="x")),
        said.failure("It failed.", HOSTILE),
    ],
)
def test_hostile_words_are_only_characters(message: Message) -> None:
    assert_shows(message)
    assert_inert(message)
