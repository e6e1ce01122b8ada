"""`revalid verify`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bot.cli.kept import Kept, session_number, with_backup, with_kept

if TYPE_CHECKING:
    from engine.verify import Report


def verify(
    session: Annotated[str, typer.Argument(help="One session, such as R-42; without it, all.")] = "",
    *,
    backup: Annotated[
        Path | None, typer.Option(help="Check this backup, not what the settings name.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Check that what is kept is unchanged.

    Transcripts and outputs have to be as they were written, and every verdict has to follow from them. Exit
    code 1 when something does not fit.
    """
    from bot.cli.terminal import table, tell, tell_json

    # A wrong number is told before anything is opened.
    number = session_number(session) if session else None

    async def look(kept: Kept) -> Report:
        from engine.verify import verify_all, verify_session

        if number is None:
            return await verify_all(kept.db, kept.outputs)
        return await verify_session(kept.db, kept.outputs, number)

    report = with_backup(backup, look) if backup else with_kept(look)
    if as_json:
        tell_json(report.as_json())
    else:
        tell(told(report))
        # Told apart from problems: retention is no tampering.
        for sentence in report.dropped:
            tell(f"Not there on purpose: {sentence}")
        if report.problems:
            rows = [(f"R-{problem.session_id}", problem.what) for problem in report.problems]
            tell("\n" + table(("session", "what does not fit"), rows))
    if not report.intact:
        raise typer.Exit(1)


def told(report: Report) -> str:
    """What was looked at and what came of it, in a line."""
    from bot.blocks.amounts import count

    looked = ", ".join(
        (
            count(report.sessions, "session"),
            count(report.events, "event"),
            count(report.outputs, "output"),
            count(report.verdicts, "verdict"),
        )
    )
    outcome = "everything fits" if report.intact else count(len(report.problems), "problem")
    return f"Checked {looked}: {outcome}."
