"""What one input writes: the effects of a row of the lifecycle, all in one transaction."""

from __future__ import annotations

from collections.abc import Mapping

from engine.ledger import commands, control, determinations, messages, turns
from engine.ledger.book import Ledger, Step
from engine.lifecycle import Activity, Effect, Move
from engine.store import messages as queue
from engine.views import SessionView

__all__ = ["Ledger", "write"]

STEPS: Mapping[Effect, Step] = {
    **messages.STEPS,
    **commands.STEPS,
    **turns.STEPS,
    **determinations.STEPS,
    **control.STEPS,
}


async def write(book: Ledger, move: Move) -> SessionView:
    """Take the steps of a move in order, then store the situation and the events.

    Raises:
        RevisionConflict: The session changed since it was read; nothing is written.
    """
    book.effects = move.effects
    for effect in move.effects:
        step = STEPS.get(effect)
        if step is not None:
            await step(book)
    if Effect.run_turn in move.effects and move.after.activity is Activity.turn:
        await queue.carry(book.tx, book.view.id)
    return await book.settle(move.after)
