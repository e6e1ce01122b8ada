"""The findings files against the running lab: each imports whole and leads to its right verdict."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import cast

import docker
import pytest
from docker.models.containers import Container

from bot.lab import NETWORK, start_lab, stop_lab
from engine.agent.matching import Comparison, Match, judge, judge_control
from engine.findings.model import Finding, RecordedStep
from engine.findings.read import read_findings

pytestmark = pytest.mark.docker

FINDINGS = Path(__file__).parents[3] / "deploy" / "lab" / "findings"
VERDICTS: dict[str, dict[str, str]] = json.loads((FINDINGS / "verdicts.json").read_text())
CASES = [
    pytest.param(finding, VERDICTS[name][finding.title], id=f"{name}: {finding.title}")
    for name in VERDICTS
    for finding in read_findings((FINDINGS / name).read_bytes(), name).findings
]

Run = Callable[[RecordedStep], tuple[int, str]]


@pytest.fixture(scope="module")
def run() -> Iterator[Run]:
    """Runs a command as a neighbour of the targets; gives exit code and standard output."""
    start_lab()
    client = docker.from_env()
    neighbour = client.containers.run(
        "revalid-sandbox", ["sleep", "infinity"], network=NETWORK, detach=True, init=True, user="0:0"
    )
    try:
        yield lambda step: _exec(neighbour, step.command)
    finally:
        neighbour.remove(force=True)
        client.close()
        stop_lab()


def _exec(container: Container, command: str) -> tuple[int, str]:
    ended = container.exec_run(["bash", "-c", command], workdir="/tmp", demux=True)
    code, (stdout, _) = cast("tuple[int, tuple[bytes | None, bytes | None]]", ended)
    return code, (stdout or b"").decode()


@pytest.mark.parametrize("name", list(VERDICTS))
def test_the_file_imports_whole(name: str) -> None:
    report = read_findings((FINDINGS / name).read_bytes(), name)
    assert not report.rejected
    assert {finding.title for finding in report.findings} == set(VERDICTS[name])
    for finding in report.findings:
        assert finding.replay, finding.title
        assert finding.replay[-1].matchers, finding.title
        assert all(step.matchers for step in finding.control), finding.title
        assert finding.control, finding.title
        assert not finding.notes, finding.title


@pytest.mark.parametrize(("finding", "verdict"), CASES)
def test_proof_and_control_tell_the_right_verdict(finding: Finding, verdict: str, run: Run) -> None:
    proofs = [_judged(judge, step, run) for step in finding.replay]
    controls = [_judged(judge_control, step, run) for step in finding.control]
    assert (proofs[-1], set(controls)) == {
        "still_open": (Match.matched, {Match.matched}),
        "fixed": (Match.not_matched, {Match.matched}),
        "none": (Match.cannot_tell, {Match.cannot_tell}),
    }[verdict]


def _judged(rule: Callable[..., Comparison], step: RecordedStep, run: Run) -> Match:
    code, stdout = run(step)
    return rule(step, outcome="exited", exit_code=code, stdout=stdout).match
