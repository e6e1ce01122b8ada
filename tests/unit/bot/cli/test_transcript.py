"""`revalid transcript`."""

from __future__ import annotations

import shutil
from itertools import pairwise
from pathlib import Path

import pytest

from tests.unit.bot.cli.conftest import ALICE, COMMAND, Run


def test_it_reads_from_top_to_bottom(run: Run, kept: Path) -> None:
    told = run("transcript", "R-1").out
    wanted = (
        "R-1 SQL injection in search",
        "F-1, high; concluded: still open",
        "scope shop.example.com:443",
        "1. Replay the proof",
        "U1ALICE opened the session",
        "U1ALICE wrote (started the agent)",
        "          please\n          begin\n",
        "the sandbox is ready, its network lock proven; it reaches shop.example.com",
        "the agent proposes C-1 (at most 30 s): the old proof",
        f"          {COMMAND}\n",
        "U1ALICE approved C-1",
        "C-1 exited 0 after",
        "          stdout, 37 bytes\n          | You have an error in your SQL syntax\n",
        "the agent recommends still open, resting on C-1",
        "U1ALICE runs C-2\n          seq\n",
        "U1ALICE concluded: still open",
        "          as before",
    )
    places = [told.index(words) for words in wanted]
    assert places == sorted(places)


def test_a_long_output_is_shown_at_both_ends(run: Run, kept: Path) -> None:
    told = run("transcript", "1").out
    assert "| 00000\n" in told
    assert "| 00999\n" in told
    assert "| 00600\n" not in told
    assert "… 2.0 KB left out; sha256 " in told


def test_nothing_in_it_reaches_the_terminal_as_it_is(run: Run, kept: Path) -> None:
    told = run("transcript", "R-1").out
    assert not {"\x1b", "\u202e", "\x9b", "\r", "\x07"} & set(told)
    assert "to ⟨U+001B⟩]0;forge⟨U+0007⟩ a title" in told
    assert "It ⟨U+001B⟩[31mleaks" in told
    assert not {"\x1b", "\u202e", "\x9b"} & set(run("transcript", "R-1", "--json").out)


def test_outputs_that_are_gone_are_said_to_be(run: Run, kept: Path) -> None:
    shutil.rmtree(kept)
    told = run("transcript", "R-1")
    assert told.code == 0
    assert "stdout, 37 bytes: A kept output is not in the output store any more" in told.out


def test_the_json_has_events_and_commands(run: Run, kept: Path) -> None:
    told = run("transcript", "r-1", "--json").json
    assert told["session"]["id"] == "R-1"
    assert told["finding"]["id"] == "F-1"
    first, second = told["commands"]
    assert {
        key: first[key] for key in ("id", "origin", "text", "state", "decided_by", "outcome", "exit_code")
    } == {
        "id": "C-1",
        "origin": "agent",
        "text": COMMAND,
        "state": "finished",
        "decided_by": ALICE,
        "outcome": "exited",
        "exit_code": 0,
    }
    assert (second["origin"], second["stdout_bytes"]) == ("operator", 6000)
    events = told["events"]
    assert [event["number"] for event in events] == list(range(1, len(events) + 1))
    assert len(events) == told["session"]["events"]
    assert events[0]["kind"] == "session_opened"
    assert events[0]["data"]["scope"] == ["shop.example.com:443"]
    assert all(later["previous"] == event["hash"] for event, later in pairwise(events))


@pytest.mark.parametrize(
    ("word", "sentence"),
    [
        ("R-77", "R-77"),
        ("F-1", "'F-1' is no session; sessions are written like R-42."),
        ("\x1b[2J", "is no session"),
    ],
)
def test_what_is_no_session_is_one_sentence(run: Run, kept: Path, word: str, sentence: str) -> None:
    told = run("transcript", word)
    assert (told.code, told.out) == (1, "")
    assert sentence in told.err
    assert "\x1b" not in told.err
