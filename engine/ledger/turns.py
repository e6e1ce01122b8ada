"""What a turn of the agent leaves behind."""

from __future__ import annotations

from collections.abc import Mapping

from engine.agent.port import Determined, Proposed, Said
from engine.events import (
    AGENT,
    SYSTEM,
    AgentSaid,
    DeterminationRecommended,
    DeterminationSetAside,
    MessagesDelivered,
)
from engine.ledger.book import Ledger, Step
from engine.lifecycle import Effect
from engine.store import commands, history, messages

_ASK_AFTER_REJECTS = (
    "Three proposals in a row were rejected. "
    "Tell me what you would rather look at, and I will go on from there."
)
_SET_ASIDE = "Your determination was set aside, because messages of the operator came in; read them first."


async def _deliver(book: Ledger) -> None:
    """Store the turn with all that it took along, so that a repeat of it loses and doubles nothing."""
    turn, reply = book.finished, book.finished.reply
    delivered = await messages.deliver(book.tx, book.view.id)
    if delivered:
        book.note(MessagesDelivered(message_ids=delivered), SYSTEM)
    await history.extend(book.tx, book.view.id, reply.history)
    await history.add_turn(book.tx, session_id=book.view.id, model=reply.model, usage=reply.usage, at=book.at)
    await commands.mark_told(book.tx, turn.told)
    book.notices = book.notices[turn.notices :]
    book.changes["notices"] = book.notices
    for text in reply.respond:
        book.note(AgentSaid(text=text, form="note"), AGENT)
    output = reply.output
    if isinstance(output, Proposed):
        await book.propose(output)


async def _post_prose(book: Ledger) -> None:
    output = book.finished.reply.output
    text = output.text if isinstance(output, Said) else _determined(book).rationale
    book.note(AgentSaid(text=text, form="hand_back"), AGENT)


async def _recommend(book: Ledger) -> None:
    output, missing = _determined(book), book.finished.missing
    data = {
        "status": output.status,
        "rationale": output.rationale,
        "evidence": output.evidence,
        "control": output.control,
        "missing": missing,
    }
    book.note(DeterminationRecommended.model_validate(data), AGENT)
    if missing and book.view.situation.auto_run:
        book.tell_agent("Your determination was not recorded as a verdict. It lacks: " + " ".join(missing))


async def _set_aside(book: Ledger) -> None:
    output = _determined(book)
    data = {"status": output.status, "rationale": output.rationale}
    book.note(DeterminationSetAside.model_validate(data), AGENT)
    book.tell_agent(_SET_ASIDE)


async def _ask_after_rejects(book: Ledger) -> None:
    book.note(AgentSaid(text=_ASK_AFTER_REJECTS, form="hand_back"), SYSTEM)


def _determined(book: Ledger) -> Determined:
    output = book.finished.reply.output
    if not isinstance(output, Determined):
        raise TypeError("this step belongs to a determination")
    return output


STEPS: Mapping[Effect, Step] = {
    Effect.deliver: _deliver,
    Effect.post_prose: _post_prose,
    Effect.post_recommendation: _recommend,
    Effect.post_missing: _recommend,
    Effect.set_aside_determination: _set_aside,
    Effect.ask_after_rejects: _ask_after_rejects,
}
