from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pydantic_ai
import pytest
from pydantic_ai.exceptions import ModelContextWindowExceededError
from pydantic_ai.messages import (
    ModelRequest,
    ModelResponse,
    ModelResponsePart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)

from engine.agent.history import load
from engine.agent.port import Determined, Mode, NotRun, OutputPiece, Proposed, Said, SeenCommand
from engine.agent.pydantic_agent import REQUESTS_PER_TURN, PydanticAgent
from engine.agent.scripted_model import Reply, ScriptedModel
from tests.unit.engine.agent.builders import ran, request, scripted


def command(text: str = "id", call: str = "c1", **arguments: object) -> ToolCallPart:
    return ToolCallPart("run_command", {"command": text, "rationale": "why"} | arguments, tool_call_id=call)


def determine(status: str = "fixed", **arguments: object) -> ToolCallPart:
    return ToolCallPart("determine", {"status": status, "rationale": "seen"} | arguments, tool_call_id="d1")


def returns(messages: Sequence[object], name: str) -> list[ToolReturnPart]:
    return [
        part
        for message in messages
        if isinstance(message, ModelRequest)
        for part in message.parts
        if isinstance(part, ToolReturnPart) and part.tool_name == name
    ]


def prompts(messages: Sequence[object]) -> str:
    return "\n".join(
        str(part.content)
        for message in messages
        if isinstance(message, ModelRequest)
        for part in message.parts
        if isinstance(part, UserPromptPart)
    )


def test_the_library_writes_nothing_of_its_own_to_the_terminal() -> None:
    assert not pydantic_ai.BANNER_ENABLED


async def test_prose_is_handed_back() -> None:
    agent, _ = scripted("Which account shall I use?")
    reply = await agent.take_turn(request())
    assert reply.output == Said(text="Which account shall I use?")
    assert reply.usage["requests"] == 1


async def test_a_command_is_proposed_with_the_prose_beside_it_and_nothing_else_happens() -> None:
    agent, source = scripted(
        [TextPart("First the version."), command("curl -sI http://x", timeout_seconds=90)]
    )
    reply = await agent.take_turn(request())
    assert reply.output == Proposed(
        tool_call_id="c1",
        command="curl -sI http://x",
        rationale="why",
        timeout_seconds=90,
        said="First the version.",
    )
    assert len(source.sent) == 1


async def test_a_time_limit_is_a_minute_unless_the_model_says_otherwise() -> None:
    agent, _ = scripted(command())
    output = (await agent.take_turn(request())).output
    assert isinstance(output, Proposed)
    assert output.timeout_seconds == 60


async def test_a_result_comes_back_with_what_really_ran_and_what_was_blocked() -> None:
    agent, source = scripted(command(), "Done.")
    first = await agent.take_turn(request())
    assert isinstance(first.output, Proposed)
    answer = ran(
        first.output, "uid=1000", command_id=12, command="id -u", edited=True, denied=("203.0.113.20:80/tcp",)
    )
    reply = await agent.take_turn(request(history=first.history, answered=answer))
    assert reply.output == Said(text="Done.")
    (result,) = returns(source.sent[1], "run_command")
    for told in ("Command 12", "exit code 0", "id -u", "uid=1000", "203.0.113.20:80/tcp"):
        assert told in str(result.content)


async def test_a_result_and_the_operators_words_go_in_one_request() -> None:
    agent, source = scripted(command(), "Done.")
    first = await agent.take_turn(request())
    assert isinstance(first.output, Proposed)
    seen = SeenCommand(command_id=3, command="ls", outcome="exited", exit_code=0, stdout="a.txt", stderr="")
    await agent.take_turn(
        request(
            history=first.history,
            answered=ran(first.output, "x"),
            messages=("look at the header", "and the cookie"),
            notices=("The goal is now: the cookie.",),
            operator_commands=(seen,),
        )
    )
    (_, last) = [message for message in source.sent[1] if isinstance(message, ModelRequest)]
    assert [type(part) for part in last.parts] == [ToolReturnPart, UserPromptPart]
    words = prompts([last])
    for told in ("look at the header", "and the cookie", "the cookie.", "command 3", "a.txt"):
        assert told in words


@pytest.mark.parametrize(
    ("outcome", "told"),
    [("timed_out", "time limit"), ("killed", "killed"), ("lost", "lost"), ("output_limit", "output limit")],
)
async def test_a_failure_of_the_infrastructure_is_not_told_as_evidence(outcome: str, told: str) -> None:
    agent, source = scripted(command(), "Hm.")
    first = await agent.take_turn(request())
    assert isinstance(first.output, Proposed)
    answer = ran(first.output, outcome=outcome, exit_code=None)
    await agent.take_turn(request(history=first.history, answered=answer))
    content = str(returns(source.sent[1], "run_command")[0].content)
    assert told in content
    assert "not evidence" in content


async def test_a_rejection_is_a_denial_with_the_operators_reason() -> None:
    agent, source = scripted(command(), command("id -u", "c2"))
    first = await agent.take_turn(request())
    answer = NotRun(tool_call_id="c1", reason="too loud")
    reply = await agent.take_turn(request(history=first.history, answered=answer, messages=("be gentle",)))
    (result,) = returns(source.sent[1], "run_command")
    assert result.outcome == "denied"
    assert "too loud" in str(result.content)
    assert "be gentle" in prompts(source.sent[1])
    assert isinstance(reply.output, Proposed)


async def test_of_two_commands_the_first_is_proposed_and_the_model_is_told_about_the_second() -> None:
    agent, source = scripted([command("id", "c1"), command("ls", "c2")], "Done.")
    first = await agent.take_turn(request())
    assert isinstance(first.output, Proposed)
    assert first.output.command == "id"
    await agent.take_turn(request(history=first.history, answered=ran(first.output, "x")))
    told = {part.tool_call_id: str(part.content) for part in returns(source.sent[1], "run_command")}
    assert "one command at a time" in told["c2"]
    assert "Command 1" in told["c1"]


@pytest.mark.parametrize("order", [0, 1])
async def test_a_command_beside_a_determination_comes_first_and_the_model_is_told(order: int) -> None:
    parts: list[ModelResponsePart] = [command(), determine()]
    agent, source = scripted(parts if order else parts[::-1], determine(evidence=[1]))
    first = await agent.take_turn(request())
    assert isinstance(first.output, Proposed)
    second = await agent.take_turn(request(history=first.history, answered=ran(first.output, "x")))
    assert "Set aside" in str(returns(source.sent[1], "determine")[0].content)
    assert second.output == Determined(status="fixed", rationale="seen", evidence=(1,))


async def test_a_determination_keeps_the_prose_beside_it() -> None:
    agent, _ = scripted([TextPart("That settles it."), determine("still_open", evidence=[2], control=[1])])
    reply = await agent.take_turn(request(mode=Mode.auto_run))
    assert reply.output == Determined(status="still_open", rationale="seen", evidence=(2,), control=(1,))
    assert reply.respond == ("That settles it.",)


@pytest.mark.parametrize(
    "arguments",
    [
        '{"command": "id", "ratio',
        "[]",
        "{}",
        {"command": "  ", "rationale": "w"},
        {"command": "printf 'a\x00b'", "rationale": "w"},
        {"command": "printf '\x1b[2J'", "rationale": "w"},
        {"command": "a" * 65537, "rationale": "w"},
        {"command": "id", "rationale": "w", "timeout_seconds": 0},
        {"command": "id", "rationale": "w", "timeout_seconds": 3601},
        {"command": "id", "rationale": "w", "sudo": True},
    ],
)
async def test_a_command_that_makes_no_sense_goes_back_to_the_model_not_to_a_person(
    arguments: object,
) -> None:
    bad = ToolCallPart("run_command", arguments, tool_call_id="c1")  # type: ignore[arg-type]
    agent, source = scripted(bad, command("id", "c2"))
    reply = await agent.take_turn(request())
    assert isinstance(reply.output, Proposed)
    assert reply.output.tool_call_id == "c2"
    assert returns(source.sent[1], "run_command")[0].outcome == "retried"


@pytest.mark.parametrize(
    "text",
    [
        '<tool_call>{"name": "run_command", "arguments": {"command": "id"}}</tool_call>',
        '```json\n{"name": "run_command", "arguments": {"command": "id"}}\n```',
        'run_command(command="id", rationale="who am I")',
    ],
)
async def test_a_call_written_as_text_is_asked_for_once_more(text: str) -> None:
    agent, _ = scripted(text, command())
    assert isinstance((await agent.take_turn(request())).output, Proposed)
    agent, source = scripted(text, text)
    reply = await agent.take_turn(request())
    assert isinstance(reply.output, Said)
    assert "nothing was proposed" in reply.output.text
    assert text in reply.output.text
    assert len(source.sent) == 2


async def test_prose_about_a_command_is_just_prose() -> None:
    text = 'I would run `curl -s http://x` next; it prints {"ok": true}.'
    agent, source = scripted(text)
    assert (await agent.take_turn(request())).output == Said(text=text)
    assert len(source.sent) == 1


async def test_an_empty_reply_is_asked_again() -> None:
    agent, _ = scripted([], [TextPart("")], "Here I am.")
    assert (await agent.take_turn(request())).output == Said(text="Here I am.")


async def test_respond_is_passed_on_in_order_and_the_turn_goes_on() -> None:
    first = ToolCallPart("respond", {"message": "One."}, tool_call_id="r1")
    second = ToolCallPart("respond", {"message": "Two."}, tool_call_id="r2")
    agent, _ = scripted(first, [second, command()])
    reply = await agent.take_turn(request())
    assert reply.respond == ("One.", "Two.")
    assert isinstance(reply.output, Proposed)


async def test_respond_beside_a_pending_command_survives_the_resume() -> None:
    agent, source = scripted(
        [ToolCallPart("respond", {"message": "One."}, tool_call_id="r1"), command()], "Done."
    )
    first = await agent.take_turn(request())
    assert isinstance(first.output, Proposed)
    await agent.take_turn(request(history=first.history, answered=ran(first.output, "x")))
    assert len(returns(source.sent[1], "run_command")) == len(returns(source.sent[1], "respond")) == 1


async def test_read_output_is_answered_with_what_is_left() -> None:
    async def read(session_id: int, command_id: int, offset: int) -> OutputPiece:
        return OutputPiece(text=f"{session_id}/{command_id}@{offset}", next_offset=200, total=900)

    ask = ToolCallPart("read_output", {"command": 3, "offset": 100}, tool_call_id="o1")
    source = ScriptedModel([ask, "Done."])
    await PydanticAgent(source=source, read_output=read).take_turn(request())
    content = str(returns(source.sent[1], "read_output")[0].content)
    for told in ("7/3@100", "900 bytes", "offset 200"):
        assert told in content


async def test_read_output_of_an_unknown_command_is_told_to_the_model() -> None:
    agent, source = scripted(ToolCallPart("read_output", {"command": 3}, tool_call_id="o1"), "Done.")
    assert (await agent.take_turn(request())).output == Said(text="Done.")
    (result,) = returns(source.sent[1], "read_output")
    assert result.outcome == "failed"
    assert "no command 3" in str(result.content)


async def test_a_model_that_never_comes_to_a_point_hands_back_and_can_go_on() -> None:
    chatter: list[Reply] = [
        ToolCallPart("respond", {"message": str(n)}, tool_call_id=f"r{n}") for n in range(REQUESTS_PER_TURN)
    ]
    agent, source = scripted(*chatter, "At last.")
    reply = await agent.take_turn(request())
    assert isinstance(reply.output, Said)
    assert "Reply to let me go on" in reply.output.text
    assert len(reply.respond) == len(source.sent) == REQUESTS_PER_TURN
    later = await agent.take_turn(request(history=reply.history, messages=("go on",)))
    assert later.output == Said(text="At last.")
    assert len(returns(source.sent[-1], "respond")) == REQUESTS_PER_TURN


async def test_the_persona_follows_the_mode_of_each_turn() -> None:
    agent, source = scripted("One.", "Two.")
    first = await agent.take_turn(request(mode=Mode.guided))
    await agent.take_turn(request(mode=Mode.auto_run, history=first.history, messages=("go",)))
    guided, auto = (info.instructions or "" for info in source.infos)
    assert "Mode: guided" in guided
    assert "Auto-run" not in guided
    assert "Mode: Auto-run" in auto
    assert "shop.example.com:80" in guided


async def test_one_call_at_a_time_is_asked_of_the_provider_and_deadlines_are_set() -> None:
    agent, source = scripted("One.")
    await agent.take_turn(request())
    settings = source.infos[0].model_settings or {}
    assert settings["parallel_tool_calls"] is False
    assert settings["timeout"] > 0
    assert settings["request_timeout"] > 0


async def test_the_same_request_gives_the_same_run_again() -> None:
    agent, _ = scripted(command(), "Done.", "Done.")
    first = await agent.take_turn(request())
    assert isinstance(first.output, Proposed)
    again = request(history=first.history, answered=ran(first.output, "x"))
    one, two = await agent.take_turn(again), await agent.take_turn(again)
    assert one.output == two.output
    assert len(load(one.history)) == len(load(two.history)) == 4


async def test_a_result_without_its_call_is_told_in_words() -> None:
    agent, source = scripted("One.", "Two.")
    first = await agent.take_turn(request())
    lost = Proposed(tool_call_id="gone", command="id", rationale="", timeout_seconds=60)
    reply = await agent.take_turn(request(history=first.history, answered=ran(lost, "uid=0")))
    assert reply.output == Said(text="Two.")
    assert "uid=0" in prompts(source.sent[1])


async def test_a_call_that_nobody_answered_does_not_block_the_session() -> None:
    agent, source = scripted(command(), "Go on then.")
    first = await agent.take_turn(request())
    reply = await agent.take_turn(request(history=first.history, messages=("hello?",)))
    assert reply.output == Said(text="Go on then.")
    assert returns(source.sent[1], "run_command")[0].outcome == "denied"


async def test_a_bare_continue_asks_the_model_to_go_on() -> None:
    agent, source = scripted("One.", "Two.")
    first = await agent.take_turn(request())
    await agent.take_turn(request(history=first.history))
    assert "go on" in prompts(source.sent[1])


async def test_cancelling_a_turn_cancels_the_model_call() -> None:
    began, ended = asyncio.Event(), asyncio.Event()

    async def wait() -> None:
        began.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    agent, _ = scripted("never", before=wait)
    task = asyncio.create_task(agent.take_turn(request()))
    await began.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert ended.is_set()


async def test_a_full_context_is_tried_once_more_with_less() -> None:
    long = "x" * 5000
    agent, source = scripted(
        *(command(f"echo {n}", f"c{n}") for n in range(8)), "Read.", context_chars=60_000
    )
    reply = await agent.take_turn(request())
    for n in range(8):
        assert isinstance(reply.output, Proposed)
        if n == 7:
            source.failures = [ModelContextWindowExceededError("m", "too long")]
        reply = await agent.take_turn(request(history=reply.history, answered=ran(reply.output, long)))
    assert reply.output == Said(text="Read.")
    full, trimmed = (
        "".join(str(part.content) for part in returns(sent, "run_command")) for sent in source.sent[-2:]
    )
    assert len(trimmed) < len(full) / 2
    assert reply.history.count(long.encode()) == 8


async def test_what_is_stored_stays_whole_when_the_wire_is_trimmed() -> None:
    long = "x" * 5000
    agent, source = scripted(*(command(f"echo {n}", f"c{n}") for n in range(7)), context_chars=12_000)
    reply = await agent.take_turn(request())
    for n in range(6):
        assert isinstance(reply.output, Proposed)
        answer = ran(reply.output, long, command_id=n + 1)
        reply = await agent.take_turn(request(history=reply.history, answered=answer))
    results = returns(source.sent[-1], "run_command")
    assert len(results) == 6
    assert [long in str(part.content) for part in results] == [False] * 4 + [True] * 2
    assert "Command 1 ended" in str(results[0].content)
    assert reply.history.count(long.encode()) == 6
    assert sum(isinstance(message, ModelResponse) for message in load(reply.history)) == 7
