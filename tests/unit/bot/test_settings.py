"""Settings: read from the environment, wrong ones named in one sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.settings import load_settings, needed
from bot.settings_page import PAGE, render
from engine.errors import SettingsError


@pytest.fixture(autouse=True)
def _bare_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    import os

    for name in list(os.environ):
        if name.startswith(("REVALID_", "SLACK_")):
            monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)


def test_every_setting_has_a_default() -> None:
    settings = load_settings()
    assert settings.transport == "socket"
    assert settings.operators == ()
    assert settings.database_url.endswith("var/revalid.db")


@pytest.mark.parametrize("name", ["SLACK_BOT_TOKEN", "REVALID_SLACK_BOT_TOKEN"])
def test_slacks_own_variables_work_too(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(name, "xoxb-1")
    settings = load_settings()
    assert needed(settings, "slack_bot_token", for_what="the bot") == "xoxb-1"
    assert "xoxb-1" not in repr(settings)


def test_names_are_separated_by_commas(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REVALID_OPERATORS", "U1, T1:W2 ,")
    monkeypatch.setenv("REVALID_TARGET_NETWORKS", "lab")
    settings = load_settings()
    assert settings.operators == ("U1", "T1:W2")
    assert settings.target_networks == ("lab",)


def test_an_env_file_is_read_and_an_empty_variable_counts_as_not_set(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / ".env").write_text("REVALID_HTTP_PORT=8443\n")
    monkeypatch.setenv("REVALID_INSTANCE", "")
    settings = load_settings()
    assert settings.http_port == 8443
    assert settings.instance == "revalid"


@pytest.mark.parametrize(
    ("name", "value", "part"),
    [
        ("REVALID_TRANSPORT", "carrier", "'socket' or 'http'"),
        ("REVALID_HTTP_PORT", "x", "integer"),
        ("REVALID_OPERATORS", "alice", "'alice' is no Slack user id"),
        ("REVALID_OPERATORS", "@U1", "no Slack user id"),
        ("REVALID_INSTANCE", "a b", "pattern"),
    ],
)
def test_a_wrong_setting_is_named(monkeypatch: pytest.MonkeyPatch, name: str, value: str, part: str) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(SettingsError) as error:
        load_settings()
    assert error.value.sentence.startswith(f"The setting {name} is wrong: ")
    assert part in error.value.sentence
    assert "\n" not in error.value.sentence


def test_a_missing_token_is_named_with_what_needs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLACK_APP_TOKEN", "  ")
    with pytest.raises(SettingsError, match="SLACK_APP_TOKEN is not set; the socket transport needs it"):
        needed(load_settings(), "slack_app_token", for_what="the socket transport")


def test_the_reference_page_is_fresh() -> None:
    assert PAGE.read_text(encoding="utf-8") == render()
