from __future__ import annotations

import pytest
from pydantic_ai import exceptions as provider

from engine.agent import errors as ours
from engine.agent.scripted_model import ScriptedModel
from engine.errors import ModelError, SettingsError
from tests.unit.engine.agent.builders import request, scripted

SECRET = "sk-not-for-people"


def http(status: int) -> provider.ModelHTTPError:
    return provider.ModelHTTPError(status_code=status, model_name="m", body={"error": SECRET})


@pytest.mark.parametrize(
    ("failure", "expected"),
    [
        (http(429), ours.ModelBusy),
        (http(503), ours.ModelUnavailable),
        (http(500), ours.ModelUnavailable),
        (http(401), ours.ModelKeyRefused),
        (http(404), ours.ModelUnknown),
        (http(400), ours.ModelRefused),
        (provider.ModelRateLimitError("m", SECRET), ours.ModelBusy),
        (provider.ModelQuotaExceededError("m", SECRET), ours.ModelOutOfCredit),
        (provider.ModelOverloadedError("m", SECRET), ours.ModelUnavailable),
        (provider.ModelTimeoutError("m", SECRET), ours.ModelTimedOut),
        (provider.ModelRequestTimeout("m", 3.0), ours.ModelTimedOut),
        (provider.ModelConnectionError("m", SECRET), ours.ModelUnreachable),
        (provider.ModelAuthenticationError("m", SECRET), ours.ModelKeyRefused),
        (provider.ModelContextWindowExceededError("m", SECRET), ours.ModelContextFull),
        (provider.UnexpectedModelBehavior(SECRET), ours.ModelUnreadable),
        (provider.UserError(SECRET), ModelError),
        (RuntimeError(SECRET), ModelError),
    ],
)
async def test_each_failure_has_its_sentence_and_tells_no_secret(
    failure: Exception, expected: type[ModelError]
) -> None:
    agent, _ = scripted(failures=[failure] * 4)
    with pytest.raises(ModelError) as caught:
        await agent.take_turn(request())
    assert type(caught.value) is expected
    assert SECRET not in caught.value.sentence
    assert caught.value.sentence.endswith((".", "!"))


async def test_a_rate_limit_tells_how_long_to_wait() -> None:
    agent, _ = scripted(failures=[provider.ModelRateLimitError("m", "slow down", retry_after=21.4)] * 4)
    with pytest.raises(ours.ModelBusy, match="21 seconds"):
        await agent.take_turn(request())


async def test_the_same_turn_works_after_a_failure() -> None:
    agent, _ = scripted("Here I am.", failures=[http(503)] * 4)
    asked = request()
    with pytest.raises(ModelError):
        await agent.take_turn(asked)
    assert (await agent.take_turn(asked)).output.text == "Here I am."  # type: ignore[union-attr]


async def test_replies_that_stay_empty_end_in_words() -> None:
    agent, _ = scripted(*([[]] * 6))
    with pytest.raises(ours.ModelUnreadable):
        await agent.take_turn(request())


async def test_a_wrong_setting_is_told_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise SettingsError("No such model.")

    monkeypatch.setattr(ScriptedModel, "for_turn", refuse)
    agent, _ = scripted()
    with pytest.raises(ModelError, match=r"No such model\."):
        await agent.take_turn(request())


async def test_a_history_that_is_broken_is_a_model_error() -> None:
    agent, _ = scripted("x")
    with pytest.raises(ModelError):
        await agent.take_turn(request(history=b"{"))
