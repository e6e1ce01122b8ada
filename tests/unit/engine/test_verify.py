from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import UTC, datetime

import pytest
from sqlalchemy import text

from engine.errors import NotFound
from engine.events import (
    AGENT,
    AnyEvent,
    AutoRunChanged,
    CommandApproved,
    CommandEnded,
    StateChanged,
    VerdictRecorded,
    VerdictWithdrawn,
)
from engine.findings.model import Finding
from engine.lifecycle import Situation, State
from engine.scope import Scope
from engine.store import commands, events, findings, sessions, verdicts
from engine.store.database import Database
from engine.store.outputs import MemoryOutputs
from engine.verdicts import exhibits
from engine.verify import Report, verify_all, verify_session
from engine.views import CommandState, SessionView, VerdictView

NOW = datetime(2031, 4, 5, 6, 7, 8, 9, tzinfo=UTC)
STDOUT, STDERR = b"HTTP/1.1 200 OK\r\n\r\nSQL syntax error", b""
PROOF = "curl -si https://shop.example.com/search"


class Spoilt(MemoryOutputs):
    """Lets a test damage what is kept."""

    def replace(self, data: bytes, by: bytes | None) -> None:
        digest = hashlib.sha256(data).hexdigest()
        if by is None:
            del self._kept[digest]
        else:
            self._kept[digest] = by


@dataclass
class Kept:
    """One concluded session, as the product would have written it."""

    db: Database
    outputs: Spoilt
    session: SessionView
    verdict: VerdictView

    async def tell(self, *told: AnyEvent, by: str = "U1") -> None:
        async with self.db.begin() as tx:
            await events.append(tx, self.session.id, by, told, NOW)

    async def spoil(self, statement: str) -> None:
        async with self.db.begin() as tx:
            await tx.execute(text(statement))

    async def report(self) -> Report:
        return await verify_session(self.db, self.outputs, self.session.id)

    async def problems(self) -> list[str]:
        return [problem.what for problem in (await self.report()).problems]


@pytest.fixture
async def kept() -> AsyncIterator[Kept]:
    db, outputs = await Database.open("sqlite+aiosqlite:///:memory:"), Spoilt()
    async with db.begin() as tx:
        finding, _ = await findings.add(
            tx, Finding(format="manual", ref="1", title="SQL injection"), by="U1", at=NOW
        )
        session = await sessions.insert(
            tx, finding_id=finding.id, operator="U1", goal=(), scope=Scope(), at=NOW
        )
        command = await commands.insert(
            tx,
            session_id=session.id,
            origin="agent",
            text=PROOF,
            timeout_seconds=60,
            digest="d" * 64,
            state=CommandState.running,
            at=NOW,
        )
        stdout, stderr = await outputs.put(STDOUT), await outputs.put(STDERR)
        ended = CommandEnded(
            command_id=command.id,
            outcome="exited",
            exit_code=0,
            elapsed_seconds=0.25,
            stdout_sha256=stdout,
            stderr_sha256=stderr,
            stdout_bytes=len(STDOUT),
            stderr_bytes=len(STDERR),
        )
        await commands.move(
            tx,
            command.id,
            frozenset({CommandState.running}),
            CommandState.finished,
            **ended.model_dump(include={"outcome", "exit_code", "stdout_sha256", "stderr_sha256"}),
        )
        shown = exhibits(await commands.of_session(tx, session.id), (command.id,), (), {PROOF})
        verdict = await verdicts.append(
            tx,
            finding_id=finding.id,
            session_id=session.id,
            status="still_open",
            reason="operator_conclusion",
            rationale="It still answers with a database error.",
            by="U1",
            supersedes=None,
            exhibits=shown,
            at=NOW,
        )
        session = await sessions.change(
            tx, session, situation=Situation(state=State.concluded), verdict_id=verdict.id
        )
    kept = Kept(db, outputs, session, verdict)
    await kept.tell(
        StateChanged(before="idle", after="working"),
        CommandApproved(command_id=command.id, command=PROOF, digest="d" * 64),
        ended,
        recorded(verdict),
        StateChanged(before="working", after="concluded"),
    )
    yield kept
    await db.close()


def recorded(verdict: VerdictView) -> VerdictRecorded:
    return VerdictRecorded(
        verdict_id=verdict.id,
        status=verdict.status,
        reason=verdict.reason,
        rationale=verdict.rationale,
        supersedes=verdict.supersedes,
        exhibits=tuple(
            f"{one.command_id}:{one.role}:{one.stdout_sha256}:{one.stderr_sha256}" for one in verdict.exhibits
        ),
    )


async def test_what_nobody_touched_is_intact(kept: Kept) -> None:
    report = await kept.report()
    assert report.problems == ()
    assert report.as_json() == {
        "intact": True,
        "sessions": 1,
        "events": 5,
        "outputs": 2,
        "verdicts": 1,
        "dropped": [],
        "problems": [],
    }


async def test_every_session_is_checked(kept: Kept) -> None:
    async with kept.db.begin() as tx:
        other = await sessions.insert(
            tx, finding_id=kept.session.finding_id, operator="U2", goal=(), scope=Scope(), at=NOW
        )
        await events.append(tx, other.id, "U2", (AutoRunChanged(on=True),), NOW)
    assert (await verify_all(kept.db, kept.outputs)).intact
    await kept.spoil(f"UPDATE events SET actor = 'U9' WHERE session_id = {other.id}")
    report = await verify_all(kept.db, kept.outputs)
    assert (report.sessions, report.events, report.verdicts) == (2, 6, 1)
    assert report.as_json()["problems"] == [
        {"session": "R-2", "what": "Event 1 was changed after it was written."}
    ]


async def test_an_unknown_session_is_named(kept: Kept) -> None:
    with pytest.raises(NotFound, match="no session R-42"):
        await verify_session(kept.db, kept.outputs, 42)


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        (
            "UPDATE events SET data = replace(data, '0.25', '0.26') WHERE number = 3",
            ["Event 3 was changed after it was written."],
        ),
        (
            "UPDATE events SET at = '2031-04-05 06:07:08.000010' WHERE number = 1",
            ["Event 1 was changed after it was written."],
        ),
        (
            "UPDATE events SET kind = 'agent_said' WHERE number = 1",
            ["Event 1 was changed after it was written."],
        ),
        (
            "UPDATE events SET previous = hash WHERE number = 2",
            [
                "Event 2 does not follow from the event before it.",
                "Event 2 was changed after it was written.",
            ],
        ),
        ("DELETE FROM events WHERE number = 1", ["Event 1 is missing."]),
        (
            "DELETE FROM events WHERE number = 5",
            [
                "Event 5 is missing. The transcript was cut off at its end.",
                "The session is concluded, but its transcript ends working.",
            ],
        ),
        (
            "DELETE FROM events",
            [
                "Events 1 to 5 are missing. The transcript was cut off at its end.",
                "C-1 is finished, which the transcript does not bear out.",
                "Verdict 1 is not in the transcript.",
                "The session is concluded, but its transcript ends idle.",
            ],
        ),
        (
            "UPDATE sessions SET event_count = 4",
            ["Event 5 and those after it were not written by Revalid."],
        ),
        (
            f"UPDATE sessions SET chain_head = '{'0' * 64}'",
            ["The transcript does not end with the event that was written last."],
        ),
    ],
)
async def test_a_transcript_that_was_tampered_with_is_found(
    kept: Kept, statement: str, expected: list[str]
) -> None:
    await kept.spoil(statement)
    assert await kept.problems() == expected


async def test_two_events_that_changed_places_are_found(kept: Kept) -> None:
    await kept.spoil("UPDATE events SET number = 99 WHERE number = 2")
    await kept.spoil("UPDATE events SET number = 2 WHERE number = 3")
    await kept.spoil("UPDATE events SET number = 3 WHERE number = 99")
    found = await kept.problems()
    assert "Event 2 does not follow from the event before it." in found
    assert "Event 3 was changed after it was written." in found


async def test_an_event_rewritten_with_its_hash_breaks_the_chain_after_it(kept: Kept) -> None:
    async with kept.db.begin() as tx:
        first = (await events.raw(tx, kept.session.id))[0]
        await tx.execute(text("DELETE FROM events WHERE number = 1"))
        await tx.execute(text("UPDATE sessions SET event_count = 0"))
        head = (await tx.execute(text("SELECT chain_head FROM sessions"))).scalar_one()
        await tx.execute(text(f"UPDATE sessions SET chain_head = '{first.previous}'"))
        await events.append(tx, kept.session.id, "U1", (AutoRunChanged(on=True),), NOW)
        await tx.execute(text(f"UPDATE sessions SET event_count = 5, chain_head = '{head}'"))
    assert await kept.problems() == ["Event 2 does not follow from the event before it."]


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("status = 'fixed'", "Verdict 1 was changed after it was given."),
        ("rationale = 'All good.'", "Verdict 1 was changed after it was given."),
        ("by = 'U2'", "Verdict 1 was changed after it was given."),
        ("at = '2031-04-05 06:07:08.000010'", "Verdict 1 was changed after it was given."),
        (
            "exhibits = replace(exhibits, 'replay', 'control')",
            "The exhibits of verdict 1 are not those in the transcript.",
        ),
        (
            "exhibits = replace(exhibits, '\"exit_code\": 0', '\"exit_code\": 1')",
            "Verdict 1 shows another result of C-1 than it had.",
        ),
        (
            "exhibits = replace(exhibits, '/search', '/other')",
            "Verdict 1 rests on C-1, which did not run like that.",
        ),
    ],
)
async def test_a_verdict_that_was_changed_is_found(kept: Kept, statement: str, expected: str) -> None:
    await kept.spoil(f"UPDATE verdicts SET {statement}")
    assert await kept.problems() == [expected]


async def test_a_verdict_that_was_added_is_found(kept: Kept) -> None:
    await kept.spoil(
        "INSERT INTO verdicts "
        "SELECT 2, finding_id, session_id, 'fixed', reason, rationale, by, 1, exhibits, at FROM verdicts"
    )
    assert await kept.problems() == [
        "Verdict 2 is not in the transcript.",
        "The session's verdict is not the newest that stands.",
    ]


async def test_a_verdict_that_was_deleted_is_found(kept: Kept) -> None:
    await kept.spoil("DELETE FROM verdicts")
    assert "Verdict 1 is gone." in await kept.problems()


async def test_a_withdrawal_that_nobody_made_is_found(kept: Kept) -> None:
    await kept.spoil("INSERT INTO withdrawals VALUES (1, 'U2', '2031-01-01 00:00:00')")
    assert "Whether verdict 1 was withdrawn is not what the transcript says." in await kept.problems()


async def test_a_verdict_moved_to_another_finding_is_found(kept: Kept) -> None:
    async with kept.db.begin() as tx:
        other, _ = await findings.add(tx, Finding(format="manual", ref="2", title="Other"), by="U1", at=NOW)
        await tx.execute(text(f"UPDATE verdicts SET finding_id = {other.id}"))
    assert await kept.problems() == ["A verdict of the session names another finding."]


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("text = 'id'", "C-1 is not the one that was approved."),
        ("exit_code = 1", "The result of C-1 is not the one in the transcript."),
        ("state = 'rejected'", "C-1 is rejected, which the transcript does not bear out."),
    ],
)
async def test_a_command_that_was_changed_is_found(kept: Kept, statement: str, expected: str) -> None:
    await kept.spoil(f"UPDATE commands SET {statement}")
    assert await kept.problems() == [expected]


async def test_a_command_that_was_deleted_is_found(kept: Kept) -> None:
    await kept.spoil("DELETE FROM commands")
    assert await kept.problems() == ["C-1 is gone."]


@pytest.mark.parametrize(
    ("by", "expected"),
    [
        (STDOUT.replace(b"syntax", b"syntaX"), "The output of C-1 was changed."),
        (STDOUT[:-1], "The output of C-1 is 34 bytes long and was 35."),
        (None, "The output of C-1 is gone."),
    ],
)
async def test_a_damaged_output_is_found(kept: Kept, by: bytes | None, expected: str) -> None:
    kept.outputs.replace(STDOUT, by)
    assert await kept.problems() == [expected]


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        (
            "state = 'ended'",
            [
                "The session is ended, but its transcript ends concluded.",
                "The session is ended, which does not fit its verdicts.",
            ],
        ),
        ("verdict_id = NULL", ["The session's verdict is not the newest that stands."]),
    ],
)
async def test_a_session_that_does_not_fit_its_transcript_is_found(
    kept: Kept, statement: str, expected: list[str]
) -> None:
    await kept.spoil(f"UPDATE sessions SET {statement}")
    assert await kept.problems() == expected


async def again(kept: Kept, *, reason: str, by: str) -> VerdictView:
    async with kept.db.begin() as tx:
        second = await verdicts.append(
            tx,
            finding_id=kept.session.finding_id,
            session_id=kept.session.id,
            status="fixed",
            reason=reason,
            rationale="On a second look.",
            by=by,
            supersedes=kept.verdict.id,
            exhibits=(),
            at=NOW,
        )
        kept.session = await sessions.change(
            tx, kept.session, situation=kept.session.situation, verdict_id=second.id
        )
    await kept.tell(recorded(second), by=by)
    return second


async def test_concluding_again_and_reopening_is_intact(kept: Kept) -> None:
    second = await again(kept, reason="operator_adjudication", by="U1")
    assert (await kept.report()).intact
    async with kept.db.begin() as tx:
        await verdicts.withdraw(tx, second.id, by="U2", at=NOW)
        await sessions.change(tx, kept.session, situation=Situation(), verdict_id=None)
    await kept.tell(VerdictWithdrawn(verdict_id=second.id, status="fixed"), by="U2")
    await kept.tell(StateChanged(before="concluded", after="idle"), by="U2")
    assert (await kept.report()).problems == ()


async def test_the_agent_concludes_only_under_auto_run(kept: Kept) -> None:
    second = await again(kept, reason="agent_conclusion", by=AGENT)
    assert await kept.problems() == [f"Verdict {second.id} was given by the agent while Auto-run was off."]


async def test_the_agent_may_conclude_under_auto_run(kept: Kept) -> None:
    await kept.tell(AutoRunChanged(on=True))
    await again(kept, reason="agent_conclusion", by=AGENT)
    assert (await kept.report()).intact
