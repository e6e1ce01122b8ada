"""What a turn does while its provider has trouble, without waiting for it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace

import pytest
from pydantic_ai import exceptions as provider
from pydantic_ai.messages import TextPart, ToolCallPart

from engine.agent.errors import ModelBusy, ModelContextFull, ModelKeyRefused, ModelUnavailable, ModelUnknown
from engine.agent.patience import Patience
from engine.agent.port import Proposed, Said
from engine.agent.pydantic_agent import PydanticAgent
from engine.agent.scripted_model import Reply, ScriptedModel
from engine.errors import ModelError
from tests.unit.engine.agent.builders import no_output, request

BUSY = provider.ModelRateLimitError("m", "slow down")
DOWN = provider.ModelHTTPError(status_code=503, model_name="m", body=None)
COMMAND = ToolCallPart("run_command", {"command": "id", "rationale": "why"}, tool_call_id="c1")


@dataclass
class Waiter:
    """Keeps what was waited for and what was told; `chance` is where in the spread a pause lands."""

    chance: float = 0.0
    pauses: list[float] = field(default_factory=list)
    told: list[tuple[int, str]] = field(default_factory=list)

    async def sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)

    def agent(self, *replies: Reply, failures: list[Exception]) -> tuple[PydanticAgent, ScriptedModel]:
        source = ScriptedModel(replies, failures=failures)
        patience = Patience(sleep=self.sleep, chance=lambda: self.chance)
        made = PydanticAgent(
            source=source,
            read_output=no_output,
            patience=patience,
            tell=lambda session_id, words: self.told.append((session_id, words)),
        )
        return made, source


async def test_a_busy_model_is_asked_again_and_the_thread_is_told_why_it_takes_long() -> None:
    waiter = Waiter()
    agent, source = waiter.agent("Here I am.", failures=[BUSY, DOWN, BUSY])
    assert (await agent.take_turn(replace(request(), session_id=7))).output == Said(text="Here I am.")
    assert len(source.sent) == 4
    assert waiter.pauses == [2.0, 8.0, 32.0]
    assert waiter.told == [
        (7, "the model is busy, trying again"),
        (7, "the model's service is out of order, trying again"),
        (7, "the model is busy, trying again"),
        (7, ""),
    ]


@pytest.mark.parametrize("chance", [0.0, 0.5, 0.999])
async def test_it_gives_up_after_four_tries_and_less_than_two_minutes(chance: float) -> None:
    waiter = Waiter(chance)
    agent, source = waiter.agent(failures=[DOWN] * 9)
    with pytest.raises(ModelUnavailable):
        await agent.take_turn(request())
    assert len(source.sent) == 4
    assert sum(waiter.pauses) <= 120
    assert waiter.pauses == [pause * (1 + chance / 2) for pause in (2.0, 8.0, 32.0)]


async def test_what_the_provider_asks_for_is_waited_for() -> None:
    waiter = Waiter()
    agent, _ = waiter.agent(
        "Here I am.", failures=[provider.ModelRateLimitError("m", "slow down", retry_after=21.0)]
    )
    await agent.take_turn(request())
    assert waiter.pauses == [21.0]


async def test_a_provider_that_asks_for_longer_than_anybody_would_wait_is_left_to_the_person() -> None:
    waiter = Waiter()
    agent, source = waiter.agent(
        failures=[provider.ModelRateLimitError("m", "slow down", retry_after=3600.0)]
    )
    with pytest.raises(ModelBusy, match="3600 seconds"):
        await agent.take_turn(request())
    assert (len(source.sent), waiter.pauses) == (1, [])


@pytest.mark.parametrize(
    ("failure", "expected"),
    [
        (provider.ModelAuthenticationError("m", "no"), ModelKeyRefused),
        (provider.ModelNotFoundError("m", "what"), ModelUnknown),
        (provider.ModelHTTPError(status_code=400, model_name="m", body=None), ModelError),
    ],
)
async def test_what_waiting_does_not_mend_is_said_at_once(
    failure: Exception, expected: type[ModelError]
) -> None:
    waiter = Waiter()
    agent, source = waiter.agent("never reached", failures=[failure])
    with pytest.raises(expected) as caught:
        await agent.take_turn(request())
    assert (len(source.sent), waiter.pauses, waiter.told) == (1, [], [])
    assert "in the thread" in caught.value.sentence


async def test_a_conversation_that_is_too_long_is_shortened_once_and_then_said() -> None:
    waiter = Waiter()
    full = provider.ModelContextWindowExceededError("m", "long")
    agent, source = waiter.agent(failures=[full, full, full])
    with pytest.raises(ModelContextFull, match="larger model or Restart"):
        await agent.take_turn(request())
    assert (len(source.sent), waiter.pauses) == (2, [])


async def test_nothing_is_asked_again_once_a_command_came_back() -> None:
    waiter = Waiter()
    agent, source = waiter.agent([TextPart("First this."), COMMAND], failures=[BUSY])
    output = (await agent.take_turn(request())).output
    assert isinstance(output, Proposed)
    assert output.command == "id"
    assert len(source.sent) == 2


async def test_what_was_said_on_the_way_is_not_said_again_by_a_later_try() -> None:
    waiter = Waiter()
    said = ToolCallPart("respond", {"message": "One moment."}, tool_call_id="r1")
    agent, source = waiter.agent(said, "Done.", failures=[])
    asked = 0

    async def second_request_fails() -> None:
        nonlocal asked
        asked += 1
        if asked == 2:
            raise DOWN

    source.before = second_request_fails
    reply = await agent.take_turn(request())
    assert (reply.output, reply.respond) == (Said(text="Done."), ("One moment.",))
    assert asked == 3


async def test_a_turn_that_is_called_off_while_it_waits_asks_no_more() -> None:
    begun = asyncio.Event()

    async def forever(_seconds: float) -> None:
        begun.set()
        await asyncio.Event().wait()

    source = ScriptedModel(["never"], failures=[BUSY])
    agent = PydanticAgent(source=source, read_output=no_output, patience=Patience(sleep=forever))
    turn = asyncio.create_task(agent.take_turn(request()))
    await begun.wait()
    turn.cancel()
    with pytest.raises(asyncio.CancelledError):
        await turn
    assert len(source.sent) == 1
