"""What has to hold after a crash and a restart, whatever the point. Each check gives what it found broken."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from bot.workspace.server import WorkspaceServer
from engine.store.database import Database
from engine.store.outputs import FileOutputs
from engine.verify import verify_all
from tests.crash.play import Play
from tests.crash.target import Target


@dataclass(frozen=True, kw_only=True)
class Aftermath:
    """All there is to look at once the retest is over and the bot has stopped."""

    folder: Path
    server: WorkspaceServer
    play: Play
    target: Target
    left: list[str]
    """What the Docker engine still has of the installation."""

    def rows(self, query: str) -> list[tuple[object, ...]]:
        with sqlite3.connect(self.folder / "revalid.db") as db:
            return db.execute(query).fetchall()


async def _at_most_once(after: Aftermath) -> list[str]:
    """A command runs at most once for each time that a person approved it."""
    approved = after.rows(
        "select c.text, count(*) from commands c where c.started is not null group by c.text"
    )
    allowed = {"alive": 0, "proof": 0}
    for text, times in approved:
        for name in allowed:
            if f"?{name}" in str(text):
                allowed[name] += int(str(times))
    hits = {name: after.target.hits(name) for name in allowed}
    return [f"{name} ran {hits[name]} times for {n} starts" for name, n in allowed.items() if hits[name] > n]


async def _known(after: Aftermath) -> list[str]:
    """Every outcome is known, or was decided by a person."""
    open_states = ("approved", "claimed", "running", "unknown", "proposed")
    return [
        f"C-{number} is {state}"
        for number, state in after.rows("select id, state from commands")
        if state in open_states
    ]


async def _applied_once(after: Aftermath) -> list[str]:
    """Every message and decision of a person is applied once."""
    wrong = []
    texts = [text for (text,) in after.rows("select text from messages order by id")]
    if texts != after.play.written:
        wrong.append(f"written {after.play.written}, taken {texts}")
    states = {state for (state,) in after.rows("select state from messages")}
    if states - {"delivered"}:
        wrong.append(f"messages are {states}")
    counted = dict(after.rows("select kind, count(*) from events group by kind"))
    if counted.get("verdict_recorded") != 1 or counted.get("session_opened") != 1:
        wrong.append(f"events {counted}")
    approvals = after.rows(
        "select count(*), count(distinct json_extract(data, '$.command_id')) from events"
        " where kind = 'command_approved'"
    )
    if approvals[0][0] != approvals[0][1]:
        wrong.append("a command was approved twice")
    return wrong


async def _one_message(after: Aftermath) -> list[str]:
    """Every event comes to exactly one message, in Slack as in the bot's memory."""
    wrong = []
    cursor, events = after.rows("select c.event, s.event_count from cursors c join sessions s on s.id = 1")[0]
    if cursor != events:
        wrong.append(f"{cursor} of {events} events are shown")
    remembered = {
        str(slot): str(ts) for slot, ts in after.rows("select slot, ts from posts") if "file" not in str(slot)
    }
    posted = [
        (str(message["metadata"]["event_payload"]["slot"]), str(message["ts"]))
        for channel in after.server.hub.state.channels.values()
        for message in channel.messages.values()
        if "metadata" in message
    ]
    doubled = [slot for slot, times in Counter(slot for slot, _ in posted).items() if times > 1]
    wrong += [f"{slot} was posted more than once" for slot in doubled]
    if dict(posted) != remembered:
        wrong.append(f"posted {sorted(posted)}, remembered {sorted(remembered.items())}")
    return wrong


async def _intact(after: Aftermath) -> list[str]:
    """The chain of the transcript verifies."""
    db = await Database.open(f"sqlite+aiosqlite:///{after.folder / 'revalid.db'}")
    try:
        report = await verify_all(db, FileOutputs(after.folder / "outputs"))
    finally:
        await db.close()
    return [problem.what for problem in report.problems]


async def _goes_on(after: Aftermath) -> list[str]:
    """The agent goes on, to a verdict."""
    verdicts = after.rows("select status from verdicts")
    return [] if verdicts == [("still_open",)] else [f"verdicts {verdicts}"]


async def _nothing_left(after: Aftermath) -> list[str]:
    """No sandbox is left, and the session knows."""
    removed = after.rows("select count(*) from events where kind = 'sandbox_removed'")[0][0]
    return [*after.left, *([] if removed == 1 else [f"{removed} removals are told"])]


PROMISES: Mapping[str, Callable[[Aftermath], Awaitable[list[str]]]] = {
    "A command ran at most once for each approval, counted at the target.": _at_most_once,
    "Every outcome is known, or was shown as unknown and decided by a person.": _known,
    "Every message and decision of a person was applied once.": _applied_once,
    "Every event came to exactly one message.": _one_message,
    "The transcript verifies.": _intact,
    "The agent went on, to a verdict.": _goes_on,
    "No sandbox was left.": _nothing_left,
}


async def broken(after: Aftermath) -> list[str]:
    """Everything that does not hold."""
    return [f"{promise} But: {what}" for promise, holds in PROMISES.items() for what in await holds(after)]
