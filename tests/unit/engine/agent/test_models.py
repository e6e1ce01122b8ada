from __future__ import annotations

import subprocess
import sys

import pytest
from pydantic import SecretStr

from engine.agent.models import RECORDED, ModelChoice, choose, source_of
from engine.errors import SettingsError
from tests.unit.engine.agent.builders import no_output, request

LOCAL = "http://127.0.0.1:11434"


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        ({}, "recorded"),
        ({"ANTHROPIC_API_KEY": "k", "OPENAI_API_KEY": "k"}, "anthropic:"),
        ({"OPENAI_API_KEY": "k", "OLLAMA_BASE_URL": LOCAL}, "openai:"),
        ({"OLLAMA_BASE_URL": LOCAL}, "ollama:"),
        ({"ANTHROPIC_API_KEY": ""}, "recorded"),
    ],
)
def test_without_a_setting_the_environment_decides(environ: dict[str, str], expected: str) -> None:
    assert choose(None, environ=environ).name.startswith(expected)


def test_a_setting_goes_before_the_environment() -> None:
    keys = {"ANTHROPIC_API_KEY": "k"}
    assert choose("recorded", environ=keys).name == RECORDED
    assert choose("openai:gpt-x", environ=keys).name == "openai:gpt-x"


def test_an_ollama_address_is_completed() -> None:
    assert choose("ollama:qwen3:8b", environ={"OLLAMA_BASE_URL": f"{LOCAL}/"}).base_url == f"{LOCAL}/v1"
    assert choose("ollama:qwen3:8b", environ={}, base_url=f"{LOCAL}/v1").base_url == f"{LOCAL}/v1"


@pytest.mark.parametrize(
    ("model", "base_url", "told"),
    [
        ("ollama:qwen3", None, "OLLAMA_BASE_URL"),
        ("sonnet", None, "provider:name"),
        (None, LOCAL, "no model"),
    ],
)
def test_half_a_setting_is_refused(model: str | None, base_url: str | None, told: str) -> None:
    with pytest.raises(SettingsError, match=told):
        choose(model, environ={}, base_url=base_url)


@pytest.mark.parametrize(
    ("choice", "system", "name"),
    [
        (ModelChoice(name="anthropic:claude-x", api_key=SecretStr("k")), "anthropic", "claude-x"),
        (ModelChoice(name="openai:gpt-x", api_key=SecretStr("k")), "openai", "gpt-x"),
        (ModelChoice(name="ollama:qwen3:8b", base_url=f"{LOCAL}/v1"), "ollama", "qwen3:8b"),
        (ModelChoice(name="my-model", base_url=f"{LOCAL}/v1"), "openai-compatible", "my-model"),
        (ModelChoice(name="openai:mine", base_url=f"{LOCAL}/v1"), "openai-compatible", "mine"),
    ],
)
def test_a_choice_becomes_that_model_once(choice: ModelChoice, system: str, name: str) -> None:
    source = source_of(choice)
    model = source.for_turn(request(), no_output)
    assert (model.system, model.model_name) == (system, name)
    assert source.shared() is model


@pytest.mark.parametrize("name", ["nowhere:x", "anthropic:claude-x"])
def test_an_unusable_model_is_told_without_a_key(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    with pytest.raises(SettingsError, match="cannot be used"):
        source_of(ModelChoice(name=name)).shared()


def test_a_key_is_never_shown() -> None:
    assert "hunter2" not in repr(ModelChoice(name="openai:x", api_key=SecretStr("hunter2")))


def test_recorded_steps_have_no_model_outside_a_session() -> None:
    with pytest.raises(SettingsError):
        source_of(ModelChoice(name=RECORDED)).shared()


@pytest.mark.parametrize("module", ["engine.agent.models", "engine.agent.port", "engine.agent.matching"])
def test_what_the_command_line_imports_loads_no_provider(module: str) -> None:
    heavy = "any(name in sys.modules for name in ('pydantic_ai', 'anthropic', 'openai', 'regex'))"
    check = f"import sys, {module}; sys.exit({heavy})"
    assert subprocess.run([sys.executable, "-c", check], check=False).returncode == 0
