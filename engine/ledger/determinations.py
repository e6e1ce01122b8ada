"""Verdicts given and withdrawn."""

from __future__ import annotations

from collections.abc import Mapping

from engine.agent.port import FRESH_SANDBOX, Determined
from engine.events import AGENT, VerdictRecorded, VerdictWithdrawn
from engine.ledger.book import Ledger, Step
from engine.lifecycle import Effect, Input
from engine.store import verdicts
from engine.verdicts import exhibits
from engine.views import RAN, Exhibit, Status


async def _by_operator(book: Ledger) -> None:
    ask = book.asked
    if ask.status is None:
        raise RuntimeError("a verdict without a status is refused before it gets here")
    named = ask.exhibits or tuple(command.id for command in book.proof if command.state in RAN)
    again = ask.given is Input.conclude_again
    reason = "operator_adjudication" if again else "operator_conclusion"
    control = tuple(one.id for one in book.proof if one.id in named and one.text in book.control)
    evidence = tuple(number for number in named if number not in control)
    shown = exhibits(book.proof, evidence, control, book.replay)
    await _record(book, ask.status, reason=reason, rationale=ask.text, by=ask.by, shown=shown)


async def _by_agent(book: Ledger) -> None:
    output = book.finished.reply.output
    if not isinstance(output, Determined):
        raise TypeError("this step belongs to a determination")
    shown = exhibits(book.proof, output.evidence, output.control, book.replay)
    reason, why = "agent_conclusion", output.rationale
    await _record(book, output.status, reason=reason, rationale=why, by=AGENT, shown=shown)


async def _record(
    book: Ledger, status: Status, *, reason: str, rationale: str, by: str, shown: tuple[Exhibit, ...]
) -> None:
    standing = await verdicts.current(book.tx, book.view.finding_id)
    verdict = await verdicts.append(
        book.tx,
        finding_id=book.view.finding_id,
        session_id=book.view.id,
        status=status,
        reason=reason,
        rationale=rationale,
        by=by,
        supersedes=standing.id if standing else None,
        exhibits=shown,
        at=book.at,
    )
    book.changes["verdict_id"] = verdict.id
    event = VerdictRecorded(
        verdict_id=verdict.id,
        status=status,
        reason=reason,
        rationale=rationale,
        supersedes=verdict.supersedes,
        exhibits=tuple(
            f"{one.command_id}:{one.role}:{one.stdout_sha256}:{one.stderr_sha256}" for one in shown
        ),
    )
    book.note(event, by)


async def _withdraw(book: Ledger) -> None:
    verdict = book.view.verdict
    if verdict is not None:
        await verdicts.withdraw(book.tx, verdict.id, by=book.actor, at=book.at)
        book.note(VerdictWithdrawn(verdict_id=verdict.id, status=verdict.status))
    book.changes["verdict_id"] = None
    book.tell_agent(FRESH_SANDBOX)


STEPS: Mapping[Effect, Step] = {
    Effect.write_verdict: _by_operator,
    Effect.supersede_verdict: _by_operator,
    Effect.write_agent_verdict: _by_agent,
    Effect.withdraw_verdict: _withdraw,
}
