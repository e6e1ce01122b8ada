"""Compares what a command printed with what was recorded. Pure; recorded steps and verdicts use it."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from engine.agent.http_output import Response, responses
from engine.findings.model import Matcher, RecordedStep

# Patterns come with a report and run on what a target sent: both sides may be hostile.
REGEX_SECONDS = 0.5
"""For all patterns of one step together."""
_QUOTED = 60
_BACKTICKS = re.compile("`+")
_SERVER_ERROR = 500
_PARTS = {
    "all": "all",
    "raw": "all",
    "response": "all",
    "body": "body",
    "header": "header",
    "headers": "header",
    "all_headers": "header",
}


class Match(StrEnum):
    """What a comparison came to."""

    matched = "matched"
    not_matched = "not_matched"
    cannot_tell = "cannot_tell"


@dataclass(frozen=True)
class Comparison:
    """The result and the reason in words, such as `` status 200, found `root:x` ``."""

    match: Match
    why: str


@dataclass(frozen=True, kw_only=True)
class Observed:
    """What came of a command, as far as it bears on a comparison."""

    outcome: str
    """Of the sandbox's words; only `exited` is evidence."""
    exit_code: int | None
    stdout: str
    denied: tuple[str, ...] = ()
    edited: bool = False
    """Another command than the recorded one ran."""
    whole: bool = True
    """`stdout` is all of it."""


@dataclass(frozen=True)
class _Part:
    seen: bool | None
    """None when it cannot be told."""
    why: str


def evaluate(step: RecordedStep, stdout: str) -> Comparison:
    """Compare the standard output of a recorded step with the step's matchers.

    Says nothing on whether the command ran well: `judge` takes that into account.
    """
    if not step.matchers:
        return Comparison(Match.cannot_tell, "nothing is recorded to compare with")
    if not stdout.strip():
        return Comparison(Match.cannot_tell, "the command printed nothing")
    # Any response of a chain may carry the proof, a redirect as well as what it leads to.
    found = responses(step.command, stdout)
    if is_negative(step):
        # The absence of something is a matter of the answer that was meant, which is the last one.
        found = found[-1:]
    deadline = time.monotonic() + REGEX_SECONDS
    tried = [_step(step, response, deadline) for response in found]
    # A doubt about one response outweighs a clear no from another: "not there" must hold for all.
    best = next((part for part in tried if part.seen), None) or next(
        (part for part in tried if part.seen is None), tried[-1]
    )
    return Comparison(_match(best.seen), best.why)


def judge(step: RecordedStep, observed: Observed) -> Comparison:
    """Compare what came of a command with the step it replays; a failed infrastructure tells nothing."""
    if observed.outcome != "exited":
        how = observed.outcome.replace("_", " ")
        return Comparison(Match.cannot_tell, f"the command did not end by itself ({how})")
    comparison = evaluate(step, observed.stdout)
    if comparison.match is Match.cannot_tell:
        return _with_exit_code(comparison, observed)
    # What was seen was seen: none of the doubts below could have made it up.
    if comparison.match is Match.matched and not is_negative(step):
        return comparison
    # curl may end with an error after a complete answer, which is then still an answer.
    answered = responses(step.command, observed.stdout)[-1].status is not None
    for applies, why in (
        (bool(observed.denied), "a connection was blocked by scope"),
        (observed.exit_code != 0 and not answered, f"the command failed with exit code {observed.exit_code}"),
        (not observed.whole, "the output is too long to compare whole"),
        (observed.edited, "the command was edited, so it is not the recorded one"),
    ):
        if applies:
            return Comparison(Match.cannot_tell, why)
    return comparison


def judge_control(step: RecordedStep, observed: Observed) -> Comparison:
    """Whether a control shows the target alive: as `judge`; without matchers any HTTP answer below 500."""
    if step.matchers or observed.outcome != "exited":
        return judge(step, observed)
    status = responses(step.command, observed.stdout)[-1].status
    if status is None:
        return _with_exit_code(Comparison(Match.cannot_tell, "no HTTP answer is in the output"), observed)
    return Comparison(Match.matched if status < _SERVER_ERROR else Match.not_matched, f"status {status}")


def is_negative(step: RecordedStep) -> bool:
    """Whether the step rests on something being absent, which a dead target shows as well."""
    return any(matcher.negative for matcher in step.matchers)


def _with_exit_code(comparison: Comparison, observed: Observed) -> Comparison:
    if not observed.exit_code or observed.stdout.strip():
        return comparison
    why = f"the command printed nothing and failed with exit code {observed.exit_code}"
    return Comparison(Match.cannot_tell, why)


def _match(seen: bool | None) -> Match:
    if seen is None:
        return Match.cannot_tell
    return Match.matched if seen else Match.not_matched


def _step(step: RecordedStep, response: Response, deadline: float) -> _Part:
    return _joined([_matcher(matcher, response, deadline) for matcher in step.matchers], step.condition)


def _joined(parts: list[_Part], condition: Literal["and", "or"]) -> _Part:
    """Three-valued and/or; the reason is that of the parts which decided."""
    # What cannot be told counts only as long as nothing else decides.
    decisive = condition == "or"
    for seen in (decisive, None):
        deciding = [part.why for part in parts if part.seen is seen]
        if deciding:
            return _Part(seen, ", ".join(deciding))
    return _Part(not decisive, ", ".join(part.why for part in parts))


def _matcher(matcher: Matcher, response: Response, deadline: float) -> _Part:
    if not matcher.values:
        return _Part(None, f"the {matcher.type} matcher is empty")
    one = _joined([_value(matcher, value, response, deadline) for value in matcher.values], matcher.condition)
    return _Part(None if one.seen is None else one.seen is not matcher.negative, one.why)


def _value(matcher: Matcher, value: str, response: Response, deadline: float) -> _Part:
    if matcher.type == "status":
        if response.status is None:
            return _Part(None, "no HTTP status is in the output")
        return _Part(str(response.status) == value.strip(), f"status {response.status}")
    part = _PARTS.get(matcher.part)
    if part is None:
        return _Part(None, f"the part {matcher.part!r} is not in a command's output")
    if part == "header" and response.header is None:
        return _Part(None, "no HTTP headers are in the output")
    text = getattr(response, part)
    # HTTP/2 writes field names in small letters; case means nothing in them.
    header = response.header or "" if part != "body" else ""
    if matcher.type == "regex":
        return _regex(value, text, header, deadline)
    seen = value in text or value.lower() in header.lower()
    return _Part(seen, f"{'found' if seen else 'no'} {_quoted(value)}")


def _regex(pattern: str, text: str, header: str, deadline: float) -> _Part:
    # Not the standard library's re, which cannot be stopped inside a search; loaded when first needed.
    import regex

    try:
        seen = False
        for subject, flags in ((text, 0), (header, regex.IGNORECASE)):
            left = deadline - time.monotonic()
            if left <= 0:
                raise TimeoutError
            if subject and not seen:
                seen = regex.compile(pattern, flags).search(subject, timeout=left) is not None
    except TimeoutError:
        return _Part(None, f"the pattern {_quoted(pattern)} takes too long")
    except regex.error:
        return _Part(None, f"the pattern {_quoted(pattern)} cannot be read")
    return _Part(seen, f"{'matches' if seen else 'no match for'} {_quoted(pattern)}")


def _quoted(value: str) -> str:
    """As code in Markdown, in which a pattern's signs would mean something, fenced by what is not in it."""
    line = " ".join(value.split())
    line = line if len(line) <= _QUOTED else f"{line[: _QUOTED - 1]}…"
    fence = "`" * (1 + max(map(len, _BACKTICKS.findall(line)), default=0))
    return f"{fence}{line}{fence}" if len(fence) == 1 else f"{fence} {line} {fence}"
