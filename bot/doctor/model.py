"""The language model: which one, and whether it can be asked."""

from __future__ import annotations

import asyncio

from aiohttp import ClientError, ClientSession, ClientTimeout

from bot.doctor.check import Check, fine, problem
from bot.settings import Settings, variable_of
from bot.wiring import model_choice
from engine.agent.models import RECORDED, ModelChoice, source_of
from engine.errors import SettingsError

SECONDS = 5.0
_HOW_TO = "docs/how-to/choose-a-model.md has an example of each."


async def model_check(settings: Settings) -> Check:
    """Asks a server of one's own whether it is there; of a provider only the key is looked for, it costs."""
    try:
        choice = model_choice(settings)
        if choice.name == RECORDED:
            return fine("model", "none: each finding's recorded steps are replayed")
        await asyncio.to_thread(source_of(choice).shared)
    except SettingsError as error:
        return problem("model", error.sentence, f"See {variable_of('model')}; {_HOW_TO}")
    if choice.base_url is None:
        return fine("model", f"{choice.name}, with a key")
    return await _server_check(choice, choice.base_url)


async def _server_check(choice: ModelChoice, address: str) -> Check:
    key = choice.api_key.get_secret_value() if choice.api_key else ""
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    url = f"{address.rstrip('/')}/models"
    try:
        async with (
            ClientSession(timeout=ClientTimeout(total=SECONDS)) as session,
            session.get(url, headers=headers) as response,
        ):
            status = response.status
    except (ClientError, TimeoutError, ValueError):
        return problem(
            "model",
            f"Nothing answers at {address}.",
            f"Start the model server, or correct its address; {_HOW_TO}",
        )
    if status in (401, 403):
        return problem(
            "model", f"The server at {address} does not take the key.", f"Check {variable_of('model_key')}."
        )
    return fine("model", f"{choice.name} at {address}")
