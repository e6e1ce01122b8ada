"""What the reports of a session's tasks mean for it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Any

from engine.agent.port import FRESH_SANDBOX, Determined, Proposed
from engine.errors import ModelError, SandboxError, SandboxLost, StoreError
from engine.events import (
    AGENT,
    SYSTEM,
    AgentSaid,
    CommandEnded,
    CommandFailed,
    SandboxFailed,
    SandboxReady,
    SandboxRemoved,
    TurnFailed,
)
from engine.ledger import Ledger, write
from engine.ledger.control import set_goal
from engine.lifecycle import LIVE, Activity, Gate, Input, Move, Refusal, Situation, decide
from engine.reports import (
    CommandEnd,
    CommandLost,
    GoalDrafted,
    LeftoversRemoved,
    Provisioned,
    ProvisionFailed,
    Report,
    SandboxGone,
    SandboxMissing,
    TurnDone,
    TurnLost,
)
from engine.sandbox.port import Outcome
from engine.store import commands
from engine.views import IN_FLIGHT, CommandState, CommandView, SessionView

Taken = tuple[Move | None, SessionView]
"""What to do now, and the session after; None when the report only was recorded."""

_ENDED_AS = {
    Outcome.exited: CommandState.finished,
    Outcome.timed_out: CommandState.timed_out,
    Outcome.killed: CommandState.killed,
    Outcome.output_limit: CommandState.killed,
}
_NO_GOAL = "No goal could be drafted from this finding; the one you have stays."


def instead_of(report: Report) -> Report | None:
    """What to report when a report cannot be written as it is; None when nothing waits for it."""
    match report:
        case Provisioned():
            return ProvisionFailed(error=SandboxError())
        case TurnDone():
            error = "The model's turn could not be stored; reply in the thread to try again."
            return TurnLost(error=ModelError(error))
        case CommandEnd(command_id=command_id):
            error = "The command ran, but its result could not be stored."
            return CommandLost(command_id=command_id, started=True, error=StoreError(error))
    return None


async def take_report(book: Ledger, report: Report) -> Taken:
    """Record a report and decide what follows from it."""
    return await _TAKERS[type(report)](book, report)


async def _decide(book: Ledger, situation: Situation, given: Input) -> Taken:
    """Decide and write; a report that no row takes came too late, and only what was noted is stored."""
    move = decide(situation, given)
    if isinstance(move, Refusal):
        return None, await book.settle(book.view.situation)
    return move, await write(book, move)


async def _provisioned(book: Ledger, report: Provisioned) -> Taken:
    before = book.view.situation
    if before.activity is not Activity.provisioning:
        # The session ended meanwhile; its tear-down waits for the build and removes it.
        return None, book.view
    book.changes["sandbox"] = report.handle
    pinned = tuple(
        f"{pin.host} ({', '.join(pin.addresses)}) {', '.join(map(str, pin.ports))}"
        for pin in report.handle.pinned.pins
    )
    rebuilt = FRESH_SANDBOX in book.notices
    book.command = _waits_for_sandbox(book) or book.command
    book.note(SandboxReady(pinned=pinned, image=report.handle.image, rebuilt=rebuilt), SYSTEM)
    return await _decide(book, replace(before, sandbox=True), Input.provisioned)


async def _provision_failed(book: Ledger, report: ProvisionFailed) -> Taken:
    if book.view.situation.activity is not Activity.provisioning:
        return None, book.view
    error = report.error
    book.note(SandboxFailed(error=type(error).__name__, sentence=error.sentence), SYSTEM)
    if waiting := _waits_for_sandbox(book):
        states = frozenset({CommandState.approved})
        await commands.move(book.tx, waiting.id, states, CommandState.failed, reason=error.sentence)
        book.note(
            CommandFailed(command_id=waiting.id, outcome="not_started", sentence=error.sentence), SYSTEM
        )
    return await _decide(book, book.view.situation, Input.provision_failed)


def _waits_for_sandbox(book: Ledger) -> CommandView | None:
    """A command that was approved to run in the sandbox that was being built."""
    if book.view.situation.gate is not Gate.approved:
        return None
    mine = [one for one in book.proof if one.state is CommandState.approved and one.origin == "agent"]
    return mine[-1] if mine else None


async def _turn_done(book: Ledger, report: TurnDone) -> Taken:
    output, situation = report.reply.output, book.view.situation
    if situation.activity is not Activity.turn:
        return None, book.view
    given = Input.said
    if isinstance(output, Proposed):
        given = Input.proposed
    elif isinstance(output, Determined):
        given = Input.undetermined if output.status == "inconclusive" else Input.determined
        situation = replace(situation, verdict_allowed=not report.missing)
    return await _decide(book, situation, given)


async def _turn_lost(book: Ledger, report: TurnLost) -> Taken:
    if book.view.situation.activity is not Activity.turn:
        return None, book.view
    error = report.error
    book.note(TurnFailed(error=type(error).__name__, sentence=error.sentence), AGENT)
    return await _decide(book, book.view.situation, Input.turn_failed)


async def _command_end(book: Ledger, report: CommandEnd) -> Taken:
    result = report.result
    denied = tuple(f"{one.address}:{one.port}/{one.protocol}" for one in result.denied)
    ended = await commands.move(
        book.tx,
        report.command_id,
        IN_FLIGHT,
        _ENDED_AS[result.outcome],
        outcome=result.outcome.value,
        exit_code=result.exit_code,
        elapsed_seconds=result.elapsed_seconds,
        stdout_sha256=report.stdout_sha256,
        stderr_sha256=report.stderr_sha256,
        stdout_bytes=len(result.stdout),
        stderr_bytes=len(result.stderr),
        denied=denied,
        out_of_memory=result.out_of_memory,
        ended=book.at,
    )
    if ended is None:
        return None, book.view
    event = CommandEnded(
        command_id=ended.id,
        outcome=result.outcome.value,
        exit_code=result.exit_code,
        elapsed_seconds=round(result.elapsed_seconds, 3),
        stdout_sha256=report.stdout_sha256,
        stderr_sha256=report.stderr_sha256,
        stdout_bytes=len(result.stdout),
        stderr_bytes=len(result.stderr),
        denied=denied,
        out_of_memory=result.out_of_memory,
    )
    book.note(event, SYSTEM)
    return await _after_command(book, ended, book.view.situation, Input.command_done)


async def _command_lost(book: Ledger, report: CommandLost) -> Taken:
    to = CommandState.unknown if report.started else CommandState.failed
    sentence = report.error.sentence
    lost = await commands.move(
        book.tx,
        report.command_id,
        IN_FLIGHT | {CommandState.approved},
        to,
        reason=sentence,
        ended=book.at if report.started else None,
    )
    if lost is None:
        return None, book.view
    outcome = "unknown" if report.started else "not_started"
    data = {"command_id": lost.id, "outcome": outcome, "sentence": sentence}
    book.note(CommandFailed.model_validate(data), SYSTEM)
    situation = book.view.situation
    # A session that was reopened meanwhile may have another sandbox by now.
    if book.view.state in LIVE and report.distrusted is not None and report.distrusted == book.handle:
        situation = replace(situation, sandbox=False)
        book.changes["sandbox"] = None
        book.tell_agent(FRESH_SANDBOX)
    return await _after_command(book, lost, situation, Input.command_lost)


async def _after_command(book: Ledger, command: CommandView, situation: Situation, given: Input) -> Taken:
    """The agent's command moves the session on; the operator's own does not wake the agent."""
    if command.origin == "operator":
        others = any(one.origin == "operator" and one.id != command.id for one in _unended(book))
        return None, await book.settle(replace(situation, operator_command=others))
    newest = max(one.id for one in book.proof if one.origin == "agent")
    if situation.activity is not Activity.command or command.id != newest:
        # It ran on into a later life of the session, which waits for something else.
        return None, await book.settle(situation)
    return await _decide(book, situation, given)


def _unended(book: Ledger) -> tuple[CommandView, ...]:
    return tuple(one for one in book.proof if one.state in IN_FLIGHT | {CommandState.approved})


async def _goal_drafted(book: Ledger, report: GoalDrafted) -> Taken:
    book.actor = report.by
    if book.view.state not in LIVE:
        return None, book.view
    if report.goal:
        set_goal(book, report.goal, regenerated=True)
    else:
        book.note(AgentSaid(text=_NO_GOAL, form="note"), SYSTEM)
    return None, await book.settle(book.view.situation)


async def _sandbox_gone(book: Ledger, _report: SandboxGone) -> Taken:
    if book.view.state in LIVE and book.view.situation.sandbox:
        return None, book.view
    book.changes["sandbox"] = None
    book.note(SandboxRemoved(), SYSTEM)
    return None, await book.settle(book.view.situation)


async def _sandbox_missing(book: Ledger, report: SandboxMissing) -> Taken:
    view = book.view
    # What ran in there has a task of its own, which finds the same and tells what it means for the command.
    if view.state not in LIVE or book.handle != report.handle or view.running:
        return None, view
    error = SandboxLost()
    book.note(SandboxFailed(error=type(error).__name__, sentence=error.sentence), SYSTEM)
    book.changes["sandbox"] = None
    book.tell_agent(FRESH_SANDBOX)
    return None, await book.settle(replace(view.situation, sandbox=False))


async def _leftovers_removed(book: Ledger, report: LeftoversRemoved) -> Taken:
    if book.handle != report.handle or (book.view.state in LIVE and book.view.situation.sandbox):
        return None, book.view
    book.changes["sandbox"] = None
    book.note(SandboxRemoved(left_over=report.handle is None), SYSTEM)
    return None, await book.settle(book.view.situation)


_TAKERS: Mapping[type[Report], Callable[[Ledger, Any], Awaitable[Taken]]] = {
    Provisioned: _provisioned,
    ProvisionFailed: _provision_failed,
    TurnDone: _turn_done,
    TurnLost: _turn_lost,
    CommandEnd: _command_end,
    CommandLost: _command_lost,
    GoalDrafted: _goal_drafted,
    SandboxGone: _sandbox_gone,
    SandboxMissing: _sandbox_missing,
    LeftoversRemoved: _leftovers_removed,
}
