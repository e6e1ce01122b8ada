"""Judges each recorded step by its stored output."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from engine.agent.command_shape import shape_problem
from engine.agent.conclusion import Judged
from engine.agent.excerpt import is_whole
from engine.agent.http_output import responses
from engine.agent.matching import Observed, judge, judge_control
from engine.agent.port import ReadOutput
from engine.agent.replay import PlannedStep, RanStep, Replay
from engine.errors import RevalidError

# What is beyond it makes a comparison "cannot tell" where it matters, never wrong.
LONGEST_COMPARED = 4 << 20
"""Bytes of an output that are read to compare it."""
_CLIENT_ERROR = 400


async def judged_steps(
    plan: Sequence[PlannedStep], replay: Replay, session_id: int, read_output: ReadOutput
) -> list[Judged]:
    """Every planned step with what is known of it, in order."""
    steps = []
    for planned in plan:
        result = replay.results.get(planned.key)
        if isinstance(result, RanStep):
            stdout, whole = await _stdout(result, session_id, read_output)
            # Patterns from a report may be slow; other sessions share this loop.
            steps.append(await asyncio.to_thread(_judged, planned, result, stdout, whole=whole))
        elif result is not None:
            steps.append(Judged(planned, None, note="rejected by the operator"))
        else:
            problem = shape_problem(planned.step.command)
            note = f"its command cannot be proposed, because {problem}" if problem else ""
            steps.append(Judged(planned, None, note=note))
    return steps


def _judged(planned: PlannedStep, ran: RanStep, stdout: str, *, whole: bool) -> Judged:
    observed = Observed(
        outcome=ran.outcome,
        exit_code=ran.exit_code,
        stdout=stdout,
        denied=ran.denied,
        edited=ran.edited,
        whole=whole,
    )
    # A control need not have matchers: to be alive is less than to give a certain answer.
    comparison = (judge_control if planned.role == "control" else judge)(planned.step, observed)
    exited = ran.outcome == "exited"
    status = responses(planned.step.command, stdout)[-1].status
    answered = status < _CLIENT_ERROR if status is not None else ran.exit_code == 0
    return Judged(
        planned,
        comparison,
        command_id=ran.command_id,
        ran_well=exited and answered and not ran.denied,
        silent=not exited or not stdout.strip(),
    )


async def _stdout(ran: RanStep, session_id: int, read_output: ReadOutput) -> tuple[str, bool]:
    """The output and whether it is all of it; the history has head and tail only."""
    if is_whole(ran.stdout, ran.stdout_bytes):
        return ran.stdout, True
    pieces: list[str] = []
    offset: int | None = 0
    try:
        while offset is not None and offset < LONGEST_COMPARED:
            piece = await read_output(session_id, ran.command_id, offset)
            pieces.append(piece.text)
            offset = piece.next_offset
    except RevalidError:
        # Retention may have dropped the output; head and tail can then still show that something is there.
        return ran.stdout, False
    # A character cut at the end of a piece is lost, and with it perhaps the very word that is looked for.
    cut = any(piece.endswith("\ufffd") for piece in pieces[:-1])
    return "".join(pieces), offset is None and not cut
