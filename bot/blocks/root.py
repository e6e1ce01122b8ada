"""The root card: what the session is, how it stands, and its permanent controls."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from bot.blocks import inert, rich
from bot.blocks.amounts import day
from bot.blocks.ids import Action, of_session
from bot.blocks.message import Json, Message
from bot.blocks.parts import actions, button, confirm, context, header, section
from bot.blocks.state import MARK, VERDICT_WORDS, elapsed, state_words
from engine.events import AGENT
from engine.feed import Progress
from engine.lifecycle import LIVE, State
from engine.scope import Scope
from engine.views import SessionView

ELAPSED_STEP = 30
"""Seconds; every other time that the card shows is an edit of it."""
LONG_CALL = 60
"""Seconds after which a model call can be run again with a button."""
GOAL_STEPS, GOAL_STEP = 12, 300
SCOPE_TARGETS = 20

BANNER = (
    "🔴 *AUTO-RUN IS ON.* Commands run without asking anyone, and the agent may conclude. "
    "Turn it off or press Stop to take the gate back."
)


def root_card(
    session: SessionView,
    *,
    now: datetime,
    links: Mapping[int, str] | None = None,
    progress: Progress | None = None,
) -> Message:
    """The card as the session stands now. `links` has the thread addresses of the sessions that it names."""
    links, progress = links or {}, progress or Progress()
    spent = elapsed(session, now, step=ELAPSED_STEP)
    words = state_words(session, delayed=progress.delayed)
    state = f"{MARK[session.state]} {words}" + (f" · {spent}" if spent else "")
    title = rich.section(
        rich.bold(f"F-{session.finding_id}  {inert.line(session.title, 300)}"),
        f"\n{inert.line(session.severity, 20)} severity\n",
        rich.bold(state),
    )
    blocks = [header(f"Retest R-{session.id}"), rich.block(title)]
    # First of all, above goal and scope: nobody may miss that commands run without asking.
    if session.situation.auto_run and session.state in LIVE:
        blocks.append(section(BANNER))
    if session.verdict:
        blocks.append(rich.block(_verdict(session)))
    blocks += [rich.block(*_goal(session.goal)), rich.block(*_scope(session))]
    blocks.append(context(_people(session)))
    if related := _related(session, links):
        blocks.append(context(related))
    blocks.append(actions(*controls(session, retry=takes_long(progress, now))))
    return Message(text=f"Retest R-{session.id} of F-{session.finding_id}", blocks=blocks)


def _verdict(session: SessionView) -> Json:
    verdict = session.verdict
    assert verdict is not None  # noqa: S101 - asked by the caller
    why = inert.clip(inert.plain(verdict.rationale).strip(), 600)
    words = VERDICT_WORDS[verdict.status]
    who = " by the agent" if verdict.by == AGENT else ""
    return rich.section(rich.bold(f"Verdict: {words}"), f"{who}. ", why)


def _goal(goal: tuple[str, ...]) -> list[Json]:
    if not goal:
        return [rich.section(rich.bold("Goal"), "  none given; the agent works from the finding")]
    steps = [rich.section(inert.line(step, GOAL_STEP)) for step in goal]
    return [rich.section(rich.bold("Goal")), rich.some(steps, GOAL_STEPS, ordered=True)]


def _scope(session: SessionView) -> list[Json]:
    lines = scope_lines(session.scope)
    addresses = {pin.host: ", ".join(pin.addresses) for pin in session.pinned.pins} if session.pinned else {}
    items = []
    for target, shown in zip(session.scope.targets, lines, strict=True):
        pinned = addresses.get(target.host, "")
        known = f"  {inert.line(pinned, 200)}" if pinned and pinned != target.host else ""
        items.append(rich.section(rich.code(shown), known))
    if not items:
        return [rich.section(rich.bold("Scope"), "  empty")]
    label = "  nothing else can be reached from the sandbox"
    return [rich.section(rich.bold("Scope"), label), rich.some(items, SCOPE_TARGETS)]


def scope_lines(scope: Scope) -> list[str]:
    """`shop.example.com ports 80, 443`, a line a target."""
    lines = []
    for target in scope.targets:
        host = inert.line(target.host, 200)
        host = f"[{host}]" if ":" in host else host
        if len(target.ports) == 1:
            lines.append(f"{host}:{target.ports[0]}")
        else:
            ports = ", ".join(map(str, target.ports)) or "none named"
            lines.append(f"{host} ports {inert.clip(ports, 100)}")
    return lines


def _people(session: SessionView) -> str:
    others = ", ".join(rich.mention(person) for person in session.others[:10])
    mode = "Auto-run" if session.situation.auto_run else "Guided: every command waits for a decision"
    return (
        f"Operator {rich.mention(session.operator)}"
        + (f" with {others}" if others else "")
        + f"  ·  {mode}  ·  opened {day(session.created)}"
    )


def _related(session: SessionView, links: Mapping[int, str]) -> str:
    pairs = (("Restarted from", session.restarted_from), ("Restarted as", session.restarted_as))
    return "  ·  ".join(
        f"{words} {session_link(other, links)}" for words, other in pairs if other is not None
    )


def session_link(session_id: int, links: Mapping[int, str]) -> str:
    """A session's name as mrkdwn, linked to its thread when the address is known."""
    address = links.get(session_id, "")
    return f"<{address}|R-{session_id}>" if address else f"R-{session_id}"


def takes_long(progress: Progress, now: datetime) -> bool:
    """Whether a model call has been in flight for so long that somebody may want to have it run again."""
    since = progress.thinking_since
    return since is not None and (now - since).total_seconds() >= LONG_CALL


def controls(session: SessionView, *, retry: bool = False) -> list[Json]:
    """The buttons for what is possible now; with `retry` also one that has the model call run again."""
    value = of_session(session.id)
    restart = button(
        Action.restart,
        "Restart",
        value,
        asks=confirm(
            f"Restart R-{session.id}?",
            "A fresh session with the same finding, goal and scope opens in a thread of its own."
            + (" This one ends." if session.state in LIVE else ""),
            "Restart",
        ),
    )
    if session.state is State.concluded:
        return [
            button(Action.conclude_again, "Conclude again", value),
            button(Action.reopen, "Reopen", value, asks=_REOPEN),
            restart,
        ]
    # Without a verdict there is nothing to reopen.
    if session.state is State.ended:
        return [restart]
    again = [button(Action.retry_turn, "Retry", value)] if retry else []
    return [
        *again,
        button(Action.stop, "Stop", value),
        _auto_run(session, value),
        button(Action.conclude, "Conclude", value, style="primary"),
        restart,
        button(Action.end, "End", value, style="danger", asks=_END),
    ]


def _auto_run(session: SessionView, value: str) -> Json:
    if session.situation.auto_run:
        return button(Action.auto_off, "Auto-run off", value, style="danger")
    asks = confirm(
        "Hand over the gate?",
        "Every command of the agent then runs in the sandbox without asking anyone, and the agent may "
        "conclude fixed or still open by itself. A waiting command is approved at once.",
        "Turn Auto-run on",
        danger=True,
    )
    return button(Action.auto_on, "Auto-run on", value, asks=asks)


_REOPEN = confirm(
    "Reopen?", "The verdict is withdrawn and kept on record. The sandbox will be a new one.", "Reopen"
)
_END = confirm(
    "End without a verdict?",
    "What runs is killed and the sandbox is removed. Nothing is concluded. The transcript is kept.",
    "End",
    danger=True,
)
