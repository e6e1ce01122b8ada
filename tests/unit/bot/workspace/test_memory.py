"""What a workspace keeps from one run to the next."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.workspace.clock import ManualClock
from bot.workspace.installed_app import InstalledApp
from bot.workspace.memory import SAVE_SECONDS, Memory, MemoryUnreadable
from bot.workspace.server import WorkspaceServer
from bot.workspace.state import State

APP = InstalledApp(bot_token="xoxb-local", app_token="xapp-local")


def run(path: Path, clock: ManualClock) -> State:
    """One run of a workspace with a memory."""
    return WorkspaceServer(APP, clock=clock, memory=path).hub.state


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "workspace.json"


def test_a_thread_with_its_file_is_there_in_the_next_run(path: Path) -> None:
    clock = ManualClock()
    first = run(path, clock)
    channel = first.channel("retests")
    root = first.post(channel, {"user": "U0ALICE", "text": "root"})
    reply = first.post(channel, {"user": "U0BEN", "text": "reply", "thread_ts": root["ts"]})
    first.react(channel, root["ts"], "eyes", "U0BEN", add=True)
    file = first.files.add("out.txt", b"\x00bytes", "U0ALICE")
    first.files.reserve("never-sent.txt", 3, "U0ALICE")
    Memory(path, first).save()

    second = run(path, clock)
    again = second.channel("retests")
    assert [message["text"] for message in second.thread(again, root["ts"])] == ["root", "reply"]
    assert second.message(again, root["ts"])["reactions"] == [
        {"name": "eyes", "users": ["U0BEN"], "count": 1}
    ]
    assert second.files.get(file.id).content == b"\x00bytes"
    assert [kept.name for kept in second.files.whole()] == ["out.txt"]
    assert second.post(again, {"user": "U0BEN", "text": "later"})["ts"] > reply["ts"]


def test_a_change_is_written_down_soon_after_it_and_only_once(path: Path) -> None:
    clock = ManualClock()
    state = run(path, clock)
    channel = state.channel("retests")
    state.post(channel, {"user": "U0ALICE", "text": "one"})
    state.post(channel, {"user": "U0ALICE", "text": "two"})
    assert not path.exists()
    clock.advance(SAVE_SECONDS)
    assert [m["text"] for m in run(path, clock).channel("retests").messages.values()] == ["one", "two"]
    path.unlink()
    clock.advance(60)
    assert not path.exists()


def test_what_only_belongs_to_a_run_is_not_worth_writing(path: Path) -> None:
    clock = ManualClock()
    state = run(path, clock)
    state.post_ephemeral(state.channel("retests"), "U0ALICE", {"text": "only you"})
    clock.advance(60)
    assert not path.exists()


def test_no_id_of_an_earlier_run_comes_back(path: Path) -> None:
    clock = ManualClock()
    first = WorkspaceServer(APP, clock=clock, memory=path).hub.ids
    given = {first.next("Ev") for _ in range(100)}
    clock.advance(1)
    assert WorkspaceServer(APP, clock=clock, memory=path).hub.ids.next("Ev") not in given


@pytest.mark.parametrize(
    "text", ["", "{}", "[1]", '{"channels": [{"id": "C1"}], "files": [], "last_ts": {}}']
)
def test_a_file_that_is_no_memory_is_said_to_be_none(path: Path, text: str) -> None:
    path.write_text(text)
    with pytest.raises(MemoryUnreadable) as told:
        run(path, ManualClock())
    assert str(path) in told.value.sentence
    assert "remove that file" in told.value.sentence


async def test_closing_the_server_writes_everything_down(path: Path) -> None:
    async with WorkspaceServer(APP, memory=path) as server:
        state = server.hub.state
        state.post(state.channel("retests"), {"user": "U0ALICE", "text": "just before"})
    assert [m["text"] for m in run(path, ManualClock()).channel("retests").messages.values()] == [
        "just before"
    ]
