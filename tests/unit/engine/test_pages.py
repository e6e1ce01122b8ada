from __future__ import annotations

import re
from types import ModuleType

import pytest

from engine import events_page, lifecycle_page
from engine.events import EVENT
from engine.lifecycle import TABLE, Input, State


@pytest.mark.parametrize("page", [lifecycle_page, events_page], ids=["lifecycle", "events"])
def test_the_page_is_fresh(page: ModuleType) -> None:
    written = page.PAGE.read_text(encoding="utf-8")
    assert written == page.render(), f"run `python -m {page.__name__}`"


def test_every_row_and_state_is_on_the_page() -> None:
    lines = lifecycle_page.render().splitlines()
    assert sum(line.count(" | ") == 4 for line in lines) == len(TABLE) + len(lifecycle_page.SECTIONS)
    for name in (*State, *Input):
        assert any(name in line for line in lines), name


def test_the_diagram_leads_from_every_live_state_to_its_neighbours() -> None:
    drawn = re.findall(r"^ +(\w+) --> (\w+) : ([^:;\n]+)$", lifecycle_page.render(), re.MULTILINE)
    arrows = {(before, after): label for before, after, label in drawn}
    assert arrows["idle", "working"] == "message, Run again, Start"
    assert arrows["live", "concluded"] == "Conclude"
    assert arrows["live", "ended"] == "Restart, End"
    assert arrows["concluded", "idle"] == "Reopen"
    assert arrows["working", "concluded"] == "agent's fixed or still_open"
    assert arrows["working", "stopped"] == "Stop was asked for"
    assert not any(before == "ended" for before, _ in arrows)


def test_every_kind_of_event_is_on_the_page() -> None:
    kinds = EVENT.json_schema()["discriminator"]["mapping"]
    headings = re.findall(r"^## `(\w+)`$", events_page.render(), re.MULTILINE)
    assert sorted(headings) == sorted(kinds)
    assert (
        "| `pinned` | list: text | `name (address) ports`, as the firewall has it. |" in events_page.render()
    )
