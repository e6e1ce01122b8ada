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
    CommandMarkedNotRun,
    CommandRejected,
    CommandRepeated,
    CommandWithdrawn,
    GateOpened,
    KillRequested,
)
from engine.ledger.book import WAITING, Ledger, Step
from engine.lifecycle import Effect, Input
from engine.store import commands
from engine.store.commands import Change
from engine.views import ADVICE, CommandState, CommandView

_UNSTARTED = WAITING | {CommandState.approved}
UNKNOWN = frozenset({CommandState.unknown})
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


async def _repeat(book: Ledger) -> None:
    """Its old row is never claimed again. An answer that the model still waits for comes from the new one."""
    old = _named(book)
    fresh = await commands.insert(
        book.tx,
        session_id=book.view.id,
        origin=old.origin,
        text=old.text,
        rationale=old.rationale,
        said=old.said,
        timeout_seconds=old.timeout_seconds,
        digest=old.digest,
        state=CommandState.approved,
        tool_call_id=None if old.told else old.tool_call_id,
        decided_by=book.asked.by,
        repeats=old.id,
        at=book.at,
    )
    await resolve_by_repeating(book, old, fresh)
    book.command = fresh
    book.note(CommandApproved(command_id=fresh.id, command=fresh.text, digest=fresh.digest))


async def resolve_by_repeating(book: Ledger, old: CommandView, fresh: CommandView) -> None:
    """A command of unknown outcome is over, since another one runs in its place."""
    by = book.asked.by
    await commands.move(
        book.tx, old.id, UNKNOWN, CommandState.repeated, resolved_by=by, told=True, reason=_again(fresh)
    )
    book.tell_agent(f"Nobody knows whether C-{old.id} ran; the operator had it run again as C-{fresh.id}.")
    book.note(CommandRepeated(command_id=old.id, repeated_as=fresh.id))


async def _record_not_run(book: Ledger) -> None:
    old = _named(book)
    by = book.asked.by
    await commands.move(
        book.tx, old.id, UNKNOWN, CommandState.not_run, resolved_by=by, reason="A person says so."
    )
    if old.told:
        book.tell_agent(f"The operator says that C-{old.id}, whose outcome was unknown, did not run.")
    book.note(CommandMarkedNotRun(command_id=old.id))


def _named(book: Ledger) -> CommandView:
    if book.command is None:
        raise RuntimeError("this step is about a command that the request names")
    return book.command


def _again(fresh: CommandView) -> str:
    return f"It was run again as C-{fresh.id}."


STEPS: Mapping[Effect, Step] = {
    Effect.hold: _hold,
    Effect.open_gate: _open_gate,
    Effect.withdraw: _withdraw,
    Effect.drop_proposal: _drop,
    Effect.post_advice: _advise,
    Effect.approve_by_person: _approve,
    Effect.approve_by_machine: _approve_by_machine,
    Effect.record_reject: _reject,
    Effect.repeat: _repeat,
    Effect.record_not_run: _record_not_run,
    Effect.kill_command: _kill,
}
