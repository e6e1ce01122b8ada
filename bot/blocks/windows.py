"""Windows without inputs: one to wait in, one that says something, and the controls of a session."""

from __future__ import annotations

from bot.blocks import inert, rich, told
from bot.blocks.ids import Callback, of_session
from bot.blocks.message import Json
from bot.blocks.parts import actions, modal
from bot.blocks.root import controls
from bot.blocks.state import MARK, state_words
from engine.views import SessionView


def waiting_form(title: str, words: str) -> Json:
    """Opened at once, since Slack waits three seconds for a window; filled in later."""
    return modal(Callback.notice, title, [rich.block(rich.section(words))], metadata="wait")


def notice_form(title: str, words: str) -> Json:
    """A sentence in a window."""
    return modal(Callback.notice, title, [rich.block(told.section(words))], metadata="told")


def actions_form(session: SessionView) -> Json:
    """What can be done with the session now; the same buttons as on its card."""
    title = rich.section(rich.bold(f"F-{session.finding_id}  {inert.line(session.title, 300)}"))
    state = rich.section(f"{MARK[session.state]} {state_words(session)}")
    blocks = [rich.block(title, state), actions(*controls(session))]
    return modal(Callback.notice, f"Retest R-{session.id}", blocks, metadata=of_session(session.id))
