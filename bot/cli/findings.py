"""`revalid findings`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from bot.cli.kept import Kept, with_kept

if TYPE_CHECKING:
    from engine.views import FindingView

TITLE = 120
"""Characters of a title that a list shows."""
PAGE = 500
"""Findings that are read at once."""


def findings(
    text: Annotated[str, typer.Argument(help="Only findings with this in their title or address.")] = "",
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List the findings and their verdicts.

    Newest first, each with the verdict that stands.
    """
    from bot.blocks.amounts import count
    from bot.cli.shapes import finding_as_json
    from bot.cli.terminal import table, tell, tell_json

    found = with_kept(lambda kept: _all(kept, text))
    if as_json:
        tell_json({"findings": [finding_as_json(view) for view in found]})
    elif not found:
        tell(
            "No finding has that in it."
            if text
            else "There are no findings; `revalid import FILE` takes a file."
        )
    else:
        tell(table(("finding", "severity", "verdict", "where", "title"), [_row(view) for view in found]))
        tell(f"\n{count(len(found), 'finding')}")


async def _all(kept: Kept, text: str) -> list[FindingView]:
    found: list[FindingView] = []
    while page := await kept.archive.findings(text, limit=PAGE, offset=len(found)):
        found += page
        # Saves the last, empty look in the usual case of one page.
        if len(page) < PAGE:
            break
    return found


def _row(view: FindingView) -> tuple[str, ...]:
    from bot.blocks import inert
    from bot.blocks.state import VERDICT_WORDS

    finding, verdict = view.finding, view.verdict
    places = [endpoint.address for endpoint in finding.endpoints if endpoint.address]
    more = f" and {len(places) - 1} more" if len(places) > 1 else ""
    return (
        f"F-{view.id}",
        finding.severity.value,
        f"{VERDICT_WORDS[verdict.status]} in R-{verdict.session_id}" if verdict else "none yet",
        f"{places[0]}{more}" if places else "no address",
        inert.line(finding.title, TITLE),
    )
