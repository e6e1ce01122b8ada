"""The findings files against the running lab, out of a real sandbox: each leads to its right verdict."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bot.lab import NETWORK
from bot.shared_lab import shared_lab
from engine.agent.matching import Match, Observed, judge, judge_control
from engine.findings.model import Finding, RecordedStep
from engine.findings.read import read_findings
from engine.sandbox.docker_sandboxes import DockerSandboxes
from engine.sandbox.port import Command
from engine.scope import Scope, accept, add, look_up, pin, propose

pytestmark = pytest.mark.docker

FINDINGS = Path(__file__).parents[3] / "deploy" / "lab" / "findings"
VERDICTS: dict[str, dict[str, str]] = json.loads((FINDINGS / "verdicts.json").read_text())
KNOWN = [
    (finding, VERDICTS[name][finding.title])
    for name in VERDICTS
    for finding in read_findings((FINDINGS / name).read_bytes(), name).findings
]

Run = Callable[[RecordedStep], Observed]


@pytest.fixture(scope="module")
def run() -> Iterator[Run]:
    """Runs recorded steps in one sandbox whose scope is the three hosts of the lab."""
    with shared_lab(), asyncio.Runner() as loop:
        sandboxes = DockerSandboxes(instance="lab-findings", networks=(NETWORK,))
        numbers = itertools.count(1)
        try:
            scope = Scope()
            for finding, _ in KNOWN:
                for target in propose(finding).targets:
                    scope = add(scope, target)
            scope = loop.run(look_up(scope, sandboxes.resolve))
            for target in scope.targets:
                scope = accept(scope, target.host)
            handle = loop.run(sandboxes.create(1, loop.run(pin(scope, sandboxes.resolve))))

            def observed(step: RecordedStep) -> Observed:
                command = Command(id=next(numbers), text=step.command, timeout_seconds=30)
                result = loop.run(sandboxes.run(handle, command))
                return Observed(
                    outcome=result.outcome,
                    exit_code=result.exit_code,
                    stdout=result.stdout.decode(),
                    denied=tuple(denied.address for denied in result.denied),
                )

            yield observed
        finally:
            loop.run(sandboxes.remove(1))
            loop.run(sandboxes.close())


@pytest.mark.parametrize("name", list(VERDICTS))
def test_the_file_imports_whole(name: str) -> None:
    report = read_findings((FINDINGS / name).read_bytes(), name)
    assert not report.rejected
    assert {finding.title for finding in report.findings} == set(VERDICTS[name])
    for finding in report.findings:
        assert finding.replay, finding.title
        assert finding.replay[-1].matchers, finding.title
        assert finding.control, finding.title
        assert all(step.matchers for step in finding.control), finding.title
        assert not finding.notes, finding.title


@pytest.mark.parametrize(("finding", "verdict"), KNOWN, ids=[finding.title for finding, _ in KNOWN])
def test_proof_and_control_tell_the_right_verdict(finding: Finding, verdict: str, run: Run) -> None:
    controls = [judge_control(step, run(step)) for step in finding.control]
    proofs = [judge(step, run(step)) for step in finding.replay]
    assert (proofs[-1].match, {control.match for control in controls}) == {
        "still_open": (Match.matched, {Match.matched}),
        "fixed": (Match.not_matched, {Match.matched}),
        "none": (Match.cannot_tell, {Match.cannot_tell}),
    }[verdict], proofs[-1].why
