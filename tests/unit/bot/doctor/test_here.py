"""The doctor's look at settings, database and outputs."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from bot.doctor.here import database_check, outputs_check, settings_check
from bot.settings import Settings
from bot.wiring import open_database


def settings(**given: Any) -> Settings:
    return Settings(_env_file=None, **given)


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in [*os.environ]:
        if name.startswith(("REVALID_", "SLACK_")):
            monkeypatch.delenv(name)


def test_what_is_set_is_named_and_never_shown() -> None:
    check = settings_check(settings(slack_bot_token="xoxb-very-secret", http_port=81), {})
    assert (check.level, check.says) == ("ok", "set: REVALID_HTTP_PORT, SLACK_BOT_TOKEN")


def test_a_misspelt_variable_is_a_problem() -> None:
    check = settings_check(settings(), {"REVALID_OPERATER": "U1", "REVALID_OPERATORS": "U2", "PATH": "/"})
    assert check.level == "problem"
    assert check.says == "REVALID_OPERATER: there is no such setting."


@pytest.mark.parametrize("name", ["SLACK_BOT_TOKEN", "REVALID_SLACK_BOT_TOKEN", "REVALID_BUILD_NETWORK"])
def test_names_that_are_read_are_no_problem(name: str) -> None:
    assert settings_check(settings(), {name: "x"}).level == "ok"


async def test_a_database_that_is_not_there_yet_is_fine_and_stays_away(tmp_path: Path) -> None:
    check = await database_check(settings())
    assert (check.level, check.says) == ("ok", "var/revalid.db is made at the first start")
    assert not (tmp_path / "var").exists()


async def test_a_database_of_revalid_is_fine() -> None:
    db = await open_database(settings().database_url)
    await db.close()
    check = await database_check(settings())
    assert (check.level, check.says) == ("ok", "var/revalid.db")


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"only words " * 200, "The database file is damaged or is no database"),
        (None, "It holds other tables, and none of Revalid's."),
    ],
)
async def test_a_database_that_cannot_be_used_is_a_problem(
    tmp_path: Path, content: bytes | None, says: str
) -> None:
    path = tmp_path / "other.db"
    if content is None:
        import sqlite3

        connection = sqlite3.connect(path)
        connection.execute("create table songs (id integer)")
        connection.close()
    else:
        path.write_bytes(content)
    check = await database_check(settings(database_url=f"sqlite+aiosqlite:///{path}"))
    assert check.level == "problem"
    assert check.says.startswith(says)
    assert check.do


async def test_an_address_that_is_none_is_a_problem() -> None:
    check = await database_check(settings(database_url="::"))
    assert check.level == "problem"
    assert "REVALID_DATABASE_URL" in check.says


async def test_a_place_inside_a_file_is_a_problem(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    url = f"sqlite+aiosqlite:///{tmp_path / 'file' / 'var' / 'revalid.db'}"
    assert (await database_check(settings(database_url=url))).level == "problem"
    assert outputs_check(settings(outputs=tmp_path / "file" / "outputs")).level == "problem"
    assert outputs_check(settings(outputs=tmp_path / "file")).level == "problem"


def test_outputs_are_fine_where_they_are_and_where_they_can_be_made(tmp_path: Path) -> None:
    assert outputs_check(settings()).says == "var/outputs is made at the first command"
    (tmp_path / "kept").mkdir()
    assert outputs_check(settings(outputs=tmp_path / "kept")).says == str(tmp_path / "kept")
