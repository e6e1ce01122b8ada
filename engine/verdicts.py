"""Rules for verdicts and evidence. Pure: rows and outputs go in, sentences and exhibits come out."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from engine.agent.matching import Comparison, Match, Observed, judge, judge_control
from engine.findings.model import Finding, RecordedStep
from engine.sandbox.port import Outcome
from engine.views import RAN, CommandView, Exhibit, Status

_SHOWN = 80
"""Characters of a command in a sentence."""


@dataclass(frozen=True, kw_only=True)
class _Claim:
    """What a determination rests on: the commands named, those that may count, and their standard outputs."""

    evidence: tuple[CommandView, ...]
    control: tuple[CommandView, ...]
    outputs: Mapping[int, bytes]

    def observed(self, command: CommandView) -> Observed:
        return Observed(
            outcome=command.outcome or "",
            exit_code=command.exit_code,
            stdout=self.outputs.get(command.id, b"").decode("utf-8", "replace"),
            denied=command.denied,
        )

    def judged(self, step: RecordedStep) -> tuple[CommandView, Comparison] | None:
        """The newest evidence command that replays the step, and what its output says."""
        replays = [command for command in self.evidence if _same(command.text, step.command)]
        newest = max(replays, key=lambda command: command.id, default=None)
        return (newest, judge(step, self.observed(newest))) if newest else None


def claim_missing(  # noqa: PLR0917 - the order is that of a sentence: who, what, on which grounds
    finding: Finding,
    commands: Sequence[CommandView],
    status: Status,
    evidence: Sequence[int],
    control: Sequence[int],
    outputs: Mapping[int, bytes],
) -> tuple[str, ...]:
    """What an agent's determination still lacks, a sentence each; empty when it may stand.

    `commands` are all of the session's, `evidence` and `control` ids among them, `outputs` the standard
    output of each id named. `fixed` needs the replayed proof, which must not reproduce, and another command
    that shows the target alive, neither resting on a failure of the infrastructure. `still_open` needs the
    proof to reproduce, where there is something recorded to compare with.
    """
    if status == "inconclusive":
        return ("Only a person may conclude inconclusive.",)
    by_id = {command.id: command for command in commands}
    problems = [problem for id_ in dict.fromkeys((*evidence, *control)) for problem in _not_run(by_id, id_)]
    claim = _Claim(
        evidence=_ran(by_id, evidence),
        control=_ran(by_id, control),
        outputs=outputs,
    )
    if status == "still_open":
        return (*problems, *_open_lacks(finding, claim))
    infrastructure = (
        problem
        for command in dict.fromkeys((*claim.evidence, *claim.control))
        for problem in _infrastructure(command)
    )
    return (*problems, *infrastructure, *_replay_lacks(finding, claim), *_control_lacks(finding, claim))


def exhibits(
    commands: Sequence[CommandView],
    evidence: Sequence[int],
    control: Sequence[int],
    replay: Collection[str],
) -> tuple[Exhibit, ...]:
    """The commands that a verdict rests on, evidence before controls; those that did not run are left out.

    `replay` are the texts of the finding's recorded steps: evidence that runs one of them is a replay.
    """
    by_id = {command.id: command for command in commands}
    recorded = {text.strip() for text in replay}
    shown = [
        _exhibit(command, "replay" if command.text.strip() in recorded else "evidence")
        for command in _ran(by_id, evidence)
    ]
    return (*shown, *(_exhibit(command, "control") for command in _ran(by_id, control)))


def _exhibit(command: CommandView, role: Literal["replay", "control", "evidence"]) -> Exhibit:
    return Exhibit(
        command_id=command.id,
        role=role,
        command=command.text,
        outcome=command.outcome or "",
        exit_code=command.exit_code,
        stdout_sha256=command.stdout_sha256 or "",
        stderr_sha256=command.stderr_sha256 or "",
    )


def _ran(by_id: Mapping[int, CommandView], ids: Sequence[int]) -> tuple[CommandView, ...]:
    named = (by_id[id_] for id_ in dict.fromkeys(ids) if id_ in by_id)
    return tuple(command for command in named if command.state in RAN)


def _not_run(by_id: Mapping[int, CommandView], command_id: int) -> Iterator[str]:
    command = by_id.get(command_id)
    if command is None:
        yield f"C-{command_id} is not one of this session's."
    elif command.state not in RAN:
        yield f"C-{command_id} did not run."


def _infrastructure(command: CommandView) -> Iterator[str]:
    """Failures that say nothing about the target."""
    if command.outcome != Outcome.exited:
        how = (command.outcome or "unknown").replace("_", " ")
        yield f"C-{command.id} did not end by itself ({how}), so it proves nothing."
    if command.denied:
        where = ", ".join(command.denied)
        yield f"C-{command.id} was blocked by scope at {where}, so it proves nothing."
    if command.out_of_memory:
        yield f"C-{command.id} ran out of memory, so it proves nothing."


def _open_lacks(finding: Finding, claim: _Claim) -> Iterator[str]:
    if not any(command.outcome == Outcome.exited for command in claim.evidence):
        yield "No command that ran to its end is named as evidence."
    for step in finding.replay:
        if not step.matchers:
            continue
        judged = claim.judged(step)
        if judged is None:
            yield _not_replayed(step)
        elif judged[1].match is not Match.matched:
            yield f"C-{judged[0].id} does not show the recorded proof: {judged[1].why}."


def _replay_lacks(finding: Finding, claim: _Claim) -> Iterator[str]:
    if not finding.replay and not any(command.outcome == Outcome.exited for command in claim.evidence):
        yield "The original proof was not run again, or is not named as evidence."
    for step in finding.replay:
        judged = claim.judged(step)
        if judged is None:
            yield _not_replayed(step)
        elif judged[1].match is Match.matched:
            yield f"C-{judged[0].id} still reproduces the recorded proof: {judged[1].why}."
        elif judged[1].match is Match.cannot_tell and step.matchers and not [*_infrastructure(judged[0])]:
            yield f"C-{judged[0].id} cannot be compared with the recorded proof: {judged[1].why}."


def _control_lacks(finding: Finding, claim: _Claim) -> Iterator[str]:
    proof = {command.id for command in claim.evidence}
    controls = [command for command in claim.control if command.id not in proof]
    if not controls and not finding.control:
        yield "No control, a command of its own, shows that the target was alive."
    for step in finding.control:
        if not any(_same(command.text, step.command) for command in controls):
            yield f"The recorded control `{_short(step.command)}` was not run, or is not named as control."
    for command in controls:
        if [*_infrastructure(command)]:
            continue
        recorded = [step for step in finding.control if _same(command.text, step.command)]
        step = recorded[0] if recorded else RecordedStep(command=command.text)
        comparison = judge_control(step, claim.observed(command))
        # What is not HTTP and not recorded can only be judged by how it ended.
        shown = comparison.match is Match.matched or (
            comparison.match is Match.cannot_tell and not step.matchers
        )
        if command.exit_code != 0:
            yield f"The control, C-{command.id}, failed with exit code {command.exit_code}."
        elif not shown:
            yield f"The control, C-{command.id}, does not show the target alive: {comparison.why}."


def _not_replayed(step: RecordedStep) -> str:
    return f"The recorded step `{_short(step.command)}` was not run again, or is not named as evidence."


def _same(text: str, recorded: str) -> bool:
    return text.strip() == recorded.strip()


def _short(command: str) -> str:
    line = " ".join(command.split())
    return line if len(line) <= _SHOWN else f"{line[: _SHOWN - 1]}…"
