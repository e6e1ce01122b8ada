"""What a model can do in a turn: propose a command, say something, read more of an output."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

from pydantic import Field
from pydantic_ai import (
    CallDeferred,
    DeferredToolRequests,
    DeferredToolResults,
    ModelRetry,
    RunContext,
    ToolFailed,
)
from pydantic_ai.tools import Tool

from engine.agent.command_shape import DEFAULT_TIMEOUT, LONGEST_TIMEOUT, shape_problem
from engine.agent.fence import fenced
from engine.agent.port import ReadOutput, TurnRequest
from engine.errors import RevalidError

RUN_COMMAND = "run_command"
ONE_AT_A_TIME = "Not run: one command at a time. Propose it again by itself if you still want it."


@dataclass(kw_only=True)
class TurnDeps:
    """What the tools and hooks of one turn share."""

    request: TurnRequest
    read_output: ReadOutput
    context_chars: int
    """How many characters of tool output may go over the wire."""
    said: list[str] = field(default_factory=list)
    re_asked: bool = False
    """A tool call written as text was sent back once already."""


Timeout = Annotated[int, Field(ge=1, le=LONGEST_TIMEOUT)]


async def run_command(
    ctx: RunContext[TurnDeps],
    command: str,
    rationale: str,
    timeout_seconds: Timeout = DEFAULT_TIMEOUT,
) -> str:
    """Propose one shell command; it runs after a decision at the gate, in the sandbox.

    Args:
        ctx: The turn.
        command: The command for `sh`. It must end by itself and ask nothing.
        rationale: What it is meant to show, in one sentence.
        timeout_seconds: When to end it, 1 to 3600.
    """
    # Nothing ever runs inside a model run; the engine claims and executes after the decision at the gate.
    raise CallDeferred(
        metadata={"command": command, "rationale": rationale, "timeout_seconds": timeout_seconds}
    )


def check_command(
    ctx: RunContext[TurnDeps],
    command: str,
    rationale: str,
    timeout_seconds: int = DEFAULT_TIMEOUT,
) -> None:
    """Send a command that nobody could approve back to the model before a person is asked."""
    if problem := shape_problem(command):
        # Length and characters only: what a command may reach is decided by the network, not by its text.
        raise ModelRetry(f"This command cannot be proposed: {problem}.")


async def respond(ctx: RunContext[TurnDeps], message: Annotated[str, Field(min_length=1)]) -> str:
    """Say something to the operator and go on with the turn.

    Args:
        ctx: The turn.
        message: What to say.
    """
    ctx.deps.said.append(message)
    return "Posted."


async def read_output(
    ctx: RunContext[TurnDeps], command: int, offset: Annotated[int, Field(ge=0)] = 0
) -> str:
    """Read the kept standard output of a command of this session.

    Args:
        ctx: The turn.
        command: The command's number.
        offset: The byte to begin at.
    """
    try:
        piece = await ctx.deps.read_output(ctx.deps.request.session_id, command, offset)
    except RevalidError as error:
        # Not a retry: asking for an output that is gone must not use up the turn's tries.
        raise ToolFailed(error.sentence) from error
    rest = (
        f"{piece.total} bytes in all; go on at offset {piece.next_offset}"
        if piece.next_offset is not None
        else f"{piece.total} bytes in all; this is the end"
    )
    return f"{rest}\n{fenced('stdout', piece.text)}"


async def one_at_a_time(
    _: RunContext[TurnDeps], requests: DeferredToolRequests
) -> DeferredToolResults | None:
    """Close every proposal of a reply but the first."""
    # The first is kept: the later ones were written without its result.
    extra = requests.calls[1:]
    if not extra:
        return None
    return requests.build_results(calls={call.tool_call_id: ToolFailed(ONE_AT_A_TIME) for call in extra})


def tools() -> list[Tool[TurnDeps]]:
    """The tools of a retest."""
    return [
        Tool(run_command, name=RUN_COMMAND, args_validator=check_command),
        Tool(respond),
        Tool(read_output),
    ]
