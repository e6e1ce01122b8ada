"""Asks a busy provider again, a few times within one request; the SDK's own retries are set off for it."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import structlog
from pydantic_ai.exceptions import ModelAPIError
from pydantic_ai.messages import ModelMessage, ModelResponse
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.settings import ModelSettings

from engine.agent.errors import transient, waiting_for

log = structlog.get_logger(__name__)


@dataclass(frozen=True, kw_only=True)
class Patience:
    """How often a request is tried and how long is waited in between, in seconds."""

    # Pauses of about 2, 8 and 32 seconds: a rate limit by the minute is over by then.
    tries: int = 4
    first: float = 2.0
    growth: float = 4.0
    longest: float = 120.0
    """All pauses of one request together; a provider that asks for more is not waited for."""
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    chance: Callable[[], float] = random.random

    def pause(self, failed: int, asked: float | None, waited: float) -> float | None:
        """The pause after so many failed tries; None when it is time to give up.

        At least what the provider `asked` for. Spread, so that many sessions do not come back at once.
        """
        if failed >= self.tries:
            return None
        pause = max(self.first * self.growth ** (failed - 1), asked or 0.0)
        # Only ever longer: coming back before the asked time would be refused again.
        pause *= 1 + self.chance() / 2
        return pause if waited + pause <= self.longest else None


class PatientModel(WrapperModel):
    """One request to the wrapped model that outlasts a short trouble of its provider.

    Only the request is tried again: once there is a response, with a command in it or not, that is it.
    `tell` hears what is waited for, and an empty string when that is over.
    """

    def __init__(self, wrapped: Model, patience: Patience, tell: Callable[[str], None]) -> None:
        super().__init__(wrapped)
        self._patience = patience
        self._tell = tell

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        """The response of the first try that has one. Raises what the last one failed with."""
        # One layer retries: the SDK's own would multiply the tries and wait unseen by the thread.
        once: ModelSettings = {**(model_settings or {}), "max_retries": 0}
        failed, waited = 0, 0.0
        while True:
            try:
                response = await self.wrapped.request(messages, once, model_request_parameters)
            except ModelAPIError as error:
                # An unusable answer is no ModelAPIError and not tried again here: the service works.
                failed += 1
                pause = self._patience.pause(failed, error.retry_after, waited) if transient(error) else None
                if pause is None:
                    raise
                log.info(
                    "model asked again", error=type(error).__name__, tries=failed, seconds=round(pause, 1)
                )
                self._tell(waiting_for(error))
                waited += pause
                await self._patience.sleep(pause)
            else:
                if failed:
                    self._tell("")
                return response
