"""`revalid sessions`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from bot.cli.kept import with_kept

if TYPE_CHECKING:
    from bot.cli.kept import Kept
    from bot.store.posts import Trouble
    from engine.views import SessionView

EVERY = 1_000_000
TITLE = 80
"""Characters of a title that a list shows."""


def sessions(
    *,
    every: Annotated[bool, typer.Option("--all", help="Also those that are concluded or ended.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List the sessions that are going on.

    Newest first. A thread that Slack does not take is named below them, with what to do.
    """
    from bot.blocks.amounts import count
    from bot.cli.shapes import session_as_json
    from bot.cli.terminal import table, tell, tell_json
    from bot.troubles import sentence

    # All of them: a list that stops short would read as if there were no more.
    found = with_kept(lambda kept: kept.archive.sessions(live=None if every else True, limit=EVERY))
    if as_json:
        tell_json({"sessions": [session_as_json(view) for view in found]})
    elif not found:
        tell(
            "There are no sessions." if every else "No retest is going on; `--all` lists those that are over."
        )
    else:
        head = ("session", "finding", "operator", "opened", "state", "title")
        tell(table(head, [_row(view) for view in found]))
        tell(f"\n{count(len(found), 'session')}")
        for trouble in with_kept(_troubles):
            tell(f"R-{trouble.session_id} is not shown in Slack: {sentence(trouble.code)}")


async def _troubles(kept: Kept) -> tuple[Trouble, ...]:
    from bot.store.migrate import migrate_bot
    from bot.store.posts import Posts

    # After an upgrade this may run before the bot does, whose tables are older then.
    await migrate_bot(kept.db)
    return await Posts(kept.db).troubles()


def _row(view: SessionView) -> tuple[str, ...]:
    from bot.access import user_of
    from bot.blocks import inert
    from bot.blocks.amounts import day
    from bot.blocks.state import state_words

    auto = " (Auto-run)" if view.situation.auto_run else ""
    return (
        f"R-{view.id}",
        f"F-{view.finding_id}",
        user_of(view.operator),
        day(view.created),
        state_words(view) + auto,
        inert.line(view.title, TITLE),
    )
