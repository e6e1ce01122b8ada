"""Where a session is, in the words of the root card, the lists and the live status."""

from __future__ import annotations

from datetime import datetime

from bot.blocks.amounts import duration
from engine.lifecycle import Activity, State
from engine.views import SessionView, Status

MARK = {
    State.idle: "⚪",
    State.working: "🔵",
    State.awaiting_command: "🟡",
    State.awaiting_operator: "🟢",
    State.stopped: "⏸️",
    State.concluded: "🏁",
    State.ended: "⏹️",
}
VERDICT_MARK: dict[Status, str] = {"fixed": "✅", "still_open": "🔴", "inconclusive": "❔"}
VERDICT_WORDS: dict[Status, str] = {
    "fixed": "fixed",
    "still_open": "still open",
    "inconclusive": "inconclusive",
}


def state_words(session: SessionView, *, delayed: str = "") -> str:
    """`waiting for a decision on C-7`; no time in it. `delayed` says what is in the way."""
    state = session.state
    if state is State.working:
        # Stop takes hold when the step in flight is over, and people should see that it was heard.
        after = ", then stops" if session.situation.stop_requested else ""
        return doing(session) + (f": {delayed}" if delayed else "") + after
    if state is State.awaiting_command:
        return (
            f"waiting for a decision on C-{session.waiting.id}"
            if session.waiting
            else "waiting for a decision"
        )
    if state is State.concluded:
        return f"concluded: {VERDICT_WORDS[session.verdict.status]}" if session.verdict else "concluded"
    return {
        State.idle: "not started; a reply in the thread starts it",
        State.awaiting_operator: "your turn; a reply in the thread goes on",
        State.stopped: "stopped; a reply in the thread goes on",
    }.get(state, "ended without a verdict")


def doing(session: SessionView) -> str:
    """What is in flight: `building the sandbox`, `the agent is thinking`, `running C-7`."""
    activity = session.situation.activity
    if activity is Activity.provisioning:
        return "building the sandbox"
    if activity is Activity.command:
        running = next((command for command in session.running if command.origin == "agent"), None)
        return f"running C-{running.id}" if running else "running a command"
    return "the agent is thinking"


def elapsed(session: SessionView, now: datetime, *, step: int = 1) -> str:
    """How long the session has been working, in whole `step`s of seconds; nothing when it is not."""
    if session.state is not State.working or session.working_since is None:
        return ""
    # Rounded down, so that the same card is drawn for a whole step and not edited.
    steps = int((now - session.working_since).total_seconds()) // step
    return duration(steps * step) if steps > 0 else ""


def status_line(session: SessionView, now: datetime, *, delayed: str = "") -> str:
    """What Slack shows under the thread while the session works: `is running C-7 · 12 s`."""
    if delayed:
        spent = elapsed(session, now)
        return f"is waiting: {delayed}" + (f" · {spent}" if spent else "")
    activity = session.situation.activity
    words = "is thinking" if activity is Activity.turn else f"is {doing(session)}"
    if activity is Activity.nothing:
        words = "is working"
    spent = elapsed(session, now)
    return f"{words} · {spent}" if spent else words
