"""What is on this machine: the settings and the places where things are kept."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from sqlalchemy import inspect
from sqlalchemy.exc import SQLAlchemyError

from bot.doctor.check import Check, fine, problem
from bot.settings import PREFIX, Settings, variable_of
from bot.wiring import database_file
from engine.errors import SettingsError
from engine.store.connect import engine_for
from engine.store.errors import from_sqlalchemy

_OF_THE_SCRIPTS = frozenset({"REVALID_BUILD_NETWORK"})


def settings_check(settings: Settings, environ: Mapping[str, str]) -> Check:
    """Which settings are set, and variables that look like one and are none."""
    known = {variable_of(name) for name in Settings.model_fields} | _OF_THE_SCRIPTS
    known |= {f"{PREFIX}{name}" for name in known if not name.startswith(PREFIX)}
    unknown = sorted(name for name in environ if name.startswith(PREFIX) and name not in known)
    if unknown:
        return problem(
            "settings",
            f"{', '.join(unknown)}: there is no such setting.",
            "Correct the name or remove the variable; docs/reference/settings.md lists them all.",
        )
    given = sorted(variable_of(name) for name in settings.model_fields_set)
    return fine("settings", f"set: {', '.join(given)}" if given else "all are at their defaults")


async def database_check(settings: Settings) -> Check:
    """Whether the database can be used, or made."""
    try:
        file = database_file(settings.database_url)
    except SettingsError as error:
        return problem(
            "database", error.sentence, "Write it as SQLAlchemy does: sqlite+aiosqlite:///var/revalid.db"
        )
    if file is not None and not file.exists():
        return _to_be_made("database", file.parent, f"{file} is made at the first start")
    engine = engine_for(settings.database_url)
    try:
        async with engine.connect() as connection:
            tables = await connection.run_sync(lambda sync: inspect(sync).get_table_names())
    except SQLAlchemyError as error:
        return problem("database", from_sqlalchemy(error).sentence, f"See {variable_of('database_url')}.")
    finally:
        await engine.dispose()
    if tables and "findings" not in tables:
        return problem(
            "database",
            "It holds other tables, and none of Revalid's.",
            f"Point {variable_of('database_url')} to a database of Revalid's own.",
        )
    where = str(file) if file else engine.url.render_as_string(hide_password=True)
    return fine("database", where)


def outputs_check(settings: Settings) -> Check:
    """Whether outputs can be kept."""
    folder = settings.outputs
    if not folder.exists():
        return _to_be_made("outputs", folder.parent, f"{folder} is made at the first command")
    if not (folder.is_dir() and os.access(folder, os.W_OK)):
        return problem("outputs", f"{folder} cannot be written.", _allow(folder))
    return fine("outputs", str(folder))


def _to_be_made(what: str, folder: Path, says: str) -> Check:
    nearest = next(part for part in (folder, *folder.absolute().parents) if part.exists())
    if nearest.is_dir() and os.access(nearest, os.W_OK):
        return fine(what, says)
    return problem(what, f"{nearest} cannot be written.", _allow(nearest))


def _allow(folder: Path) -> str:
    return f"Let the user that runs Revalid write to {folder}, or set another place."
