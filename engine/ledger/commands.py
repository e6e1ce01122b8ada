"""What becomes of a proposed command."""

from __future__ import annotations

from collections.abc import Mapping

from engine.approval import digest_of
from engine.events import (
    AGENT,
    AUTO_RUN,
    SYSTEM,
    CommandAdvised,
    CommandApproved,
    CommandHeld,
    CommandRejected,
    CommandWithdrawn,
    GateOpened,
    KillRequested,
)
from engine.ledger.book import WAITING, Ledger, Step
from engine.lifecycle import Effect, Input
from engine.store import commands
from engine.store.commands import Change
from engine.views import ADVICE, CommandState

_UNSTARTED = WAITING | {CommandState.approved}
_ASIDE = "messages of the operator came in"
_OVER = "the session ended before it was decided"
_TOO_LATE = "the session ended before it ran"


async def _hold(book: Ledger) -> None:
    held = await book.move_command(frozenset({CommandState.proposed}), CommandState.held)
    book.note(CommandHeld(command_id=held.id), SYSTEM)


async def _open_gate(book: Ledger) -> None:
    if book.command is not None and book.command.state is CommandState.held:
        opened = await book.move_command(frozenset({CommandState.held}), CommandState.proposed)
        book.note(GateOpened(command_id=opened.id), SYSTEM)


async def _withdraw(book: Ledger) -> None:
    gone = await book.move_command(WAITING, CommandState.withdrawn, reason=_ASIDE)
    book.note(CommandWithdrawn(command_id=gone.id, reason="Set aside for a message of the operator."))


async def _drop(book: Ledger) -> None:
    for command in book.proof:
        if command.state in _UNSTARTED:
            reason = _TOO_LATE if command.state is CommandState.approved else _OVER
            await commands.move(book.tx, command.id, _UNSTARTED, CommandState.withdrawn, reason=reason)
            book.note(CommandWithdrawn(command_id=command.id, reason="The session is over."), SYSTEM)


async def _advise(book: Ledger) -> None:
    advised = await book.move_command(WAITING, CommandState.withdrawn, reason=ADVICE)
    ran = [command for command in book.proof if command.started and command.origin == "agent"]
    advice = CommandAdvised(
        command_id=advised.id,
        ran=ran[-1].text if ran else None,
        command=advised.text,
        rationale=advised.rationale,
        said=advised.said,
    )
    book.note(advice, AGENT)


async def _approve(book: Ledger) -> None:
    ask, command = book.asked, book.command
    changes = Change(decided_by=ask.by)
    edited_from = None
    if ask.given is Input.edit and command is not None:
        timeout = ask.timeout_seconds or command.timeout_seconds
        if (ask.text, timeout) != (command.text, command.timeout_seconds):
            edited_from = command.text
            digest = digest_of(ask.text, timeout, book.view.scope)
            changes |= Change(text=ask.text, timeout_seconds=timeout, digest=digest, edited_from=edited_from)
    approved = await book.move_command(WAITING, CommandState.approved, **changes)
    book.note(
        CommandApproved(
            command_id=approved.id, command=approved.text, digest=approved.digest, edited_from=edited_from
        )
    )


async def _approve_by_machine(book: Ledger) -> None:
    approved = await book.move_command(WAITING, CommandState.approved, decided_by=AUTO_RUN)
    event = CommandApproved(command_id=approved.id, command=approved.text, digest=approved.digest, auto=True)
    book.note(event, AUTO_RUN)


async def _reject(book: Ledger) -> None:
    reason = book.asked.text
    gone = await book.move_command(
        WAITING, CommandState.rejected, decided_by=book.asked.by, reason=reason or "no reason given"
    )
    book.note(CommandRejected(command_id=gone.id, reason=reason))


async def _kill(book: Ledger) -> None:
    if book.ask is not None and book.ask.given is Input.kill:
        for command_id in book.dying:
            book.note(KillRequested(command_id=command_id))


STEPS: Mapping[Effect, Step] = {
    Effect.hold: _hold,
    Effect.open_gate: _open_gate,
    Effect.withdraw: _withdraw,
    Effect.drop_proposal: _drop,
    Effect.post_advice: _advise,
    Effect.approve_by_person: _approve,
    Effect.approve_by_machine: _approve_by_machine,
    Effect.record_reject: _reject,
    Effect.kill_command: _kill,
}
