"""Which language model takes the turns. Nothing of a provider is loaded before it is used."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from pydantic import SecretStr

from engine.agent.port import ReadOutput, TurnRequest
from engine.errors import SettingsError

if TYPE_CHECKING:
    from pydantic_ai.models import Model
    from pydantic_ai.providers import Provider

RECORDED = "recorded"
DEFAULT_ANTHROPIC = "anthropic:claude-sonnet-5-5"
DEFAULT_OPENAI = "openai:gpt-6.1-terra"
DEFAULT_OLLAMA = "ollama:qwen3:14b"
# Far below the window of the large models, since instructions, finding and words come on top.
CONTEXT_CHARS = 240_000
"""About 60,000 tokens of tool output; older outputs are left out on the wire beyond it."""
# Recorded steps read their own results in the history, and nothing goes over a wire.
_UNLIMITED = 1 << 40
_OLLAMA = "ollama:"
# People write the prefix for any server that speaks this protocol; the server knows only the name.
_OPENAI_PREFIXES = ("openai-chat:", "openai:")


class ModelSource(Protocol):
    """Gives the model for a turn."""

    name: str
    """As it was chosen; kept with each turn."""
    recorded: bool
    context_chars: int

    def for_turn(self, request: TurnRequest, read_output: ReadOutput) -> Model:
        """The model for this turn. Raises `SettingsError`."""
        ...

    def shared(self) -> Model:
        """A model for a job outside a session, such as drafting a goal."""
        ...

    async def close(self) -> None:
        """Let go of connections."""
        ...


@dataclass(frozen=True, kw_only=True)
class ModelChoice:
    """What was chosen, checked no further than its form."""

    name: str
    base_url: str | None = None
    """Of an Ollama or another server that speaks OpenAI's Chat Completions."""
    api_key: SecretStr | None = None
    """None leaves it to the provider's own environment variable."""


def choose(
    model: str | None,
    *,
    environ: Mapping[str, str],
    base_url: str | None = None,
    api_key: SecretStr | None = None,
) -> ModelChoice:
    """The model of the settings, else the one the environment has a key or address for, else `recorded`.

    Args:
        model: `recorded`, a pydantic-ai model string, `ollama:NAME`, or with `base_url` the server's name.
        environ: Where ANTHROPIC_API_KEY, OPENAI_API_KEY and OLLAMA_BASE_URL are looked up.
        base_url: Address of an Ollama or an OpenAI-compatible server.
        api_key: Its key.
    """
    ollama = environ.get("OLLAMA_BASE_URL")
    name = (model or "").strip()
    # A key in the environment chooses a model, so that a fresh installation needs one setting less.
    if not name:
        if base_url:
            raise SettingsError("A model address is set but no model; name the model that this server runs.")
        name = _by_environment(environ)
    if name == RECORDED:
        return ModelChoice(name=RECORDED)
    if name.startswith(_OLLAMA):
        address = base_url or ollama
        if not address:
            raise SettingsError(
                "An Ollama model is chosen but no address; set OLLAMA_BASE_URL to its address."
            )
        return ModelChoice(name=name, base_url=_with_v1(address), api_key=api_key)
    # pydantic-ai refuses bare names in the middle of a turn; here the person who set it is told.
    if base_url is None and ":" not in name:
        raise SettingsError(
            f"The model {name!r} names no provider; write it as provider:name, or `recorded`."
        )
    return ModelChoice(name=name, base_url=base_url, api_key=api_key)


def _by_environment(environ: Mapping[str, str]) -> str:
    defaults = {
        "ANTHROPIC_API_KEY": DEFAULT_ANTHROPIC,
        "OPENAI_API_KEY": DEFAULT_OPENAI,
        "OLLAMA_BASE_URL": DEFAULT_OLLAMA,
    }
    return next((name for variable, name in defaults.items() if environ.get(variable)), RECORDED)


def _with_v1(address: str) -> str:
    address = address.rstrip("/")
    # People give the address that Ollama prints; its OpenAI-compatible side lives under this suffix.
    return address if address.endswith("/v1") else f"{address}/v1"


def source_of(choice: ModelChoice) -> ModelSource:
    """The source of models for a choice; loads nothing yet."""
    return RecordedSource() if choice.name == RECORDED else ProviderSource(choice)


class RecordedSource:
    """Replays each finding's own recorded steps; no language model."""

    name = RECORDED
    recorded = True
    context_chars = _UNLIMITED

    def for_turn(self, request: TurnRequest, read_output: ReadOutput) -> Model:
        """Recorded steps of the request's finding."""
        from engine.agent.recorded import RecordedSteps

        return RecordedSteps(request, read_output)

    def shared(self) -> Model:
        """There is none: recorded steps belong to one finding."""
        raise SettingsError("Recorded steps answer for a finding only; choose a language model for this.")

    async def close(self) -> None:
        """Nothing is open."""


class ProviderSource:
    """One provider's model, made at its first use and shared by all sessions."""

    recorded = False
    context_chars = CONTEXT_CHARS

    def __init__(self, choice: ModelChoice) -> None:
        self.name = choice.name
        self._choice = choice
        self._model: Model | None = None

    def for_turn(self, request: TurnRequest, read_output: ReadOutput) -> Model:
        """The shared model."""
        return self.shared()

    def shared(self) -> Model:
        """The model, made now if it was not yet."""
        if self._model is None:
            self._model = _make(self._choice)
        return self._model

    async def close(self) -> None:
        """Close the provider's connections, if a turn was taken at all."""
        if self._model is not None:
            # Leaving a model's context is its only public way to close the HTTP client.
            async with self._model:
                pass


def _make(choice: ModelChoice) -> Model:
    from pydantic_ai.exceptions import UserError

    try:
        return _infer(choice)
    except (UserError, ValueError, ImportError) as error:
        # The provider's own text is left out: it may hold what was set as key.
        raise SettingsError(
            f"The model {choice.name!r} cannot be used ({type(error).__name__}): check its name, "
            "and that its API key is set."
        ) from error


def _infer(choice: ModelChoice) -> Model:
    key = choice.api_key.get_secret_value() if choice.api_key else None
    # Each provider's module imports its SDK, so only the chosen one is loaded.
    if choice.base_url and choice.name.startswith(_OLLAMA):
        from pydantic_ai.models.ollama import OllamaModel
        from pydantic_ai.providers.ollama import OllamaProvider

        name = choice.name.removeprefix(_OLLAMA)
        return OllamaModel(name, provider=OllamaProvider(base_url=choice.base_url, api_key=key))
    if choice.base_url:
        from pydantic_ai.models.openai import OpenAIChatModel
        from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

        name = choice.name
        for prefix in _OPENAI_PREFIXES:
            name = name.removeprefix(prefix)
        # Unlike OpenAI's own provider, this one never sends OPENAI_API_KEY to a foreign address.
        server = OpenAICompatibleProvider("openai-compatible", base_url=choice.base_url, api_key=key)
        return OpenAIChatModel(name, provider=server)
    return _named(choice.name, key)


def _named(name: str, key: str | None) -> Model:
    from pydantic_ai.models import infer_model
    from pydantic_ai.providers import infer_provider, infer_provider_class

    def with_key(provider: str) -> Provider[Any]:
        make: Callable[..., Provider[Any]] = infer_provider_class(provider)
        return make(api_key=key)

    return infer_model(name, provider_factory=with_key if key else infer_provider)
