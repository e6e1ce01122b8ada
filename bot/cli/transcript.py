"""`revalid transcript`."""

from __future__ import annotations

from typing import Annotated

import typer

from bot.cli.kept import Kept, session_number, with_kept


def transcript(
    session: Annotated[str, typer.Argument(help="The session, such as R-42.")],
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Print what happened in a session.

    Everything in order, with beginning and end of what its commands put out. Times are UTC.
    """
    from bot.cli.script import script
    from bot.cli.shapes import transcript_as_json
    from bot.cli.terminal import tell, tell_json
    from engine.views import Transcript

    number = session_number(session)

    async def look(kept: Kept) -> tuple[Transcript, str]:
        found = await kept.archive.transcript(number)
        # Both while the database is open: the text needs the outputs.
        return found, await script(kept.archive, found)

    found, told = with_kept(look)
    if as_json:
        tell_json(transcript_as_json(found))
    else:
        tell(told)
