from __future__ import annotations

import pytest
from pydantic_ai.messages import ToolCallPart

from engine.agent.models import RecordedSource
from engine.agent.pydantic_agent import PydanticAgent
from engine.findings.model import RecordedStep
from tests.unit.engine.agent.builders import PROOF, finding, no_output, scripted


async def draft(**changes: object) -> tuple[str, ...]:
    return await PydanticAgent(source=RecordedSource(), read_output=no_output).draft_goal(finding(**changes))


async def test_recorded_steps_say_what_they_will_do() -> None:
    control, replay, compare = await draft()
    assert "control" in control
    assert "1 command" in replay
    assert "Compare" in compare
    assert await draft(control=(), replay=(RecordedStep(command=PROOF),) * 2) == (
        "Replay the original proof (2 commands).",
    )


async def test_without_commands_the_authors_steps_are_the_goal() -> None:
    assert await draft(replay=(), steps=("Open\nthe  guide.", "", "x" * 900)) == (
        "Open the guide.",
        "x" * 200,
    )
    assert await draft(replay=(), steps=()) == ()


async def test_a_model_drafts_a_few_short_steps() -> None:
    reply = ToolCallPart("final_result", {"steps": ["Check it is up.", "Try  again."]})
    agent, source = scripted(reply)
    assert await agent.draft_goal(finding()) == ("Check it is up.", "Try again.")
    assert "Path traversal" in str(source.sent[0])


@pytest.mark.parametrize("failure", [RuntimeError("x"), TimeoutError()])
async def test_a_model_that_fails_drafts_nothing(failure: Exception) -> None:
    agent, _ = scripted(failures=[failure])
    assert await agent.draft_goal(finding()) == ()


async def test_a_model_that_talks_instead_drafts_nothing() -> None:
    agent, _ = scripted(*(["Sure!"] * 4))
    assert await agent.draft_goal(finding()) == ()
