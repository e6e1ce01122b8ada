"""Messages of people: queued or noted, carried by a turn, delivered or queued again."""

from __future__ import annotations

from collections.abc import Mapping

from engine.events import MessageChanged, MessageReceived, MessageWithdrawn, TurnRetried
from engine.ledger.book import Ledger, Step
from engine.lifecycle import Effect, Input, State
from engine.store import messages

_BECAME: Mapping[State, str] = {
    State.idle: "woke",
    State.stopped: "resumed",
    State.awaiting_operator: "continued",
}


async def _queue(book: Ledger) -> None:
    await _receive(book, "queued", _BECAME.get(book.view.state, "queued"))


async def _note(book: Ledger) -> None:
    await _receive(book, "noted", "noted")


async def _receive(book: Ledger, state: messages.MessageState, disposition: str) -> None:
    ask = book.asked
    book.message_id = await messages.add(
        book.tx, session_id=book.view.id, by=ask.by, text=ask.text, state=state, at=book.at
    )
    data = {"message_id": book.message_id, "text": ask.text, "disposition": disposition}
    book.note(MessageReceived.model_validate(data))


async def _change(book: Ledger) -> None:
    ask = book.asked
    if ask.message_id is not None:
        await messages.change(book.tx, ask.message_id, ask.text)
        book.note(MessageChanged(message_id=ask.message_id, text=ask.text))


async def _withdraw(book: Ledger) -> None:
    ask = book.asked
    if ask.message_id is not None:
        await messages.withdraw(book.tx, ask.message_id)
        book.note(MessageWithdrawn(message_id=ask.message_id))


async def _take_back(book: Ledger) -> None:
    await messages.take_back(book.tx, book.view.id)


async def _cancel_turn(book: Ledger) -> None:
    await _take_back(book)
    if book.asked.given is Input.retry_turn:
        book.note(TurnRetried())


STEPS: Mapping[Effect, Step] = {
    Effect.queue_message: _queue,
    Effect.note_message: _note,
    Effect.change_message: _change,
    Effect.withdraw_message: _withdraw,
    Effect.take_back: _take_back,
    Effect.cancel_turn: _cancel_turn,
}
