"""`revalid backup`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def backup(
    folder: Annotated[
        Path | None,
        typer.Argument(help="A new folder; without it, one beside the database, named by the time."),
    ] = None,
) -> None:
    """Copy everything that is kept.

    The bot may serve meanwhile: the copy is of one moment. `revalid verify --backup FOLDER` proves it.
    """
    from datetime import UTC, datetime

    from bot.blocks.amounts import count, size
    from bot.cli.kept import NothingKept
    from bot.cli.terminal import tell
    from bot.settings import load_settings
    from bot.wiring import database_file
    from engine.backup import back_up
    from engine.errors import SettingsError

    settings = load_settings()
    database = database_file(settings.database_url)
    # A server's own tools copy one moment of it; reading table by table would not.
    if database is None:
        raise SettingsError("Only an SQLite file is backed up by this command; use your server's own tools.")
    if not database.exists():
        raise NothingKept
    # Named to the second and in UTC, so that names sort by age wherever they are made.
    where = folder or database.parent / "backups" / f"revalid-{datetime.now(UTC):%Y%m%dT%H%M%SZ}"
    made = back_up(database, settings.outputs, where)
    tell(
        f"Backed up the database ({size(made.database_bytes)}) and {count(made.outputs, 'output')} to "
        f"{made.folder}. Prove it with: revalid verify --backup {made.folder}"
    )
