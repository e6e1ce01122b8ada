from __future__ import annotations

from typing import Any

import pytest

from engine.findings.model import Matcher, RecordedStep
from engine.findings.replay import commands_in, recorded_steps, split_steps


def test_a_recorded_proof_is_read() -> None:
    raw = [
        {"command": "curl -i http://a.example.com/", "matchers": [{"type": "status", "status": [200]}]},
        {
            "command": "printf '\x1b\u202e\x00'",
            "matchers": [{"type": "word", "words": ["x"]}, {"type": "extracted", "values": ["y"]}],
            "matchers-condition": "and",
        },
    ]
    assert recorded_steps(raw, "replay", []) == (
        RecordedStep(
            command="curl -i http://a.example.com/", matchers=(Matcher(type="status", values=("200",)),)
        ),
        RecordedStep(
            command="printf '\x1b\u202e'",
            matchers=(Matcher(type="word", values=("x",)), Matcher(type="extracted", values=("y",))),
            condition="and",
        ),
    )


@pytest.mark.parametrize(
    "raw",
    [
        "curl http://a.example.com/",
        [{"command": "ok"}, {"command": " "}],
        [{"command": "ok", "matchers": {"type": "word"}}],
        [{"command": "ok", "matchers": [{"type": "dsl"}]}],
        [{"command": "ok", "matchers-condition": "xor"}],
        [{"command": "ok"}] * 51,
    ],
)
def test_a_malformed_proof_is_left_out_whole_and_told(raw: Any) -> None:
    notes: list[str] = []
    assert recorded_steps(raw, "replay", notes) == ()
    assert notes[0].startswith("The field replay was left out: ")


def test_no_proof_is_no_note() -> None:
    notes: list[str] = []
    assert recorded_steps(None, "replay", notes) == ()
    assert notes == []


def commands(text: str) -> list[str]:
    return [step.command for step in commands_in(text, [])]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("$ id -un", ["id -un"]),
        ("1. curl http://a.example.com/", ["curl http://a.example.com/"]),
        ("- $ id\n* `curl http://a.example.com/`", ["id", "curl http://a.example.com/"]),
        (
            "curl -X POST \\\n  -d a=1 \\\n  http://a.example.com/\nThen look.",
            ["curl -X POST \\\n  -d a=1 \\\n  http://a.example.com/"],
        ),
        ("curl http://a.example.com/ \\", []),
        ("Open curl in a browser, pay $ 5", []),
        ("```\nfor n in 1 2; do\n  echo $n\ndone\n```", ["for n in 1 2; do\n  echo $n\ndone"]),
        ("```console\n$ id\nuid=0(root)\n$ uname\n```", ["id", "uname"]),
        ("```http\nGET / HTTP/1.1\n```", []),
        ("```\nGET / HTTP/1.1\n```", []),
        ("```python\nimport os\n```", []),
        ("~~~sh\nid", ["id"]),
        ("$ id\n$ id", ["id"]),
    ],
)
def test_commands_are_found_in_prose(text: str, found: list[str]) -> None:
    assert commands(text) == found


def test_a_command_that_no_shell_would_take_is_not_recorded() -> None:
    notes: list[str] = []
    assert commands_in("curl http://a.example.com/ (the tester's own)", notes) == ()
    assert "unbalanced" in notes[0]


def test_commands_from_prose_have_nothing_to_compare() -> None:
    assert commands_in("$ id", [])[0].matchers == ()


def test_steps_are_split_at_their_numbers() -> None:
    text = "1. Log in\n   as alice\n2) Open:\n```\n1. not a step\n```\n- Look"
    assert split_steps(text) == ("Log in\n   as alice", "Open:\n```\n1. not a step\n```", "Look")
    assert split_steps("Just do it.\nThen look.") == ("Just do it.\nThen look.",)
    assert split_steps("") == ()
