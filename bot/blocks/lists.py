"""Answers to `/revalid help | findings | sessions | import`, and "which session?"."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bot.blocks import inert, rich
from bot.blocks.amounts import count
from bot.blocks.ids import Action, Ref, encode, of_session
from bot.blocks.message import Json, Message
from bot.blocks.parts import actions, button, context, header, section
from bot.blocks.root import session_link
from bot.blocks.state import MARK, VERDICT_MARK, VERDICT_WORDS, state_words
from engine.findings.report import ImportReport
from engine.lifecycle import Input
from engine.views import FindingView, Imported, SessionView

# A block each, and Slack takes fifty in a message.
_MOST = 20
# Two blocks each.
_MOST_PICKED = 10
_MOST_REASONS, _MOST_NOTES = 10, 5


def help_message(usage: Mapping[str, str]) -> Message:
    """Every command with what it does, and how a thread is used. `usage` is `bot.words.USAGE`."""
    lines = [f"`{words}`  {meaning}" for words, meaning in usage.items()]
    thread = (
        "*In a thread* a reply goes to the agent, and `!curl -i app.example.com` runs that very command in "
        "the sandbox. Slack takes no slash commands in threads, so the words above work there as "
        "`@revalid conclude still_open`, and as buttons on the first card."
    )
    return Message(
        text="How Revalid is used",
        blocks=[
            header("Revalid"),
            section("*In the channel*, after `/revalid`:\n" + "\n".join(lines)),
            section(thread),
        ],
    )


def findings_list(findings: Sequence[FindingView], *, text: str = "") -> Message:
    """At most twenty findings, each with a button that opens a retest."""
    if not findings:
        words = (
            "No finding has that in it."
            if text
            else "There are no findings yet. `/revalid import` takes a file."
        )
        return Message(text="No findings", blocks=[section(words)])
    blocks = [
        section(_finding(view), button(Action.retest, "Retest", encode(Ref(finding_id=view.id))))
        for view in findings[:_MOST]
    ]
    if len(findings) > _MOST:
        blocks.append(context(f"The newest {_MOST} are shown. `/revalid findings text` narrows the list."))
    return Message(text=count(min(len(findings), _MOST), "finding"), blocks=blocks)


def _finding(view: FindingView) -> str:
    finding = view.finding
    place = next((e.address for e in finding.endpoints if e.address), "no address")
    verdict = ""
    if view.verdict:
        mark, words = VERDICT_MARK[view.verdict.status], VERDICT_WORDS[view.verdict.status]
        verdict = f"  ·  {mark} {words} in R-{view.verdict.session_id}"
    return (
        f"*F-{view.id}*  {inert.escape(inert.line(finding.title, 300))}\n"
        f"{finding.severity}  ·  {inert.escape(inert.line(place, 200))}{verdict}"
    )


def sessions_list(sessions: Sequence[SessionView], links: Mapping[int, str]) -> Message:
    """At most twenty live sessions, each linked to its thread."""
    if not sessions:
        return Message(
            text="No live sessions",
            blocks=[section("No retest is going on. `/revalid retest F-12` opens one.")],
        )
    blocks = [section(_session(session, links)) for session in sessions[:_MOST]]
    if len(sessions) > _MOST:
        blocks.append(context(f"The first {_MOST} of {len(sessions)} are shown."))
    return Message(text=count(len(sessions), "live session"), blocks=blocks)


def _session(session: SessionView, links: Mapping[int, str]) -> str:
    auto = "  ·  *Auto-run is on*" if session.situation.auto_run else ""
    return (
        f"{MARK[session.state]} *{session_link(session.id, links)}*  F-{session.finding_id} "
        f"{inert.escape(inert.line(session.title, 200))}\n"
        f"{state_words(session)}  ·  {rich.mention(session.operator)}{auto}"
    )


def session_picker(
    sessions: Sequence[SessionView], given: Input, links: Mapping[int, str], *, words: str
) -> Message:
    """Several sessions could be meant: one button each, which carries the words as they were typed."""
    blocks: list[Json] = [section(f"*{given.value.capitalize()}* which session?")]
    for session in sessions[:_MOST_PICKED]:
        blocks.append(section(_session(session, links)))
        # The words travel in the button, as nothing else remembers them until the click.
        value = f"{of_session(session.id)} {words}"
        blocks.append(actions(button(f"{Action.pick}.{session.id}", f"R-{session.id}", value)))
    if len(sessions) > _MOST_PICKED:
        blocks.append(context(f"The first {_MOST_PICKED} are shown. Name one, such as `R-{sessions[0].id}`."))
    return Message(text="Which session?", blocks=blocks)


def import_answer(report: ImportReport, imported: Imported) -> Message:
    """What a file brought: found, imported, already known, rejected with reasons."""
    blocks = [
        rich.block(rich.section(rich.bold(inert.line(report.name, 200) or "Findings"), f"  {report.format}")),
        section(
            f"Found {report.found}: *{len(imported.new)} imported*, "
            f"{len(report.known) + len(imported.known)} already known, {len(report.rejected)} rejected."
        ),
    ]
    if report.rejected:
        reasons = [
            rich.section(rich.bold(f"Item {each.item}: "), inert.line(each.reason, 200))
            for each in report.rejected
        ]
        blocks.append(rich.block(rich.section(rich.bold("Rejected")), rich.some(reasons, _MOST_REASONS)))
    if report.notes:
        notes = [rich.section(inert.line(note, 200)) for note in report.notes]
        blocks.append(rich.block(rich.section(rich.bold("Notes")), rich.some(notes, _MOST_NOTES)))
    blocks += [
        section(_finding(view), button(Action.retest, "Retest", encode(Ref(finding_id=view.id))))
        for view in imported.new[:_MOST]
    ]
    if len(imported.new) > _MOST:
        blocks.append(context(f"The first {_MOST} are shown; `/revalid findings` lists all."))
    return Message(text=f"{count(len(imported.new), 'finding')} imported", blocks=blocks)
