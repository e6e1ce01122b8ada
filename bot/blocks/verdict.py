"""A verdict, as the thread has it with its proof and as the channel has it in a line."""

from __future__ import annotations

from collections.abc import Mapping

from bot.blocks import inert, prose, rich
from bot.blocks.amounts import day
from bot.blocks.message import Json, Message
from bot.blocks.parts import context
from bot.blocks.state import VERDICT_MARK, VERDICT_WORDS
from engine.events import Recorded, VerdictRecorded
from engine.views import CommandView, SessionView

_PROOF = 12
_ROLES = {"replay": "original proof replayed", "control": "target alive", "evidence": "evidence"}


def thread_verdict(
    recorded: Recorded, event: VerdictRecorded, commands: Mapping[int, CommandView]
) -> Message:
    """Status, who, why, and the commands that prove it."""
    words = VERDICT_WORDS[event.status]
    lead = rich.section(
        rich.bold(f"{VERDICT_MARK[event.status]} Verdict: {words}"), "  by ", rich.person(recorded.actor)
    )
    blocks = [rich.block(lead), *prose.beginning(event.rationale)]
    if proof := _proof(event, commands):
        blocks.append(rich.block(rich.section(rich.bold("Proof")), rich.listing(proof)))
    blocks.append(context(_small_print(recorded, event)))
    return Message(text=f"Verdict: {words}", blocks=blocks)


def channel_verdict(recorded: Recorded, event: VerdictRecorded, session: SessionView, link: str) -> Message:
    """One line for everybody in the channel."""
    words = VERDICT_WORDS[event.status]
    again = " (replaces the earlier verdict)" if event.supersedes is not None else ""
    title = rich.section(
        rich.bold(f"{VERDICT_MARK[event.status]} F-{session.finding_id} is {words}{again}: "),
        inert.line(session.title, 300),
    )
    small = f"Retest {_named(session.id, link)}  ·  by {rich.mention(recorded.actor)}  ·  {day(recorded.at)}"
    return Message(text=f"F-{session.finding_id} is {words}", blocks=[rich.block(title), context(small)])


def channel_withdrawn(recorded: Recorded, status: str, session: SessionView, link: str) -> Message:
    """The same line after Reopen: nobody should read the old verdict as standing."""
    title = rich.section(
        rich.bold(f"↩️ F-{session.finding_id} is being retested again: "), inert.line(session.title, 300)
    )
    small = (
        f"The verdict *{status.replace('_', ' ')}* of {_named(session.id, link)} was withdrawn by "
        f"{rich.mention(recorded.actor)}  ·  {day(recorded.at)}"
    )
    return Message(
        text=f"The verdict on F-{session.finding_id} was withdrawn",
        blocks=[rich.block(title), context(small)],
    )


def channel_replaced(recorded: Recorded, event: VerdictRecorded, session: SessionView, link: str) -> Message:
    """The earlier verdict's line once its session was concluded again."""
    title = rich.section(
        rich.bold(f"↩️ F-{session.finding_id} was concluded again: "), inert.line(session.title, 300)
    )
    small = (
        f"{_named(session.id, link)} is *{VERDICT_WORDS[event.status]}* now  ·  "
        f"by {rich.mention(recorded.actor)}  ·  {day(recorded.at)}"
    )
    return Message(
        text=f"The verdict on F-{session.finding_id} was replaced",
        blocks=[rich.block(title), context(small)],
    )


def _named(session_id: int, link: str) -> str:
    return f"<{link}|R-{session_id}>" if link else f"R-{session_id}"


def _small_print(recorded: Recorded, event: VerdictRecorded) -> str:
    reason = {
        "agent_conclusion": "concluded under Auto-run",
        "operator_conclusion": "concluded by the operator",
        "operator_adjudication": "concluded again; the earlier verdict stays on record",
    }.get(event.reason, "concluded")
    return f"{reason}  ·  {day(recorded.at)}  ·  the sandbox is removed, the transcript is kept"


def _proof(event: VerdictRecorded, commands: Mapping[int, CommandView]) -> list[Json]:
    """A line an exhibit; the digests are in the transcript, their beginning is enough to compare."""
    lines = []
    for exhibit in event.exhibits[:_PROOF]:
        # A part that is absent must not keep the whole verdict from being shown.
        number, role, digest, *_ = (*exhibit.split(":"), "", "", "")
        command = commands.get(int(number)) if number.isdigit() else None
        shown = inert.line(inert.visible(command.text), 120) if command else ""
        code = f", exit {command.exit_code}" if command and command.exit_code is not None else ""
        lines.append(
            rich.section(
                rich.bold(f"C-{number}"),
                f" {_ROLES.get(role, role)}{code}  ",
                *([rich.code(shown)] if shown else []),
                f"  sha256 {digest[:12]}",
            )
        )
    if len(event.exhibits) > _PROOF:
        lines.append(rich.section(f"and {len(event.exhibits) - _PROOF} more in the transcript"))
    return lines
