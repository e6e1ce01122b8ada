"""One model turn: what the store knows becomes a request, the agent's answer becomes a report."""

from __future__ import annotations

from sqlalchemy.ext.asyncio import AsyncSession

from engine.agent.excerpt import excerpt
from engine.agent.port import (
    FRESH_SANDBOX,
    Agent,
    Determined,
    Mode,
    NotRun,
    Ran,
    SeenCommand,
    TurnReply,
    TurnRequest,
)
from engine.faults import reach
from engine.reports import TurnDone
from engine.scope import labels
from engine.store import commands, findings, history, messages, sessions
from engine.store.database import Database
from engine.store.outputs import Outputs
from engine.verdicts import claim_missing
from engine.views import ADVICE, RAN, CommandState, CommandView

_UNCERTAIN = {
    CommandState.failed: "it was approved but could not be started, so nothing ran: ",
    CommandState.unknown: "it was approved, and nobody knows whether it ran: ",
    CommandState.not_run: "it was approved, but the operator says that it did not run: ",
}

_WENT = {
    CommandState.failed: "could not be started, so nothing ran",
    CommandState.unknown: "was started, and nobody knows how it ended",
    CommandState.not_run: "did not run, as the operator says",
    CommandState.withdrawn: "was called off before it ran",
}


async def take_turn(db: Database, outputs: Outputs, agent: Agent, session_id: int) -> TurnDone:
    """Run the model once over what the session has for it.

    Raises:
        ModelError: The model did not answer; nothing was stored.
        StoreError: The database did not answer.
    """
    async with db.read() as tx:
        untold = await commands.untold(tx, session_id)
        details = await sessions.details(tx, session_id)
        request = await _request(tx, outputs, session_id, untold, details.notices)
    reach("model about to be called")
    reply = await agent.take_turn(request)
    reach("model answered")
    return TurnDone(
        reply=reply,
        told=tuple(command.id for command in untold),
        notices=len(details.notices),
        missing=await _missing(db, outputs, session_id, reply),
    )


async def _request(
    tx: AsyncSession,
    outputs: Outputs,
    session_id: int,
    untold: tuple[CommandView, ...],
    notices: tuple[str, ...],
) -> TurnRequest:
    view = await sessions.load(tx, session_id)
    finding = await findings.load(tx, view.finding_id)
    # One that was run again after its call had been answered is news like the operator's own.
    proposals = [command for command in untold if command.tool_call_id]
    seen = [command for command in untold if not command.tool_call_id]
    return TurnRequest(
        session_id=session_id,
        finding=finding.finding,
        goal=view.goal,
        scope=tuple(label for target in view.scope.targets for label in labels(target)),
        mode=Mode.auto_run if view.situation.auto_run else Mode.guided,
        history=await history.load(tx, session_id),
        answered=await _answer(outputs, proposals[-1]) if proposals else None,
        messages=tuple(message.text for message in await messages.carried(tx, session_id)),
        notices=tuple(notice for notice in notices if notice != FRESH_SANDBOX),
        fresh_sandbox=FRESH_SANDBOX in notices,
        operator_commands=tuple([await _seen(outputs, command) for command in seen]),
    )


async def _answer(outputs: Outputs, command: CommandView) -> Ran | NotRun:
    call = command.tool_call_id or ""
    if command.state not in RAN:
        return _not_run(command, call)
    stdout, stderr = await _texts(outputs, command)
    return Ran(
        tool_call_id=call,
        command_id=command.id,
        command=command.text,
        edited=command.edited_from is not None,
        outcome=command.outcome or "",
        exit_code=command.exit_code,
        elapsed_seconds=command.elapsed_seconds or 0.0,
        stdout=stdout,
        stderr=stderr,
        stdout_bytes=command.stdout_bytes,
        stderr_bytes=command.stderr_bytes,
        denied=command.denied,
    )


def _not_run(command: CommandView, call: str) -> NotRun:
    if command.reason == ADVICE:
        return NotRun(tool_call_id=call, reason="", kind="advice")
    if command.state is CommandState.rejected:
        return NotRun(tool_call_id=call, reason=command.reason, kind="rejected")
    reason = _UNCERTAIN.get(command.state, "") + command.reason
    return NotRun(tool_call_id=call, reason=reason, kind="withdrawn")


async def _seen(outputs: Outputs, command: CommandView) -> SeenCommand:
    stdout, stderr = await _texts(outputs, command)
    return SeenCommand(
        command_id=command.id,
        command=command.text,
        outcome=command.outcome or f"{_WENT[command.state]}: {command.reason.rstrip('.')}",
        exit_code=command.exit_code,
        stdout=stdout,
        stderr=stderr,
    )


async def _texts(outputs: Outputs, command: CommandView) -> tuple[str, str]:
    digests = (command.stdout_sha256, command.stderr_sha256)
    stdout, stderr = [excerpt(await outputs.read(digest)) if digest else "" for digest in digests]
    return stdout, stderr


async def _missing(db: Database, outputs: Outputs, session_id: int, reply: TurnReply) -> tuple[str, ...]:
    output = reply.output
    if not isinstance(output, Determined) or output.status == "inconclusive":
        return ()
    return await missing(db, outputs, session_id, output)


async def missing(db: Database, outputs: Outputs, session_id: int, claim: Determined) -> tuple[str, ...]:
    """What the rules of evidence still want before an agent's determination may stand."""
    async with db.read() as tx:
        view = await sessions.load(tx, session_id)
        finding = await findings.load(tx, view.finding_id)
        ran = await commands.of_session(tx, session_id)
    # Only what the claim names is read; a session may hold many large outputs.
    named = {*claim.evidence, *claim.control}
    texts = {
        command.id: await outputs.read(command.stdout_sha256)
        for command in ran
        if command.id in named and command.stdout_sha256
    }
    return claim_missing(finding.finding, ran, claim.status, claim.evidence, claim.control, texts)
