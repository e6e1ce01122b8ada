from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from engine.findings.model import Finding, Matcher, RecordedStep
from engine.verdicts import claim_missing, exhibits
from engine.views import CommandState, CommandView, Exhibit, Status

PROOF = "curl -si 'https://shop.example.com/search?q=%27'"
ALIVE = "curl -si https://shop.example.com/"
NOW = datetime(2031, 1, 2, tzinfo=UTC)

ERROR_PAGE = b'HTTP/1.1 500 Oops\r\n\r\nSQL syntax error near "\'"'
EMPTY_PAGE = b"HTTP/1.1 200 OK\r\n\r\nNo results."
FRONT_PAGE = b"HTTP/1.1 200 OK\r\n\r\nWelcome to the shop."

STEP = RecordedStep(command=PROOF, matchers=(Matcher(type="word", values=("SQL syntax",)),))
CONTROL = RecordedStep(command=ALIVE, matchers=(Matcher(type="word", values=("Welcome",)),))
RECORDED = Finding(format="manual", ref="1", title="SQL injection", replay=(STEP,), control=(CONTROL,))
UNRECORDED = Finding(format="manual", ref="1", title="SQL injection")


def ran(id_: int, text: str) -> CommandView:
    return CommandView(
        id=id_,
        session_id=1,
        origin="agent",
        text=text,
        rationale="",
        said="",
        timeout_seconds=60,
        digest="",
        state=CommandState.finished,
        edited_from=None,
        decided_by="U1",
        reason="",
        tool_call_id=None,
        told=True,
        outcome="exited",
        exit_code=0,
        elapsed_seconds=0.1,
        stdout_sha256=f"{id_}" * 64,
        stderr_sha256="e" * 64,
        stdout_bytes=1,
        stderr_bytes=0,
        denied=(),
        created=NOW,
        started=NOW,
        ended=NOW,
    )


REPLAYED, CONTROLLED = ran(1, PROOF), ran(2, ALIVE)
GONE = {1: EMPTY_PAGE, 2: FRONT_PAGE}
STILL_THERE = {1: ERROR_PAGE, 2: FRONT_PAGE}


def missing(
    finding: Finding = RECORDED,
    *,
    commands: tuple[CommandView, ...] = (REPLAYED, CONTROLLED),
    status: Status = "fixed",
    evidence: tuple[int, ...] = (1,),
    control: tuple[int, ...] = (2,),
    outputs: Mapping[int, bytes] = GONE,
) -> str:
    return "\n".join(claim_missing(finding, commands, status, evidence, control, outputs))


@pytest.mark.parametrize("finding", [RECORDED, UNRECORDED])
def test_fixed_stands_on_a_replay_that_does_not_reproduce_and_a_live_target(finding: Finding) -> None:
    assert missing(finding) == ""


def test_fixed_is_refused_while_the_proof_reproduces() -> None:
    assert missing(outputs=STILL_THERE) == ("C-1 still reproduces the recorded proof: found `SQL syntax`.")


def test_fixed_wants_every_recorded_step_replayed() -> None:
    second = STEP.model_copy(update={"command": "curl -si https://shop.example.com/admin"})
    finding = RECORDED.model_copy(update={"replay": (STEP, second)})
    assert missing(finding) == (
        "The recorded step `curl -si https://shop.example.com/admin` was not run again, "
        "or is not named as evidence."
    )


def test_a_replay_that_ran_but_is_not_named_does_not_count() -> None:
    other = ran(3, "true")
    found = missing(commands=(REPLAYED, CONTROLLED, other), evidence=(3,), outputs={**GONE, 3: b""})
    assert "is not named as evidence" in found


def test_the_newest_replay_counts() -> None:
    again = ran(3, PROOF)
    outputs = {**STILL_THERE, 3: EMPTY_PAGE}
    assert missing(commands=(REPLAYED, CONTROLLED, again), evidence=(3, 1), outputs=outputs) == ""


def test_fixed_wants_a_control() -> None:
    assert missing(UNRECORDED, control=()) == (
        "No control, a command of its own, shows that the target was alive."
    )


def test_the_proof_is_not_its_own_control() -> None:
    assert "No control" in missing(UNRECORDED, control=(1,))


def test_fixed_wants_the_recorded_control() -> None:
    login = ran(2, "curl -si https://shop.example.com/about")
    assert missing(commands=(REPLAYED, login)) == (
        f"The recorded control `{ALIVE}` was not run, or is not named as control."
    )


def test_a_control_that_does_not_match_its_recording_shows_nothing() -> None:
    found = missing(outputs={1: EMPTY_PAGE, 2: b"HTTP/1.1 200 OK\r\n\r\nPlease log in."})
    assert found == "The control, C-2, does not show the target alive: no `Welcome`."


def test_a_control_that_the_target_answers_with_an_error_shows_nothing() -> None:
    found = missing(UNRECORDED, outputs={1: EMPTY_PAGE, 2: b"HTTP/1.1 503 Down\r\n\r\n"})
    assert found == "The control, C-2, does not show the target alive: status 503."


def test_a_control_that_could_not_connect_shows_nothing() -> None:
    failed = replace(CONTROLLED, exit_code=7)
    found = missing(UNRECORDED, commands=(REPLAYED, failed), outputs={1: EMPTY_PAGE, 2: b""})
    assert found == "The control, C-2, failed with exit code 7."


def test_a_control_that_is_not_http_counts_by_its_exit_code() -> None:
    ping = ran(2, "nc -z shop.example.com 443")
    assert missing(UNRECORDED, commands=(REPLAYED, ping), outputs={1: EMPTY_PAGE, 2: b""}) == ""


@pytest.mark.parametrize(
    ("broken", "sentence"),
    [
        ({"outcome": "timed_out", "state": CommandState.timed_out}, "did not end by itself (timed out)"),
        ({"outcome": "killed", "state": CommandState.killed}, "did not end by itself (killed)"),
        ({"outcome": "output_limit"}, "did not end by itself (output limit)"),
        ({"denied": ("203.0.113.20:80/tcp",)}, "was blocked by scope at 203.0.113.20:80/tcp"),
        ({"out_of_memory": True}, "ran out of memory"),
    ],
)
@pytest.mark.parametrize("which", [1, 2])
def test_fixed_never_rests_on_a_failed_infrastructure(
    broken: dict[str, object], sentence: str, which: int
) -> None:
    commands = tuple(
        replace(command, **broken) if command.id == which else command  # type: ignore[arg-type]
        for command in (REPLAYED, CONTROLLED)
    )
    assert missing(commands=commands) == f"C-{which} {sentence}, so it proves nothing."


def test_a_replay_without_an_answer_cannot_be_compared() -> None:
    found = missing(outputs={1: b"", 2: FRONT_PAGE})
    assert found == ("C-1 cannot be compared with the recorded proof: the command printed nothing.")


def test_a_recorded_step_with_nothing_to_compare_only_has_to_be_replayed() -> None:
    finding = RECORDED.model_copy(update={"replay": (RecordedStep(command=PROOF),)})
    assert missing(finding) == ""


def test_only_commands_of_the_session_that_ran_count() -> None:
    rejected = replace(ran(3, PROOF), state=CommandState.rejected, outcome=None)
    found = missing(UNRECORDED, commands=(REPLAYED, CONTROLLED, rejected), evidence=(1, 3, 77, 3))
    assert found == "C-3 did not run.\nC-77 is not one of this session's."


@pytest.mark.parametrize("status", ["fixed", "still_open"])
def test_a_determination_without_any_evidence_lacks_it(status: Status) -> None:
    assert "evidence" in missing(UNRECORDED, status=status, evidence=())


def test_still_open_stands_on_a_proof_that_reproduces() -> None:
    assert missing(status="still_open", control=(), outputs=STILL_THERE) == ""


def test_still_open_is_refused_when_the_recorded_proof_does_not_show() -> None:
    assert missing(status="still_open") == ("C-1 does not show the recorded proof: no `SQL syntax`.")


def test_still_open_wants_the_recorded_proof_replayed() -> None:
    other = ran(3, "curl -si https://shop.example.com/other")
    found = missing(status="still_open", commands=(other,), evidence=(3,), control=())
    assert "was not run again" in found


def test_still_open_without_a_recording_wants_a_command_that_ran_to_its_end() -> None:
    killed = replace(REPLAYED, outcome="killed", state=CommandState.killed)
    assert missing(UNRECORDED, status="still_open", control=()) == ""
    assert missing(UNRECORDED, commands=(killed,), status="still_open", control=()) == (
        "No command that ran to its end is named as evidence."
    )


def test_still_open_needs_only_the_steps_that_can_be_compared() -> None:
    silent = RecordedStep(command="curl -s https://shop.example.com/login")
    finding = RECORDED.model_copy(update={"replay": (silent, STEP)})
    assert missing(finding, status="still_open", control=(), outputs=STILL_THERE) == ""


def test_the_agent_never_concludes_inconclusive() -> None:
    assert missing(status="inconclusive") == "Only a person may conclude inconclusive."


def test_a_long_command_is_cut_in_a_sentence() -> None:
    long = RECORDED.model_copy(update={"replay": (STEP.model_copy(update={"command": "x" * 500}),)})
    assert f"`{'x' * 79}…`" in missing(long)


def test_exhibits_are_cut_from_the_commands() -> None:
    other, rejected = ran(3, "id"), replace(ran(4, "ls"), state=CommandState.rejected)
    shown = exhibits((REPLAYED, CONTROLLED, other, rejected), (3, 1, 1, 4, 99), (2,), {f"{PROOF}\n"})
    assert [(one.command_id, one.role) for one in shown] == [(3, "evidence"), (1, "replay"), (2, "control")]
    assert shown[1] == Exhibit(
        command_id=1,
        role="replay",
        command=PROOF,
        outcome="exited",
        exit_code=0,
        stdout_sha256="1" * 64,
        stderr_sha256="e" * 64,
    )
