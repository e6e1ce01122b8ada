"""All checks, those that wait for others side by side."""

from __future__ import annotations

import asyncio
import os

from bot.doctor.check import Check, problem
from bot.doctor.engine import engine_checks
from bot.doctor.here import database_check, outputs_check, settings_check
from bot.doctor.model import model_check
from bot.doctor.slack import bot_token_checks, incoming_check
from bot.settings import load_settings
from engine.errors import SettingsError


async def examine() -> tuple[Check, ...]:
    """Look at everything. Settings that cannot be read are the only line then."""
    try:
        settings = load_settings()
    except SettingsError as error:
        return (problem("settings", error.sentence, "Correct the variable, or its line in `.env`."),)
    database, engine, tokens, incoming, model = await asyncio.gather(
        database_check(settings),
        engine_checks(settings),
        bot_token_checks(settings),
        incoming_check(settings),
        model_check(settings),
    )
    return (
        settings_check(settings, os.environ),
        database,
        outputs_check(settings),
        *engine,
        *tokens,
        incoming,
        model,
    )
