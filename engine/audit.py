"""Whether a session's rows follow from its transcript. Pure: each check gives problems as sentences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from engine.events import (
    CHAIN_START,
    AutoRunChanged,
    CommandApproved,
    CommandEnded,
    OperatorCommand,
    StateChanged,
    VerdictRecorded,
    VerdictWithdrawn,
    link,
    parse,
)
from engine.lifecycle import State
from engine.store.events import RawEvent
from engine.store.seals import Seal
from engine.views import RAN, CommandView, Exhibit, VerdictView


@dataclass(frozen=True, kw_only=True)
class Case:
    """Everything stored about one session, read at one moment."""

    seal: Seal
    events: Sequence[RawEvent]
    commands: Sequence[CommandView]
    verdicts: Sequence[VerdictView]


@dataclass(frozen=True, kw_only=True)
class Told:
    """What the transcript says of commands and verdicts."""

    texts: Mapping[int, str]
    """Command id to the text that was approved."""
    ended: Mapping[int, CommandEnded]
    verdicts: Mapping[int, tuple[RawEvent, VerdictRecorded, bool]]
    """Verdict id to its event, and whether Auto-run was on."""
    withdrawn: Mapping[int, str]
    """Verdict id to who withdrew it."""
    state: str


def told(events: Sequence[RawEvent]) -> Told:
    """Read a transcript once."""
    texts: dict[int, str] = {}
    ended: dict[int, CommandEnded] = {}
    verdicts: dict[int, tuple[RawEvent, VerdictRecorded, bool]] = {}
    withdrawn: dict[int, str] = {}
    state, auto = State.idle.value, False
    for raw in events:
        match parse(raw.kind, raw.data):
            case CommandApproved() | OperatorCommand() as event:
                texts[event.command_id] = event.command
            case CommandEnded() as event:
                ended[event.command_id] = event
            case VerdictRecorded() as event:
                verdicts[event.verdict_id] = (raw, event, auto)
            case VerdictWithdrawn() as event:
                withdrawn[event.verdict_id] = raw.actor
            case StateChanged() as event:
                state = event.after
            case AutoRunChanged() as event:
                auto = event.on
    return Told(texts=texts, ended=ended, verdicts=verdicts, withdrawn=withdrawn, state=state)


def problems(case: Case) -> Iterator[str]:
    """Everything that does not fit, the chain first."""
    transcript = told(case.events)
    yield from chain_problems(case.seal, case.events)
    yield from _command_problems(case.commands, transcript)
    yield from _verdict_problems(case.verdicts, transcript)
    yield from _withdrawal_problems(case.verdicts, transcript)
    yield from _standing_problems(case, transcript)


def chain_problems(seal: Seal, events: Sequence[RawEvent]) -> Iterator[str]:
    """Gaps, changed events, and an end that is not the one that was written."""
    number, head = 0, CHAIN_START
    for event in events:
        if event.number != number + 1:
            yield _gap(number + 1, event.number - 1)
        elif event.previous != head:
            yield f"Event {event.number} does not follow from the event before it."
        if _hash(seal.session_id, event) != event.hash or parse(event.kind, event.data).kind not in {
            event.kind,
            "later",
        }:
            yield f"Event {event.number} was changed after it was written."
        number, head = event.number, event.hash
    if number < seal.event_count:
        yield f"{_gap(number + 1, seal.event_count)} The transcript was cut off at its end."
    elif number > seal.event_count:
        yield f"Event {seal.event_count + 1} and those after it were not written by Revalid."
    elif head != seal.chain_head:
        yield "The transcript does not end with the event that was written last."


def _hash(session_id: int, event: RawEvent) -> str:
    return link(
        previous=event.previous,
        session_id=session_id,
        number=event.number,
        at=event.at,
        actor=event.actor,
        data=event.data,
    )


def _gap(first: int, last: int) -> str:
    return f"Event {first} is missing." if first == last else f"Events {first} to {last} are missing."


def _command_problems(commands: Sequence[CommandView], transcript: Told) -> Iterator[str]:
    for command in commands:
        event = transcript.ended.get(command.id)
        if command.id in transcript.texts and transcript.texts[command.id] != command.text:
            yield f"C-{command.id} is not the one that was approved."
        if (event is None) is (command.state in RAN):
            yield f"C-{command.id} is {command.state}, which the transcript does not bear out."
        elif event is not None and _result(event) != _result(command):
            yield f"The result of C-{command.id} is not the one in the transcript."
    known = {command.id for command in commands}
    yield from (f"C-{gone} is gone." for gone in sorted(transcript.ended.keys() - known))


def _result(of: CommandEnded | CommandView) -> tuple[object, ...]:
    return of.outcome, of.exit_code, of.stdout_sha256, of.stderr_sha256, tuple(of.denied), of.out_of_memory


def _verdict_problems(verdicts: Sequence[VerdictView], transcript: Told) -> Iterator[str]:
    for verdict in verdicts:
        found = transcript.verdicts.get(verdict.id)
        if found is None:
            yield f"Verdict {verdict.id} is not in the transcript."
            continue
        raw, event, auto = found
        if (raw.actor, raw.at) != (verdict.by, verdict.at) or _words(event) != _words(verdict):
            yield f"Verdict {verdict.id} was changed after it was given."
        if event.exhibits != tuple(exhibit_line(exhibit) for exhibit in verdict.exhibits):
            yield f"The exhibits of verdict {verdict.id} are not those in the transcript."
        if verdict.reason == "agent_conclusion" and not auto:
            yield f"Verdict {verdict.id} was given by the agent while Auto-run was off."
        for exhibit in verdict.exhibits:
            yield from _exhibit_problems(verdict.id, exhibit, transcript)
    known = {verdict.id for verdict in verdicts}
    yield from (f"Verdict {gone} is gone." for gone in sorted(transcript.verdicts.keys() - known))


def _words(of: VerdictRecorded | VerdictView) -> tuple[object, ...]:
    return of.status, of.reason, of.rationale, of.supersedes


def exhibit_line(exhibit: Exhibit) -> str:
    """An exhibit as `VerdictRecorded` has it."""
    return f"{exhibit.command_id}:{exhibit.role}:{exhibit.stdout_sha256}:{exhibit.stderr_sha256}"


def _exhibit_problems(verdict_id: int, exhibit: Exhibit, transcript: Told) -> Iterator[str]:
    event = transcript.ended.get(exhibit.command_id)
    shown = (exhibit.outcome, exhibit.exit_code, exhibit.stdout_sha256, exhibit.stderr_sha256)
    if event is None or exhibit.command != transcript.texts.get(exhibit.command_id):
        yield f"Verdict {verdict_id} rests on C-{exhibit.command_id}, which did not run like that."
    elif shown != _result(event)[:4]:
        yield f"Verdict {verdict_id} shows another result of C-{exhibit.command_id} than it had."


def _withdrawal_problems(verdicts: Sequence[VerdictView], transcript: Told) -> Iterator[str]:
    """A withdrawal takes along what the verdict superseded in the same session."""
    by_id = {verdict.id: verdict for verdict in verdicts}
    expected: dict[int, str] = {}
    for verdict_id, actor in transcript.withdrawn.items():
        verdict = by_id.get(verdict_id)
        while verdict is not None:
            expected.setdefault(verdict.id, actor)
            verdict = by_id.get(verdict.supersedes or 0)
    for verdict in verdicts:
        if verdict.withdrawn_by != expected.get(verdict.id):
            yield f"Whether verdict {verdict.id} was withdrawn is not what the transcript says."


def _standing_problems(case: Case, transcript: Told) -> Iterator[str]:
    seal = case.seal
    if seal.state != transcript.state:
        yield f"The session is {seal.state}, but its transcript ends {transcript.state}."
    newest = next((one.id for one in reversed(case.verdicts) if one.withdrawn_by is None), None)
    if seal.verdict_id != newest:
        yield "The session's verdict is not the newest that stands."
    if (newest is not None) is not (seal.state == State.concluded):
        yield f"The session is {seal.state}, which does not fit its verdicts."
    if any(verdict.finding_id != seal.finding_id for verdict in case.verdicts):
        yield "A verdict of the session names another finding."
