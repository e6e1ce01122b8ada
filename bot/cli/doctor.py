"""`revalid doctor`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from bot.doctor.check import Check


def doctor() -> None:
    """Check what Revalid needs; say what to do.

    Looks at settings, database, Docker, images, Slack's tokens and scopes, and the model. Changes
    nothing and prints no secret. Exit code 1 when there is a problem.
    """
    import asyncio

    from bot.blocks.amounts import count
    from bot.cli.terminal import tell
    from bot.doctor.examine import examine

    checks = asyncio.run(examine())
    # All of them, also after a problem: several are often mended in one go.
    tell(told(checks))
    problems = sum(check.level == "problem" for check in checks)
    tell(f"\n{count(problems, 'problem')}." if problems else "\nEverything is ready.")
    if problems:
        raise typer.Exit(1)


def told(checks: tuple[Check, ...]) -> str:
    """A line a check, and under it what to do."""
    from bot.cli.terminal import one_line

    wide = max(len(check.what) for check in checks)
    parts: list[str] = []
    for check in checks:
        parts.append(f"{check.level:<7}  {check.what:<{wide}}  {one_line(check.says)}")
        if check.do:
            parts.append(f"{'':<7}  {'':<{wide}}  → {one_line(check.do)}")
    return "\n".join(parts)
