"""What has to hold before a person's request is decided, and the row of an operator's own command."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from engine.agent.command_shape import DEFAULT_TIMEOUT, LONGEST_TIMEOUT, shape_problem
from engine.answers import decided, not_running
from engine.approval import digest_of
from engine.events import OperatorCommand
from engine.ledger import Ledger
from engine.ledger.commands import resolve_by_repeating
from engine.lifecycle import Input
from engine.refusals import REACHED
from engine.store import commands
from engine.views import IN_FLIGHT, RAN, Ask, CommandState

_KILLABLE = IN_FLIGHT | {CommandState.approved}
_ABOUT_UNKNOWN = frozenset({Input.run_again, Input.mark_not_run})
ABOUT_A_MESSAGE = frozenset({Input.edit_message, Input.withdraw_message})
_CONCLUSIONS = frozenset({Input.conclude, Input.conclude_again})


def undecidable(book: Ledger) -> str | None:
    """Why nothing can be asked about the command that the request names; None when it can."""
    command = book.command
    if book.asked.given in _ABOUT_UNKNOWN and (book.asked.command_id is None or command is None):
        return "Say which command."
    if command is None or book.asked.command_id is None:
        return None
    if command.session_id != book.view.id:
        return f"C-{command.id} belongs to another session."
    if book.asked.given is Input.kill:
        return None if command.state in _KILLABLE else not_running(command)
    if book.asked.given in _ABOUT_UNKNOWN:
        return None if command.state is CommandState.unknown else decided(command)
    return None if command.state is CommandState.proposed else decided(command)


def meant(book: Ledger) -> Ask:
    """What the request comes to: an operator's own command is run again as if they had typed it again."""
    ask, command = book.asked, book.command
    if ask.given is not Input.run_again or command is None or command.origin != "operator":
        return ask
    return replace(
        ask, given=Input.operator_command, text=command.text, timeout_seconds=command.timeout_seconds
    )


def problem_with(book: Ledger) -> str | None:
    """What is wrong with a request that the session's state allows, as a sentence; None when nothing is."""
    for inputs, check in _CHECKS:
        problem = check(book) if book.asked.given in inputs else None
        if problem:
            return problem
    return None


def _unfit(book: Ledger) -> str | None:
    shape, timeout = shape_problem(book.asked.text), book.asked.timeout_seconds
    if shape:
        return f"This command cannot run: {shape}."
    if timeout is not None and not 1 <= timeout <= LONGEST_TIMEOUT:
        return f"The time limit has to be between 1 and {LONGEST_TIMEOUT} seconds."
    return None


def _empty(book: Ledger) -> str | None:
    return None if book.asked.text.strip() else "The message is empty."


def _reached(book: Ledger) -> str | None:
    return None if book.asked.message_id in book.queued else REACHED


def _unproven(book: Ledger) -> str | None:
    if book.asked.status is None:
        return "Say which verdict: fixed, still_open or inconclusive."
    ran = {command.id for command in book.proof if command.state in RAN}
    wrong = [f"C-{number}" for number in book.asked.exhibits if number not in ran]
    return f"{', '.join(wrong)} did not run in this session, so it proves nothing here." if wrong else None


def _outdated(book: Ledger) -> str | None:
    command = book.command
    if command is None or command.digest == digest_of(command.text, command.timeout_seconds, book.view.scope):
        return None
    return "What was approved is not what would run, so nothing runs."


def _no_change(book: Ledger) -> str | None:
    ask, view = book.asked, book.view
    if not ask.person:
        return "Name the person."
    if ask.person == view.operator:
        return "They operate this session already."
    if ask.given is Input.add_operator and ask.person in view.others:
        return "They may operate this session already."
    return None


_CHECKS: tuple[tuple[frozenset[Input], Callable[[Ledger], str | None]], ...] = (
    (frozenset({Input.edit, Input.operator_command}), _unfit),
    (frozenset({Input.message, Input.edit_message}), _empty),
    (ABOUT_A_MESSAGE, _reached),
    (frozenset({Input.run_again}), _outdated),
    (_CONCLUSIONS, _unproven),
    (frozenset({Input.hand_over, Input.add_operator}), _no_change),
)


async def start_operator_command(book: Ledger) -> int:
    """Give the operator's own command its row; asking for it is its approval."""
    ask = book.asked
    timeout = ask.timeout_seconds or DEFAULT_TIMEOUT
    digest = digest_of(ask.text, timeout, book.view.scope)
    command = await commands.insert(
        book.tx,
        session_id=book.view.id,
        origin="operator",
        text=ask.text,
        timeout_seconds=timeout,
        digest=digest,
        state=CommandState.approved,
        decided_by=ask.by,
        repeats=ask.command_id,
        at=book.at,
    )
    if book.command is not None and book.command.id == ask.command_id:
        await resolve_by_repeating(book, book.command, command)
    book.note(OperatorCommand(command_id=command.id, command=ask.text, digest=digest))
    return command.id
