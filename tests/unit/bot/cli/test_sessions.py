"""`revalid sessions`."""

from __future__ import annotations

import asyncio
from pathlib import Path

from bot.store.migrate import migrate_bot
from bot.store.places import Places
from bot.store.posts import Posts
from engine.store.database import Database
from tests.unit.bot.cli.conftest import ALICE, Run


def test_only_live_sessions_unless_all_are_asked_for(run: Run, kept: Path) -> None:
    live = run("sessions")
    assert live.lines[0].split() == ["session", "finding", "operator", "opened", "state", "title"]
    assert live.lines[1].startswith("R-2      F-1      U1ALICE ")
    assert live.lines[1].endswith("not started; a reply in the thread starts it  SQL injection in search")
    assert live.lines[-1] == "1 session"
    every = run("sessions", "--all")
    assert [line.split()[0] for line in every.lines[1:3]] == ["R-2", "R-1"]
    assert "concluded: still open" in every.lines[2]


def test_the_json_has_the_session_as_it_is(run: Run, kept: Path) -> None:
    idle, concluded = run("sessions", "--all", "--json").json["sessions"]
    assert idle.pop("created").endswith("Z")
    assert idle == {
        "id": "R-2",
        "finding": "F-1",
        "title": "SQL injection in search",
        "severity": "high",
        "state": "idle",
        "auto_run": False,
        "operator": ALICE,
        "others": [],
        "goal": [],
        "scope": ["shop.example.com:443"],
        "waiting": None,
        "restarted_from": None,
        "restarted_as": None,
        "verdict": None,
        "events": 1,
    }
    assert concluded["state"] == "concluded"
    assert concluded["goal"] == ["Replay the proof", "Compare"]
    assert concluded["verdict"]["status"] == "still_open"


def test_no_session_is_said_to_be_none(run: Run, folder: Path) -> None:
    (folder / "empty.json").write_text('{"findings": []}')
    run("import", "empty.json")
    assert run("sessions").lines == ["No retest is going on; `--all` lists those that are over."]
    assert run("sessions", "--all").lines == ["There are no sessions."]
    assert run("sessions", "--json").json == {"sessions": []}
    assert run("findings").lines == ["There are no findings; `revalid import FILE` takes a file."]


def test_a_thread_that_slack_does_not_take_is_named_with_what_to_do(run: Run, kept: Path) -> None:
    async def archived() -> None:
        db = await Database.open(f"sqlite+aiosqlite:///{kept.parent / 'revalid.db'}")
        await migrate_bot(db)
        await Places(db).add(2, "T1", "C1")
        await Posts(db).trouble(2, "is_archived")
        await db.close()

    asyncio.run(archived())
    told = run("sessions").lines
    assert told[-1] == "R-2 is not shown in Slack: The channel is archived; unarchive it."
