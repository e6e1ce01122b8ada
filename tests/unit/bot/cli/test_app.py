"""The command as a whole: instant help, one sentence for an error, one manifest."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import typer
from typer.main import get_command

from bot import shipped
from bot.cli import app, pages
from tests.unit.bot.cli.conftest import Run

HEAVY = ("sqlalchemy", "pydantic", "pydantic_ai", "slack_sdk", "slack_bolt", "docker", "aiohttp", "alembic")
COMMANDS = {
    "serve",
    "demo",
    "walkthrough",
    "import",
    "findings",
    "sessions",
    "transcript",
    "verify",
    "backup",
    "manifest",
    "doctor",
}


def test_help_lists_every_command_and_loads_nothing_heavy() -> None:
    code = (
        "import sys\nfrom bot.cli import main\nsys.argv[1:] = ['--help']\n"
        f"try:\n    main()\nexcept SystemExit:\n    print([m for m in {HEAVY} if m in sys.modules])"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert told.splitlines()[-1] == "[]"
    assert {line.split()[0] for line in told.partition("Commands:")[2].splitlines()[1:-1] if line} == COMMANDS


def test_no_summary_is_cut_off() -> None:
    command = get_command(app)
    with typer.Context(command) as context:
        for name in command.list_commands(context):  # type: ignore[attr-defined]
            found = command.get_command(context, name)  # type: ignore[attr-defined]
            assert not found.get_short_help_str().endswith("..."), name


def test_the_reference_pages_are_fresh() -> None:
    assert (pages.REFERENCE / "commands.md").read_text() == pages.commands_page()
    assert (pages.REFERENCE / "json.md").read_text() == pages.json_page()


def test_the_manifest_is_the_one_of_the_repository(run: Run) -> None:
    deploy = Path(__file__).parents[4] / "deploy"
    assert run("manifest").out == (deploy / "manifest.yaml").read_text()
    for name in shipped.SAMPLES:
        assert shipped.sample(name) == (deploy / "lab" / "findings" / name).read_bytes()


@pytest.mark.parametrize(
    ("variable", "value", "sentence"),
    [
        ("REVALID_HTTP_PORT", "many", "REVALID_HTTP_PORT is wrong"),
        ("REVALID_DATABASE_URL", "::", "REVALID_DATABASE_URL is no database address"),
    ],
)
def test_a_wrong_setting_is_one_sentence(
    run: Run, monkeypatch: pytest.MonkeyPatch, variable: str, value: str, sentence: str
) -> None:
    monkeypatch.setenv(variable, value)
    for command in ("findings", "sessions", "verify"):
        told = run(command)
        assert (told.code, told.out) == (1, "")
        assert sentence in told.err
        assert told.err.count("\n") == 1


def test_a_database_that_is_none_is_one_sentence(run: Run, folder: Path) -> None:
    (folder / "var").mkdir()
    (folder / "var" / "revalid.db").write_bytes(b"no database at all, only words" * 50)
    told = run("findings")
    assert (told.code, told.out) == (1, "")
    assert "damaged or is no database" in told.err


def test_serving_without_a_token_is_one_sentence(run: Run) -> None:
    told = run("serve")
    assert told.code == 1
    assert "SLACK_BOT_TOKEN is not set" in told.err
