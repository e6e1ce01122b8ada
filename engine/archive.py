"""What an installation keeps: findings in, everything read back. Needs a database, no Docker and no model."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from engine.events import Recorded
from engine.findings.model import Finding
from engine.retention import why_missing
from engine.store import asked, commands, events, findings, sessions, verdicts
from engine.store.database import Database
from engine.store.errors import OutputMissing
from engine.store.outputs import Outputs
from engine.views import (
    CommandView,
    FindingView,
    Imported,
    SessionView,
    Transcript,
    VerdictView,
)


class Archive:
    """The part of the engine's API that only the stores answer. Raises `RevalidError` kinds only."""

    def __init__(self, *, db: Database, outputs: Outputs) -> None:
        self._db = db
        self._outputs = outputs

    async def import_findings(self, found: Sequence[Finding], by: str, key: str = "") -> Imported:
        """Keep findings; those already there stay as they are. A repeat with the same key says the same."""
        new: list[FindingView] = []
        known: list[FindingView] = []
        async with self._db.begin() as tx:
            if kept := await asked.recall(tx, key):
                return Imported(
                    new=tuple([await findings.load(tx, number) for number in kept["new"]]),
                    known=tuple([await findings.load(tx, number) for number in kept["known"]]),
                )
            at = datetime.now(UTC)
            for finding in found:
                view, is_new = await findings.add(tx, finding, by=by, at=at)
                (new if is_new else known).append(view)
            numbers: asked.Kept = {"new": [one.id for one in new], "known": [one.id for one in known]}
            await asked.keep(tx, key, numbers, at)
        return Imported(new=tuple(new), known=tuple(known))

    async def finding(self, finding_id: int) -> FindingView:
        """One finding with its current determination."""
        async with self._db.read() as tx:
            return await findings.load(tx, finding_id)

    async def findings(self, text: str = "", limit: int = 100, offset: int = 0) -> tuple[FindingView, ...]:
        """Findings whose title holds `text`, oldest first."""
        async with self._db.read() as tx:
            return await findings.search(tx, text=text, limit=limit, offset=offset)

    async def verdicts(self, finding_id: int) -> tuple[VerdictView, ...]:
        """Every verdict a finding ever had, oldest first."""
        async with self._db.read() as tx:
            return await verdicts.of_finding(tx, finding_id)

    async def session(self, session_id: int) -> SessionView:
        """A session as it is now."""
        async with self._db.read() as tx:
            return await sessions.load(tx, session_id)

    async def sessions(
        self,
        *,
        live: bool | None = None,
        operator: str | None = None,
        finding_id: int | None = None,
        limit: int = 100,
    ) -> tuple[SessionView, ...]:
        """Sessions, newest first."""
        async with self._db.read() as tx:
            return await sessions.search(tx, live=live, operator=operator, finding_id=finding_id, limit=limit)

    async def command(self, command_id: int) -> CommandView:
        """One command."""
        async with self._db.read() as tx:
            return await commands.load(tx, command_id)

    async def commands(self, session_id: int) -> tuple[CommandView, ...]:
        """Every command of a session, oldest first."""
        async with self._db.read() as tx:
            return await commands.of_session(tx, session_id)

    async def events(self, session_id: int, *, after: int = 0, limit: int = 500) -> tuple[Recorded, ...]:
        """Transcript events from a number on."""
        async with self._db.read() as tx:
            return await events.read(tx, session_id, after=after, limit=limit)

    async def output(self, digest: str, offset: int = 0, limit: int | None = None) -> bytes:
        """Bytes of a kept output. Raises `OutputDropped` when retention took it."""
        try:
            return await self._outputs.read(digest, offset, limit)
        except OutputMissing as error:
            raise await why_missing(self._db, digest) from error

    async def transcript(self, session_id: int) -> Transcript:
        """A session with all its events and commands."""
        async with self._db.read() as tx:
            view = await sessions.load(tx, session_id)
            return Transcript(
                session=view,
                finding=await findings.load(tx, view.finding_id),
                events=await events.read(tx, session_id, limit=view.events),
                commands=await commands.of_session(tx, session_id),
            )
