from __future__ import annotations

import asyncio

import pytest

from engine.agent.port import Said, TurnReply, TurnRequest
from engine.agent.scripted import ScriptedAgent
from engine.errors import ModelError
from tests.unit.engine.agent.builders import finding, request


async def test_it_plays_its_script_and_remembers_what_it_was_asked() -> None:
    whole = TurnReply(output=Said(text="two"), history=b"[1]", respond=("x",), usage={}, model="m")
    agent = ScriptedAgent([Said(text="one"), whole, ModelError()], goal=("a",))
    first = await agent.take_turn(request())
    assert (first.output, len(first.history) > 2) == (Said(text="one"), True)
    assert await agent.take_turn(request()) is whole
    with pytest.raises(ModelError):
        await agent.take_turn(request())
    with pytest.raises(AssertionError):
        await agent.take_turn(request())
    assert len(agent.requests) == 4
    assert await agent.draft_goal(finding()) == ("a",)


async def test_a_function_answers_each_request() -> None:
    def echo(asked: TurnRequest) -> Said:
        return Said(text=asked.messages[0])

    assert (await ScriptedAgent(echo).take_turn(request(messages=("hi",)))).output == Said(text="hi")


async def test_it_hangs_until_it_is_released() -> None:
    agent = ScriptedAgent([Said(text="one")])
    agent.hang()
    task = asyncio.create_task(agent.take_turn(request()))
    await agent.entered.wait()
    assert not task.done()
    agent.release()
    assert (await task).output == Said(text="one")
