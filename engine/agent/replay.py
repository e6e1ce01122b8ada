"""Where a replay of recorded steps stands, read out of the message history."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, ToolCallPart, ToolReturnPart

from engine.agent.prompts import closed_as, stdout_of
from engine.findings.model import Finding, RecordedStep

# The ids are in stored histories, so this form must stay readable.
_CALL_ID = re.compile(r"recorded-(\d+)-(control|replay)-(\d+)-\d+")
Role = Literal["control", "replay"]


@dataclass(frozen=True)
class PlannedStep:
    """One recorded command of the finding, `number` counting from 1 within its role."""

    role: Role
    number: int
    of: int
    step: RecordedStep

    @property
    def name(self) -> str:
        """`control 1 of 2`; without the count when there is one only."""
        return self.role if self.of == 1 else f"{self.role} {self.number} of {self.of}"

    @property
    def key(self) -> tuple[Role, int]:
        """What the call ids carry."""
        return self.role, self.number


def plan_of(finding: Finding) -> tuple[PlannedStep, ...]:
    """Controls first: a dead target is known before the proof is tried."""
    return (
        *(PlannedStep("control", n, len(finding.control), step) for n, step in enumerate(finding.control, 1)),
        *(PlannedStep("replay", n, len(finding.replay), step) for n, step in enumerate(finding.replay, 1)),
    )


@dataclass(frozen=True)
class RanStep:
    """A recorded step that ran, with what its result says."""

    command_id: int
    outcome: str
    exit_code: int | None
    edited: bool
    denied: tuple[str, ...]
    stdout: str
    stdout_bytes: int


@dataclass(frozen=True)
class RejectedStep:
    """A recorded step that the operator did not want."""


@dataclass
class Replay:
    """One round of replaying. A step set aside or given as advice has no result: it is still to do."""

    round: int = 1
    results: dict[tuple[str, int], RanStep | RejectedStep] = field(default_factory=dict)
    closed: bool = False
    """The round ended: a determination or a hand-back was given."""
    latest: tuple[str, int] | None = None
    """The step that the newest request answers."""
    calls: int = 0
    """Responses so far in the whole history, which makes the next call id a new one."""

    def call_id(self, planned: PlannedStep) -> str:
        """An id for proposing this step; it is all the memory that a replay has."""
        return f"recorded-{self.round}-{planned.role}-{planned.number}-{self.calls}"


def read_replay(messages: Sequence[ModelMessage]) -> Replay:
    """The newest round in the history."""
    replay = Replay()
    for message in messages:
        if isinstance(message, ModelResponse):
            replay.calls += 1
            keys = [found for part in message.parts if (found := _call(part))]
            # A new round forgets the old results: they are of another time or another sandbox.
            if keys and keys[0][0] > replay.round:
                replay = Replay(round=keys[0][0], calls=replay.calls)
            replay.closed = not keys
        elif isinstance(message, ModelRequest):
            replay.latest = None
            for part in message.parts:
                _take_result(replay, part)
    return replay


def _call(part: object) -> tuple[int, tuple[str, int]] | None:
    if not isinstance(part, ToolCallPart | ToolReturnPart):
        return None
    match = _CALL_ID.fullmatch(part.tool_call_id)
    return (int(match[1]), (match[2], int(match[3]))) if match else None


def _take_result(replay: Replay, part: object) -> None:
    found = _call(part)
    if found is None or found[0] != replay.round or not isinstance(part, ToolReturnPart):
        return
    content = str(part.content)
    if isinstance(part.metadata, dict):
        replay.results[found[1]] = _ran(part.metadata, content)
    # A step that was only set aside is proposed again; one that a person refused is not.
    elif closed_as(content) == "rejected":
        replay.results[found[1]] = RejectedStep()
    else:
        return
    replay.latest = found[1]


def _ran(values: dict[str, Any], content: str) -> RanStep:
    return RanStep(
        command_id=values["command_id"],
        outcome=values["outcome"],
        exit_code=values["exit_code"],
        edited=values["edited"],
        denied=tuple(values["denied"]),
        stdout=stdout_of(content, values["mark"]),
        stdout_bytes=values["stdout_bytes"],
    )
