"""Drops outputs past their date. Transcripts stay, and so does every output that a verdict rests on."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from engine.store import dropped
from engine.store.database import Database
from engine.store.errors import OutputDropped, OutputMissing
from engine.store.outputs import Outputs


async def drop_outputs(db: Database, outputs: Outputs, keep: timedelta) -> int:
    """Drop the outputs of commands that ended longer ago than `keep`; how many there were.

    The mark is stored before the bytes go: whoever looks in between finds an output that may still be read,
    never one that is missing without a reason. What an earlier run marked and did not get to is removed too.
    """
    now = datetime.now(UTC)
    async with db.begin() as tx:
        old = await dropped.droppable(tx, now - keep)
        known = await dropped.when(tx, old)
        await dropped.mark(tx, old - known.keys(), now)
    gone = [digest for digest in sorted(old) if await outputs.drop(digest, now - keep)]
    # What was kept again after it was dropped once, and is dropped now, gets the later date.
    again = known.keys() & set(gone)
    if again:
        async with db.begin() as tx:
            await dropped.mark(tx, again, now)
    return len(gone)


async def why_missing(db: Database, digest: str) -> OutputMissing:
    """The error that tells why an output is not there: retention, or nobody knows."""
    async with db.read() as tx:
        at = (await dropped.when(tx, (digest,))).get(digest)
    if at is None:
        return OutputMissing()
    return OutputDropped(
        f"This output was dropped by retention on {at:%Y-%m-%d}; the transcript and its digest are kept."
    )
