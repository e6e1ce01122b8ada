"""Slack: whether it takes the tokens, and what the app may do there."""

from __future__ import annotations

from collections.abc import Mapping

import yaml
from aiohttp import ClientError
from pydantic import SecretStr
from slack_sdk.errors import SlackApiError, SlackClientError
from slack_sdk.web.async_client import AsyncWebClient
from slack_sdk.web.async_slack_response import AsyncSlackResponse

from bot import shipped
from bot.doctor.check import Check, advice, fine, problem
from bot.settings import Settings

INSTALL = "docs/how-to/install-in-slack.md says where it is."
SECONDS = 10
_REINSTALL = "In the app's settings press Install App again and set the new token."


async def bot_token_checks(settings: Settings) -> tuple[Check, ...]:
    """The bot token, and its scopes against the manifest."""
    token = _given(settings.slack_bot_token)
    if not token:
        return (problem("bot token", "SLACK_BOT_TOKEN is not set.", f"Set it; {INSTALL}"),)
    client = AsyncWebClient(token=token, base_url=settings.slack_api_url, timeout=SECONDS, retry_handlers=[])
    try:
        answer = await client.auth_test()
    except SlackApiError as error:
        says = f"Slack does not take SLACK_BOT_TOKEN ({error.response.get('error')})."
        return (problem("bot token", says, _REINSTALL),)
    except (SlackClientError, ClientError, TimeoutError):
        return (_silent(settings),)
    where = f"{answer.get('team')} as @{answer.get('user')}"
    return fine("bot token", where), _scopes(answer)


def _scopes(answer: AsyncSlackResponse) -> Check:
    header = _header(answer.headers, "x-oauth-scopes")
    granted = {scope.strip() for scope in header.split(",") if scope.strip()}
    wanted = set(yaml.safe_load(shipped.manifest())["oauth_config"]["scopes"]["bot"])
    if lacking := sorted(wanted - granted):
        do = "Paste the output of `revalid manifest` as the app's manifest, and install it again."
        return problem("scopes", f"The app lacks {', '.join(lacking)}.", do)
    if more := sorted(granted - wanted):
        do = "Take them away under OAuth & Permissions; a stolen token could use them."
        return advice("scopes", f"The app may do more than it needs: {', '.join(more)}", do)
    return fine("scopes", f"all {len(wanted)} of the manifest, and no other")


async def incoming_check(settings: Settings) -> Check:
    """How Slack reaches the bot: the app token's socket, or the signing secret for HTTP."""
    if settings.transport == "http":
        if not _given(settings.slack_signing_secret):
            return problem(
                "signing secret", "SLACK_SIGNING_SECRET is not set; HTTP needs it.", f"Set it; {INSTALL}"
            )
        return fine("signing secret", f"set; HTTP on {settings.http_host}:{settings.http_port}")
    token = _given(settings.slack_app_token)
    if not token:
        return problem("app token", "SLACK_APP_TOKEN is not set; Socket Mode needs it.", f"Set it; {INSTALL}")
    client = AsyncWebClient(base_url=settings.slack_api_url, timeout=SECONDS, retry_handlers=[])
    try:
        # Slack only gives an address here; nothing connects to it.
        await client.apps_connections_open(app_token=token)
    except SlackApiError as error:
        says = f"Slack does not take SLACK_APP_TOKEN ({error.response.get('error')})."
        do = (
            "Under Basic Information make an app-level token with connections:write, and turn Socket Mode on."
        )
        return problem("app token", says, do)
    except (SlackClientError, ClientError, TimeoutError):
        return _silent(settings)
    return fine("app token", "Slack gives out sockets for it")


def _silent(settings: Settings) -> Check:
    says = f"Slack does not answer at {settings.slack_api_url}."
    return problem("Slack", says, "Check the network and SLACK_API_URL.")


def _given(secret: SecretStr | None) -> str:
    return secret.get_secret_value().strip() if secret else ""


def _header(headers: Mapping[str, str], name: str) -> str:
    return next((value for key, value in headers.items() if key.lower() == name), "")
