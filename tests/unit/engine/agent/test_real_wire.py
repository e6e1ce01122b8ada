"""The whole way to a server that speaks OpenAI's protocol, on loopback."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pydantic_ai.models
import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from engine.agent import errors
from engine.agent.models import ModelChoice, choose, source_of
from engine.agent.port import Proposed, Said
from engine.agent.pydantic_agent import PydanticAgent
from engine.errors import ModelError
from tests.unit.engine.agent.builders import IMPATIENT, no_output, ran, request

AT_ONCE = {"retry-after-ms": "1"}
CALL = {
    "id": "call_1",
    "type": "function",
    "function": {"name": "run_command", "arguments": json.dumps({"command": "id", "rationale": "who"})},
}


def completion(**message: Any) -> web.Response:
    return web.json_response(
        {
            "id": "x",
            "object": "chat.completion",
            "created": 1,
            "model": "m",
            "choices": [
                {
                    "index": 0,
                    "finish_reason": "stop",
                    "message": {"role": "assistant", "content": None} | message,
                }
            ],
            "usage": {"prompt_tokens": 11, "completion_tokens": 5, "total_tokens": 16},
        }
    )


class Server:
    """Answers with what it was told to, the last answer over and over; keeps what it was asked."""

    def __init__(self) -> None:
        self.answers: list[Callable[[], web.Response]] = []
        self.asked: list[dict[str, Any]] = []
        self.address = ""
        self.stop: Callable[[], Awaitable[None]]

    async def handle(self, asked: web.Request) -> web.Response:
        self.asked.append(await asked.json())
        return (self.answers.pop(0) if len(self.answers) > 1 else self.answers[0])()


@pytest.fixture
async def server(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Server]:
    monkeypatch.setattr(pydantic_ai.models, "ALLOW_MODEL_REQUESTS", True)
    script = Server()
    app = web.Application()
    app.router.add_post("/v1/chat/completions", script.handle)
    async with TestServer(app, host="127.0.0.1") as running:
        script.address = str(running.make_url("/"))
        script.stop = running.close
        yield script


@pytest.fixture
async def agent(server: Server) -> AsyncIterator[PydanticAgent]:
    choice = choose("ollama:qwen3:8b", environ={"OLLAMA_BASE_URL": server.address})
    made = PydanticAgent(source=source_of(choice), read_output=no_output, patience=IMPATIENT)
    yield made
    await made.close()


async def test_a_command_is_proposed_and_its_result_goes_back(server: Server, agent: PydanticAgent) -> None:
    server.answers = [lambda: completion(tool_calls=[CALL]), lambda: completion(content="You are uid 1000.")]
    first = await agent.take_turn(request())
    assert isinstance(first.output, Proposed)
    assert (first.output.command, first.model) == ("id", "ollama:qwen3:8b")
    assert first.usage["input_tokens"] == 11
    second = await agent.take_turn(request(history=first.history, answered=ran(first.output, "uid=1000")))
    assert second.output == Said(text="You are uid 1000.")
    assert server.asked[0]["parallel_tool_calls"] is False
    assert server.asked[0]["model"] == "qwen3:8b"
    (result,) = [message for message in server.asked[1]["messages"] if message["role"] == "tool"]
    assert "uid=1000" in result["content"]
    # The values that recorded steps keep beside a result are ours alone.
    assert "stdout_bytes" not in json.dumps(server.asked[1])


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (lambda: web.json_response({"error": "slow"}, status=429, headers=AT_ONCE), errors.ModelBusy),
        (lambda: web.json_response({"error": "down"}, status=503, headers=AT_ONCE), errors.ModelUnavailable),
        (lambda: web.json_response({"error": "who"}, status=401), errors.ModelKeyRefused),
        (lambda: web.json_response({"error": "what"}, status=404), errors.ModelUnknown),
        (lambda: web.Response(text="<html>hello</html>", content_type="text/html"), ModelError),
        (lambda: completion(tool_calls=[CALL | {"id": None}]), ModelError),
    ],
)
async def test_what_a_server_does_wrong_becomes_a_sentence(
    server: Server,
    agent: PydanticAgent,
    answer: Callable[[], web.Response],
    expected: type[ModelError],
) -> None:
    server.answers = [answer]
    with pytest.raises(expected) as caught:
        await agent.take_turn(request())
    assert "try again" in caught.value.sentence or "in the thread" in caught.value.sentence


async def test_a_busy_server_is_asked_four_times_in_all_and_not_by_two_layers(
    server: Server, agent: PydanticAgent
) -> None:
    server.answers = [lambda: web.json_response({"error": "down"}, status=503, headers=AT_ONCE)]
    with pytest.raises(errors.ModelUnavailable):
        await agent.take_turn(request())
    assert len(server.asked) == 4
    server.answers = [server.answers[0], lambda: completion(content="Here I am.")]
    assert (await agent.take_turn(request())).output == Said(text="Here I am.")
    assert len(server.asked) == 6


async def test_a_refused_key_is_not_asked_about_twice(server: Server, agent: PydanticAgent) -> None:
    server.answers = [lambda: web.json_response({"error": "who"}, status=401)]
    with pytest.raises(errors.ModelKeyRefused):
        await agent.take_turn(request())
    assert len(server.asked) == 1


async def test_a_server_that_is_gone_is_unreachable(server: Server, agent: PydanticAgent) -> None:
    await server.stop()
    with pytest.raises(errors.ModelUnreachable):
        await agent.take_turn(request())


async def test_an_agent_that_took_no_turn_has_nothing_to_close() -> None:
    source = source_of(ModelChoice(name="ollama:qwen3:8b", base_url="http://127.0.0.1:9/v1"))
    await PydanticAgent(source=source, read_output=no_output).close()
