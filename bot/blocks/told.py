"""What one person is told: a sentence of ours, which may quote what somebody wrote."""

from __future__ import annotations

from bot.blocks import inert, rich
from bot.blocks.ids import Action, of_session
from bot.blocks.message import Json, Message
from bot.blocks.parts import actions, button
from engine.lifecycle import State
from engine.views import SessionView

_LONGEST = 2500


def sentence(words: str) -> Message:
    """A sentence; what stands in backticks is shown as code, nothing else in it means anything."""
    return Message(text="Revalid answers you", blocks=[rich.block(section(words))])


def section(words: str) -> Json:
    """The sentence as a paragraph."""
    # Every other piece stood between backticks.
    pieces = inert.clip(inert.plain(words).strip(), _LONGEST).split("`")
    shown = [rich.code(piece) if number % 2 else rich.text(piece) for number, piece in enumerate(pieces)]
    return rich.section(*(part for part, piece in zip(shown, pieces, strict=True) if piece))


def session_over(words: str, session: SessionView) -> Message:
    """The session is concluded or ended, and how to go on."""
    value = of_session(session.id)
    ways = [button(Action.restart, "Restart", value)]
    # Only a verdict can be withdrawn; what ended without one starts afresh.
    if session.state is State.concluded:
        ways.insert(0, button(Action.reopen, "Reopen", value))
    return Message(text="The session is over", blocks=[rich.block(section(words)), actions(*ways)])
