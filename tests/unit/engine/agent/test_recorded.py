from __future__ import annotations

import pytest

from engine.agent.port import Determined, Mode, NotRun, Proposed, Said
from engine.agent.words import REPLAYS_ONLY
from engine.findings.model import Matcher, RecordedStep
from tests.unit.engine.agent.builders import (
    ALIVE,
    HOME,
    OK,
    PROOF,
    STATUS_200,
    TRAVERSAL,
    Thread,
    finding,
)

VULNERABLE = {HOME: f"{OK}Orchard shop", PROOF: f"{OK}root:x:0:0:root:/root:/bin/sh\n"}
FIXED = {HOME: f"{OK}Orchard shop", PROOF: f"{OK}There is no such guide."}
REFUSED = {"stdout": "", "exit_code": 7, "stderr": "curl: (7) refused", "stderr_bytes": 17}
DEAD = {HOME: REFUSED, PROOF: REFUSED}

LOGIN = RecordedStep(command="curl -sS -i -c jar -d user=ada http://shop.example.com/login")
INVOICE = RecordedStep(
    command="curl -sS -i -b jar http://shop.example.com/invoice?number=1002",
    matchers=(
        STATUS_200,
        Matcher(type="word", part="body", values=("Ben Quince", "7 Lane"), condition="and"),
    ),
    condition="and",
)
IDOR = finding(replay=(LOGIN, INVOICE))
LOGGED_IN = "HTTP/1.1 303 See Other\r\nSet-Cookie: session=1\r\n\r\n"


def said(output: object) -> str:
    assert isinstance(output, Said), output
    return output.text


@pytest.mark.parametrize("mode", list(Mode))
async def test_a_vulnerable_target_is_still_open_with_the_proof_as_evidence(mode: Mode) -> None:
    thread = Thread(finding(), VULNERABLE, mode)
    reply = await thread.run_all("start")
    assert thread.commands == [HOME, PROOF]
    assert isinstance(reply.output, Determined)
    assert (reply.output.status, reply.output.evidence, reply.output.control) == ("still_open", (2,), (1,))
    assert "root:" in reply.output.rationale


@pytest.mark.parametrize("mode", list(Mode))
async def test_a_fixed_target_that_answers_its_control_is_fixed(mode: Mode) -> None:
    reply = await Thread(finding(), FIXED, mode).run_all("start")
    assert isinstance(reply.output, Determined)
    assert (reply.output.status, reply.output.evidence, reply.output.control) == ("fixed", (2,), (1,))


async def test_a_dead_target_is_a_hand_back_after_the_control_and_a_reply_tries_it_again() -> None:
    thread = Thread(finding(), DEAD, Mode.auto_run)
    text = said((await thread.run_all("start")).output)
    assert thread.commands == [HOME]
    assert "exit code 7" in text
    assert "C-1" in text
    reply = await thread.turn("it is up now")
    assert isinstance(reply.output, Proposed)
    assert reply.output.command == HOME
    assert REPLAYS_ONLY not in reply.output.said


@pytest.mark.parametrize(
    ("result", "why"),
    [
        ({"outcome": "timed_out", "exit_code": None}, "timed out"),
        ({"outcome": "killed", "exit_code": None, "stdout": f"{OK}root:x:0:0:"}, "killed"),
        ({"outcome": "lost", "exit_code": None}, "lost"),
        ({"stdout": f"{OK}nothing", "denied": ("203.0.113.20:80/tcp",)}, "blocked by scope"),
        ({"stdout": "", "exit_code": 28}, "exit code 28"),
        ({"stdout": ""}, "printed nothing"),
        ({"stdout": f"{OK}nothing", "edited": True}, "edited"),
    ],
)
async def test_what_is_no_evidence_is_never_fixed(result: dict[str, object], why: str) -> None:
    reply = await Thread(finding(), {HOME: FIXED[HOME], PROOF: result}, Mode.auto_run).run_all("start")
    assert why in said(reply.output)


async def test_without_a_control_a_proof_that_fails_is_not_called_fixed() -> None:
    reply = await Thread(finding(control=()), FIXED).run_all("start")
    assert "no control is recorded" in said(reply.output)


async def test_without_a_control_a_proof_that_works_is_still_open() -> None:
    reply = await Thread(finding(control=()), VULNERABLE).run_all("start")
    assert isinstance(reply.output, Determined)
    assert reply.output.status == "still_open"


async def test_a_control_that_answers_something_else_is_not_alive_enough_for_fixed() -> None:
    outputs = {HOME: "HTTP/1.1 200 OK\r\n\r\nDown for maintenance", PROOF: FIXED[PROOF]}
    reply = await Thread(finding(), outputs).run_all("start")
    assert "did not show the target alive" in said(reply.output)


async def test_a_finding_without_matchers_is_replayed_and_handed_back() -> None:
    bare = finding(replay=(RecordedStep(command=PROOF),))
    thread = Thread(bare, VULNERABLE)
    text = said((await thread.run_all("start")).output)
    assert thread.commands == [HOME, PROOF]
    assert "nothing is recorded to compare with" in text


async def test_a_finding_without_commands_says_so_and_runs_nothing() -> None:
    thread = Thread(finding(replay=(), steps=("Open the guide.", "Read the file.")), {})
    text = said((await thread.turn("start")).output)
    assert "no recorded commands" in text
    assert "2 steps" in text
    assert said((await thread.turn("and now?")).output) == text


async def test_a_login_step_without_matchers_runs_but_decides_nothing() -> None:
    outputs = {HOME: FIXED[HOME], LOGIN.command: LOGGED_IN, INVOICE.command: f"{OK}Ben Quince, 7 Lane"}
    thread = Thread(IDOR, outputs)
    reply = await thread.run_all("start")
    assert thread.commands == [HOME, LOGIN.command, INVOICE.command]
    assert isinstance(reply.output, Determined)
    assert (reply.output.status, reply.output.evidence) == ("still_open", (2, 3))


async def test_a_login_that_failed_keeps_the_rest_from_being_called_fixed() -> None:
    denied = "HTTP/1.1 401 Unauthorized\r\n\r\nwrong password"
    outputs = {HOME: FIXED[HOME], LOGIN.command: denied, INVOICE.command: f"{OK}Please log in"}
    reply = await Thread(IDOR, outputs).run_all("start")
    assert "replay 1 of 2 did not run well" in said(reply.output)


async def test_a_proof_that_reproduces_in_part_is_handed_back() -> None:
    other = RecordedStep(command="curl -sS -i http://shop.example.com/other", matchers=TRAVERSAL.matchers)
    outputs = VULNERABLE | {other.command: "HTTP/1.1 404 Not Found\r\n\r\ngone"}
    reply = await Thread(finding(replay=(TRAVERSAL, other)), outputs).run_all("start")
    text = said(reply.output)
    assert "only in part" in text
    assert "Replay 2 of 2 (C-3): not reproduced" in text


async def test_a_rejected_step_is_named_and_never_called_fixed() -> None:
    thread = Thread(finding(), FIXED)
    await thread.turn("start")
    await thread.not_run("rejected")
    assert thread.proposed.command == PROOF
    assert "rejected" in thread.proposed.said
    text = said((await thread.approve()).output)
    assert "Control: rejected by the operator" in text


async def test_all_rejected_ends_in_words() -> None:
    thread = Thread(finding(control=()), {})
    await thread.turn("start")
    reply = await thread.not_run("rejected")
    assert "could not be compared" in said(reply.output)


@pytest.mark.parametrize("kind", ["advice", "withdrawn"])
async def test_a_step_given_as_advice_or_set_aside_is_proposed_again(kind: str) -> None:
    thread = Thread(finding(), FIXED)
    await thread.turn("start")
    await thread.approve()
    first = thread.proposed
    assert "the target is alive" in first.said
    await thread.not_run(kind, "go ahead")
    assert (thread.proposed.command, thread.proposed.said) == (first.command, "")
    assert thread.proposed.tool_call_id != first.tool_call_id
    reply = await thread.approve()
    assert isinstance(reply.output, Determined)


async def test_words_it_cannot_follow_are_answered_plainly_and_the_next_step_is_proposed() -> None:
    thread = Thread(finding(), FIXED)
    await thread.turn("start")
    await thread.approve()
    await thread.not_run("advice", "is the cookie flag set as well?")
    assert thread.proposed.command == PROOF
    assert thread.proposed.said == REPLAYS_ONLY


async def test_a_recommendation_is_repeated_and_again_replays_from_the_beginning() -> None:
    thread = Thread(finding(), FIXED)
    await thread.run_all("start")
    text = said((await thread.turn("are you sure about that cookie?")).output)
    assert REPLAYS_ONLY in text
    assert "stays fixed" in text
    thread.outputs = VULNERABLE
    reply = await thread.run_all("please run it again")
    assert thread.commands == [HOME, PROOF, HOME, PROOF]
    assert isinstance(reply.output, Determined)
    assert (reply.output.status, reply.output.evidence, reply.output.control) == ("still_open", (4,), (3,))


async def test_continue_without_words_repeats_the_recommendation() -> None:
    thread = Thread(finding(), FIXED)
    await thread.run_all("start")
    text = said((await thread.turn()).output)
    assert REPLAYS_ONLY not in text
    assert "stays fixed" in text


async def test_a_hand_back_is_repeated_when_the_operator_only_asks() -> None:
    thread = Thread(finding(control=()), FIXED)
    first = said((await thread.run_all("start")).output)
    assert said((await thread.turn("why not?")).output) == f"{REPLAYS_ONLY} {first}"


async def test_a_new_sandbox_begins_the_replay_again_because_its_logins_are_gone() -> None:
    outputs = {HOME: FIXED[HOME], LOGIN.command: LOGGED_IN, INVOICE.command: f"{OK}Please log in"}
    thread = Thread(IDOR, outputs)
    await thread.turn("start")
    await thread.approve()
    await thread.approve()
    answer = NotRun(tool_call_id=thread.proposed.tool_call_id, reason="", kind="withdrawn")
    await thread.turn("go on", answered=answer, fresh_sandbox=True)
    assert thread.proposed.command == HOME
    assert "sandbox is new" in thread.proposed.said


async def test_long_output_is_read_whole_before_it_is_compared() -> None:
    whole = f"{OK}{'x' * 9000}\nroot:x:0:0:\n{'y' * 9000}"
    cut = {"stdout": f"{OK}xx\n[... ]\nyy", "stdout_bytes": len(whole)}
    thread = Thread(finding(), {HOME: FIXED[HOME], PROOF: cut}, kept={2: whole.encode()})
    reply = await thread.run_all("start")
    assert isinstance(reply.output, Determined)
    assert reply.output.status == "still_open"


async def test_a_character_cut_between_two_pieces_never_makes_it_fixed() -> None:
    whole = f"{OK}{'é' * 9000}"
    cut = {"stdout": f"{OK}é", "stdout_bytes": len(whole.encode())}
    thread = Thread(finding(), {HOME: FIXED[HOME], PROOF: cut}, kept={2: whole.encode()})
    assert "cannot tell" in said((await thread.run_all("start")).output)


async def test_a_long_output_that_is_no_longer_kept_is_not_called_fixed() -> None:
    from engine.agent.models import RecordedSource
    from engine.agent.pydantic_agent import PydanticAgent
    from tests.unit.engine.agent.builders import no_output, ran, request

    agent = PydanticAgent(source=RecordedSource(), read_output=no_output)
    asked = request(finding=finding(control=()))
    first = await agent.take_turn(asked)
    assert isinstance(first.output, Proposed)
    cut = ran(first.output, f"{OK}xx", stdout_bytes=90_000)
    reply = await agent.take_turn(request(finding=asked.finding, history=first.history, answered=cut))
    assert "too long to compare whole" in said(reply.output)


async def test_a_command_that_cannot_be_shown_is_not_proposed() -> None:
    thread = Thread(finding(control=(), replay=(RecordedStep(command="curl \x00"),)), {})
    text = said((await thread.turn("start")).output)
    assert "cannot be proposed" in text


async def test_it_costs_nothing_and_names_itself() -> None:
    reply = await Thread(finding(control=(ALIVE,)), FIXED).run_all("start")
    assert reply.model == "recorded"
    assert reply.usage["input_tokens"] == reply.usage["output_tokens"] == 0
