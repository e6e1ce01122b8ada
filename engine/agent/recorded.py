"""Recorded steps: a model that replays a finding's own proof and compares. No guesses, no network."""

from __future__ import annotations

from pydantic_ai.messages import ModelMessage, ModelResponse, ModelResponsePart, TextPart, ToolCallPart
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.settings import ModelSettings

from engine.agent.command_shape import DEFAULT_TIMEOUT
from engine.agent.conclusion import AGAIN, Judged, conclude
from engine.agent.determination import TOOL as DETERMINE
from engine.agent.judging import judged_steps
from engine.agent.port import Determined, ReadOutput, Said, TurnRequest
from engine.agent.replay import PlannedStep, Replay, plan_of, read_replay
from engine.agent.tools import RUN_COMMAND
from engine.agent.words import REPLAYS_ONLY, asks_again, is_understood

_FRESH = "The sandbox is new, so I begin again."
_AGAIN = "I replay from the beginning."
_REJECTED = "I go on without {name}, which was rejected; without it I cannot call the finding fixed."


class RecordedSteps(Model):
    """Answers from the state of the messages alone, so that any process can take the next turn."""

    def __init__(self, request: TurnRequest, read_output: ReadOutput) -> None:
        super().__init__()
        self._request = request
        self._read_output = read_output
        self._plan = plan_of(request.finding)

    @property
    def model_name(self) -> str:
        """Recorded with every response."""
        return "recorded"

    @property
    def system(self) -> str:
        """Stands where a provider's name would."""
        return "revalid"

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        """The next proposal, the determination, or words."""
        return ModelResponse(parts=await self._reply(messages), model_name=self.model_name)

    async def _reply(self, messages: list[ModelMessage]) -> list[ModelResponsePart]:
        if not self._request.finding.replay:
            return [TextPart(_nothing_recorded(len(self._request.finding.steps)))]
        # Nothing is kept between turns: the history alone says how far the replay is.
        replay = read_replay(messages)
        steps = await self._judged(replay)
        finished = all(step.done for step in steps)
        again = asks_again(self._request.messages, finished=finished and replay.closed)
        # Later steps may rest on cookies and files of earlier ones, so a new sandbox begins again.
        fresh = self._request.fresh_sandbox and bool(replay.results)
        if finished and replay.closed and not again and not fresh:
            return [TextPart(self._repeated(conclude(steps)))]
        remarks = self._remarks(replay, steps)
        if replay.closed or again or fresh:
            if replay.results:
                remarks = [_FRESH if fresh else _AGAIN]
            replay = Replay(round=replay.round + 1, calls=replay.calls)
            steps = await self._judged(replay)
        return _next_parts(replay, steps, remarks)

    async def _judged(self, replay: Replay) -> list[Judged]:
        return await judged_steps(self._plan, replay, self._request.session_id, self._read_output)

    def _remarks(self, replay: Replay, steps: list[Judged]) -> list[str]:
        remarks = []
        latest = next((step for step in steps if step.planned.key == replay.latest), None)
        if latest and latest.comparison:
            remarks.append(latest.line)
        elif latest:
            remarks.append(_REJECTED.format(name=latest.planned.name))
        if not is_understood(self._request.messages):
            remarks.append(REPLAYS_ONLY)
        return remarks

    def _repeated(self, conclusion: Determined | Said) -> str:
        lead = "" if is_understood(self._request.messages) else f"{REPLAYS_ONLY} "
        if isinstance(conclusion, Said):
            return f"{lead}{conclusion.text}"
        return f"{lead}All recorded steps are replayed; my recommendation stays {conclusion.status}. {AGAIN}"


def _next_parts(replay: Replay, steps: list[Judged], remarks: list[str]) -> list[ModelResponsePart]:
    # The proof is not even tried on a dead target: its silence would look like a fix.
    dead = next((step for step in steps if step.dead), None)
    if dead:
        return [TextPart(_stopped_at(dead))]
    todo = next((step.planned for step in steps if not step.done), None)
    if todo is None:
        return [_closing_part(conclude(steps))]
    call = ToolCallPart(
        RUN_COMMAND,
        # The recorded bytes as they are: the gate shows a person exactly what was recorded.
        {"command": todo.step.command, "rationale": _rationale(todo), "timeout_seconds": DEFAULT_TIMEOUT},
        tool_call_id=replay.call_id(todo),
    )
    return [TextPart(" ".join(remarks)), call] if remarks else [call]


def _closing_part(conclusion: Determined | Said) -> ModelResponsePart:
    if isinstance(conclusion, Said):
        return TextPart(conclusion.text)
    return ToolCallPart(
        DETERMINE,
        {
            "status": conclusion.status,
            "rationale": conclusion.rationale,
            "evidence": list(conclusion.evidence),
            "control": list(conclusion.control),
        },
    )


def _rationale(planned: PlannedStep) -> str:
    if planned.role == "control":
        return f"Recorded {planned.name}: shows whether the target is alive."
    if planned.step.matchers:
        return f"Recorded {planned.name}: the original proof."
    return f"Recorded {planned.name}: a step of the original proof, with nothing recorded to compare."


def _stopped_at(step: Judged) -> str:
    return (
        f"I cannot tell whether this is fixed, because the target did not answer the control. {step.line} "
        "Check that it is up and in scope, then reply to try again."
    )


def _nothing_recorded(steps: int) -> str:
    told = f" It has {steps} steps in words, which I cannot follow." if steps else ""
    return (
        f"This finding has no recorded commands, so I have nothing to replay.{told} "
        "Run commands of your own with `!command`, or choose a language model in the settings."
    )
