"""What people fill in, as the app gets it."""

from __future__ import annotations

from typing import Any

import pytest

from bot.workspace.errors import ApiError
from bot.workspace.hub import Hub
from bot.workspace.inputs import REQUIRED, FileValues, missing, state_values
from bot.workspace.sample import ALICE
from tests.acceptance.workspace.samples import FORM, OPTIONS, field

Json = dict[str, Any]
BLOCKS: list[Json] = FORM["blocks"]


@pytest.fixture
def files(hub: Hub) -> FileValues:
    return FileValues(hub.state.files, hub.base_url)


def test_every_kind_of_input_has_its_shape(hub: Hub, files: FileValues) -> None:
    file = hub.state.files.add("a.txt", b"a", ALICE.id)
    filled = {
        "why": "because",
        "verdict": "two",
        "mode": "one",
        "hosts": ["one", "two"],
        "tags": ["two"],
        "file": [file.id],
    }
    values = state_values(BLOCKS[1:], filled, files)
    assert values["why"]["why"] == {"type": "plain_text_input", "value": "because"}
    assert values["verdict"]["verdict"]["selected_option"] == OPTIONS[1]
    assert values["mode"]["mode"]["selected_option"] == OPTIONS[0]
    assert values["hosts"]["hosts"]["selected_options"] == OPTIONS
    assert values["tags"]["tags"]["selected_options"] == [OPTIONS[1]]
    assert values["file"]["file"]["files"][0]["name"] == "a.txt"
    assert missing(BLOCKS, values) == {}


def test_untouched_inputs_keep_their_initial_values(files: FileValues) -> None:
    blocks = [
        field("Text", {"type": "plain_text_input", "action_id": "t", "initial_value": "before"}),
        field(
            "Pick",
            {"type": "static_select", "action_id": "p", "options": OPTIONS, "initial_option": OPTIONS[0]},
        ),
    ]
    values = state_values(blocks, {}, files)
    assert values["text"]["t"]["value"] == "before"
    assert values["pick"]["p"]["selected_option"] == OPTIONS[0]
    assert state_values(blocks, {"text": {"t": ""}}, files)["text"]["t"]["value"] is None


def test_required_inputs_are_missed_and_lengths_checked(files: FileValues) -> None:
    values = state_values(BLOCKS[1:], {}, files)
    assert missing(BLOCKS, values) == {"why": REQUIRED, "verdict": REQUIRED, "mode": REQUIRED}
    short = [field("Text", {"type": "plain_text_input", "action_id": "t", "min_length": 3, "max_length": 4})]
    told = [
        missing(short, state_values(short, {"t": text}, files)).get("text") for text in ("ab", "abc", "abcde")
    ]
    assert told == ["Must be at least 3 characters.", None, "Must be at most 4 characters."]


def test_a_file_that_was_never_sent_cannot_be_chosen(files: FileValues) -> None:
    with pytest.raises(ApiError, match="file_not_found"):
        state_values(BLOCKS[1:], {"file": ["F9"]}, files)
