"""`revalid doctor` against the local workspace and a model server on loopback."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from bot.cli.doctor import told
from bot.doctor.check import Check
from bot.doctor.examine import examine
from bot.doctor.model import model_check
from bot.doctor.slack import bot_token_checks, incoming_check
from bot.practice import APP_TOKEN, BOT_TOKEN, installed
from bot.settings import Settings
from bot.workspace.installed_app import InstalledApp
from bot.workspace.server import WorkspaceServer

KEYS = ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OLLAMA_BASE_URL")
NOWHERE = "http://127.0.0.1:1/"


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in KEYS:
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
async def server() -> AsyncIterator[WorkspaceServer]:
    async with WorkspaceServer(installed()) as server:
        yield server


def settings(api_url: str = NOWHERE, **given: Any) -> Settings:
    tokens = {"slack_bot_token": BOT_TOKEN, "slack_app_token": APP_TOKEN}
    return Settings(_env_file=None, slack_api_url=api_url, **{**tokens, **given})


async def test_right_tokens_are_fine(server: WorkspaceServer) -> None:
    token, scopes = await bot_token_checks(settings(server.api_url))
    assert (token.level, token.says) == ("ok", "Example Security as @revalid")
    assert (scopes.level, scopes.says) == ("ok", "all 10 of the manifest, and no other")
    incoming = await incoming_check(settings(server.api_url))
    assert (incoming.level, incoming.says) == ("ok", "Slack gives out sockets for it")


@pytest.mark.parametrize("token", ["xoxb-of-somebody-else", APP_TOKEN])
async def test_a_wrong_bot_token_is_a_problem_and_not_shown(server: WorkspaceServer, token: str) -> None:
    (check,) = await bot_token_checks(settings(server.api_url, slack_bot_token=token))
    assert check.level == "problem"
    assert check.says.startswith("Slack does not take SLACK_BOT_TOKEN (")
    assert token not in told((check,))


async def test_a_wrong_app_token_is_a_problem_and_not_shown(server: WorkspaceServer) -> None:
    check = await incoming_check(settings(server.api_url, slack_app_token="xapp-of-somebody-else"))
    assert check.level == "problem"
    assert check.says == "Slack does not take SLACK_APP_TOKEN (invalid_auth)."
    assert "xapp-" not in told((check,))


@pytest.mark.parametrize(
    ("lacking", "more", "level", "says"),
    [
        ({"files:write", "users:read"}, set(), "problem", "The app lacks files:write, users:read."),
        (set(), {"admin"}, "advice", "The app may do more than it needs: admin"),
        ({"commands"}, {"admin"}, "problem", "The app lacks commands."),
    ],
)
async def test_scopes_are_held_against_the_manifest(
    lacking: set[str], more: set[str], level: str, says: str
) -> None:
    full = installed()
    scopes = (full.scopes - lacking) | more
    app = InstalledApp(bot_token=BOT_TOKEN, app_token=APP_TOKEN, scopes=frozenset(scopes))
    async with WorkspaceServer(app) as server:
        _, check = await bot_token_checks(settings(server.api_url))
    assert (check.what, check.level, check.says) == ("scopes", level, says)


async def test_tokens_that_are_not_set_are_problems() -> None:
    (token,) = await bot_token_checks(settings(slack_bot_token=None))
    assert (token.level, token.says) == ("problem", "SLACK_BOT_TOKEN is not set.")
    assert (await incoming_check(settings(slack_app_token=None))).level == "problem"
    over_http = await incoming_check(settings(slack_app_token=None, transport="http"))
    assert over_http.says == "SLACK_SIGNING_SECRET is not set; HTTP needs it."
    signed = await incoming_check(settings(transport="http", slack_signing_secret="s3cret"))
    assert (signed.level, signed.says) == ("ok", "set; HTTP on 127.0.0.1:3000")


async def test_a_slack_that_does_not_answer_is_a_problem() -> None:
    (check,) = await bot_token_checks(settings())
    assert (check.level, check.says) == ("problem", f"Slack does not answer at {NOWHERE}.")
    assert (await incoming_check(settings())).says == check.says


@pytest.fixture
async def models() -> AsyncIterator[str]:
    """A server that speaks enough of OpenAI's protocol to be asked for its models."""

    async def answer(request: web.Request) -> web.Response:
        known = request.headers.get("Authorization", "") in ("", "Bearer right")
        return web.json_response({"data": []}, status=200 if known else 401)

    application = web.Application()
    application.router.add_get("/v1/models", answer)
    runner = web.AppRunner(application)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    yield f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
    await runner.cleanup()


async def test_without_a_model_recorded_steps_are_fine() -> None:
    assert (await model_check(settings())).says == "none: each finding's recorded steps are replayed"


@pytest.mark.parametrize(
    ("given", "level", "says"),
    [
        ({"model": "openai:some", "model_key": "sk-secret"}, "ok", "openai:some, with a key"),
        ({"model": "openai:some"}, "problem", "The model 'openai:some' cannot be used"),
        ({"model": "some"}, "problem", "The model 'some' names no provider"),
        ({"model": "ollama:some", "model_base_url": NOWHERE}, "problem", f"Nothing answers at {NOWHERE}v1."),
    ],
)
async def test_a_model_is_named_and_its_key_is_not(given: dict[str, Any], level: str, says: str) -> None:
    check = await model_check(settings(**given))
    assert check.level == level
    assert check.says.startswith(says)
    assert "sk-secret" not in told((check,))


@pytest.mark.parametrize(
    ("key", "level", "says"),
    [("right", "ok", "some at {}"), ("wrong", "problem", "The server at {} does not take the key.")],
)
async def test_a_server_of_ones_own_is_asked(models: str, key: str, level: str, says: str) -> None:
    check = await model_check(settings(model="some", model_base_url=models, model_key=key))
    assert (check.level, check.says) == (level, says.format(models))


async def test_everything_is_looked_at(server: WorkspaceServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLACK_BOT_TOKEN", BOT_TOKEN)
    monkeypatch.setenv("SLACK_APP_TOKEN", APP_TOKEN)
    monkeypatch.setenv("SLACK_API_URL", server.api_url)
    monkeypatch.setenv("REVALID_DOCKER_URL", "tcp://127.0.0.1:1")
    checks = await examine()
    assert {check.what: check.level for check in checks} == {
        "settings": "ok",
        "database": "ok",
        "outputs": "ok",
        "Docker": "problem",
        "bot token": "ok",
        "scopes": "ok",
        "app token": "ok",
        "model": "ok",
    }
    assert not any(secret in told(checks) for secret in (BOT_TOKEN, APP_TOKEN))


async def test_settings_that_cannot_be_read_are_the_only_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REVALID_HTTP_PORT", "many")
    (check,) = await examine()
    assert check.level == "problem"
    assert "REVALID_HTTP_PORT" in check.says


def test_each_line_says_what_it_is_and_what_to_do() -> None:
    checks = (
        Check(what="database", level="ok", says="var/revalid.db"),
        Check(what="images", level="problem", says="Not there.", do="Run `make images`."),
    )
    assert told(checks).splitlines() == [
        "ok       database  var/revalid.db",
        "problem  images    Not there.",
        "                   → Run `make images`.",
    ]
