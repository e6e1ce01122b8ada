"""What an installation sets: environment variables, or a `.env` file beside where it is started."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import AliasChoices, Field, SecretStr, ValidationError, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict
from pydantic_settings import SettingsError as SourceError

from engine.errors import SettingsError

PREFIX = "REVALID_"

Names = Annotated[tuple[str, ...], NoDecode]
"""Several names in one variable, with commas between them."""


def _slack(name: str) -> AliasChoices:
    """Slack's tools and examples agree on these variables; ours works too."""
    return AliasChoices(name, f"{PREFIX}{name}")


class Settings(BaseSettings):
    """Every setting has a default that works on one machine, but for the tokens that only Slack can give."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX,
        env_file=".env",
        # Compose and shells hand on variables that are not set as empty ones.
        env_ignore_empty=True,
        # The .env file may serve other programs too.
        extra="ignore",
        frozen=True,
        populate_by_name=True,
    )

    slack_bot_token: SecretStr | None = Field(
        None,
        validation_alias=_slack("SLACK_BOT_TOKEN"),
        description="The bot token of the Slack app, `xoxb-…`: OAuth & Permissions, after installing it.",
    )
    slack_app_token: SecretStr | None = Field(
        None,
        validation_alias=_slack("SLACK_APP_TOKEN"),
        description="The app-level token with `connections:write`, `xapp-…`, for the `socket` transport.",
    )
    slack_signing_secret: SecretStr | None = Field(
        None,
        validation_alias=_slack("SLACK_SIGNING_SECRET"),
        description="Proves that a request comes from Slack; needed for the `http` transport.",
    )
    slack_api_url: str = Field(
        "https://slack.com/api/",
        validation_alias=_slack("SLACK_API_URL"),
        description="Where Slack's Web API is; the local workspace has its own.",
    )
    transport: Literal["socket", "http"] = Field(
        "socket",
        description="How Slack reaches the bot: it calls out (`socket`), or Slack calls in (`http`).",
    )
    http_host: str = Field("127.0.0.1", description="Address that the `http` transport listens on.")
    http_port: int = Field(3000, ge=0, le=65535, description="Port that the `http` transport listens on.")
    operators: Names = Field(
        (),
        description="Slack user ids, with commas, of who may operate sessions. Without any, it is the person "
        "who opened the session and whom they added.",
    )
    database_url: str = Field(
        "sqlite+aiosqlite:///var/revalid.db", description="The database, as SQLAlchemy writes addresses."
    )
    outputs: Path = Field(Path("var/outputs"), description="Folder that keeps what commands put out.")
    keep_outputs_days: int | None = Field(
        None,
        ge=1,
        description="Days after which the output of a command is dropped, once its session is over. What a "
        "verdict rests on is kept for ever, and without this everything is.",
    )
    instance: str = Field(
        "revalid",
        pattern=r"^[a-z0-9][a-z0-9-]{0,31}$",
        description="Names this installation on its Docker engine; two on one engine need two names.",
    )
    docker_url: str | None = Field(
        None,
        description="The Docker engine, such as `unix:///run/docker.sock`; else as `docker` itself has it.",
    )
    target_networks: Names = Field(
        (),
        description="Docker networks, with commas, whose containers may be targets, as in the practice lab.",
    )
    model: str | None = Field(
        None,
        description="The language model, as pydantic-ai names it (`anthropic:…`, `openai:…`, `ollama:…`), or "
        "`recorded` for each finding's recorded steps. Else the provider whose key is set, else `recorded`.",
    )
    model_base_url: str | None = Field(
        None,
        description="Address of a model server that speaks OpenAI's protocol, with the model named above.",
    )
    model_key: SecretStr | None = Field(
        None, description="Key for the model; else the provider's own variable, such as `ANTHROPIC_API_KEY`."
    )
    sandbox_memory_mib: int = Field(512, ge=64, description="Memory of one sandbox, in MiB.")
    sandbox_processes: int = Field(256, ge=16, description="Processes and threads of one sandbox.")
    sandbox_cores: float = Field(1.0, gt=0, description="Processor cores of one sandbox.")
    sandbox_output_mib: int = Field(
        8, ge=1, description="Output of one command, in MiB; a command that writes more is killed."
    )
    import_mib: int = Field(16, ge=1, le=64, description="Largest findings file taken from Slack, in MiB.")
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        "info", description="The least severe log lines that are written."
    )

    @field_validator("operators", "target_networks", mode="before")
    @classmethod
    def _names(cls, value: object) -> object:
        # Callers in Python give a tuple.
        if isinstance(value, str):
            return tuple(name.strip() for name in value.split(",") if name.strip())
        return value

    @field_validator("operators")
    @classmethod
    def _user_ids(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for name in value:
            user = name.rpartition(":")[2]
            # A display name can be taken by anybody, so only ids count.
            if not user or user[0] not in "UW" or not user.isalnum() or user != user.upper():
                raise ValueError(f"{name!r} is no Slack user id such as U012ABCDEF")
        return value

    @property
    def import_bytes(self) -> int:
        """Largest findings file taken from Slack."""
        return self.import_mib << 20


def load_settings(**overrides: object) -> Settings:
    """Read the settings. Raises `SettingsError`, one sentence that names the variable."""
    try:
        return Settings(**overrides)  # type: ignore[arg-type]
    except SourceError as error:
        raise SettingsError(f"The settings cannot be read: {error}.") from error
    except ValidationError as error:
        problem = error.errors()[0]
        name = variable_of(str(problem["loc"][0]))
        reason = str(problem["msg"]).removeprefix("Value error, ")
        # The value itself is left out: it may be a secret in the wrong place.
        raise SettingsError(f"The setting {name} is wrong: {reason[:1].lower()}{reason[1:]}.") from None


def variable_of(field: str) -> str:
    """The environment variable of a setting."""
    return field.upper() if field.upper().startswith("SLACK_") else f"{PREFIX}{field.upper()}"


def needed(settings: Settings, field: str, *, for_what: str) -> str:
    """A secret that something cannot do without. Raises `SettingsError` when it is not set."""
    value: SecretStr | None = getattr(settings, field)
    if value is None or not value.get_secret_value().strip():
        raise SettingsError(f"{variable_of(field)} is not set; {for_what} needs it.")
    return value.get_secret_value().strip()
