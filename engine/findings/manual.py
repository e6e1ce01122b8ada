"""A finding that a person types in."""

from __future__ import annotations

from collections.abc import Mapping

from engine.errors import FindingsError
from engine.findings.endpoints import parse_endpoint
from engine.findings.hosts import BadHost
from engine.findings.http_command import alive_step
from engine.findings.limits import MAX_ENDPOINTS, MAX_TEXT
from engine.findings.model import Endpoint, Finding, Severity
from engine.findings.replay import commands_in, split_steps
from engine.findings.text import inert

MAX_TITLE = 500


class ManualEntryInvalid(FindingsError):
    """Some fields of the finding need another value."""

    def __init__(self, problems: Mapping[str, str]) -> None:
        super().__init__(" ".join(problems.values()))
        self.problems = dict(problems)
        """Field (`title`, `severity`, `endpoints`, `steps`) to the sentence that belongs under it."""


def manual_finding(*, title: str, severity: str, endpoints: str, steps: str) -> Finding:
    """A finding from the four fields of a form.

    `severity` is one of the words of `Severity`; `endpoints` holds a URL or `host:port` a line; `steps` is
    prose with commands after `$ `. Raises `ManualEntryInvalid` with a sentence for every field that is
    wrong, all at once.
    """
    # All problems are gathered before any is told: a form that complains field by field tires.
    problems: dict[str, str] = {}
    clean_title = " ".join(inert(title).split())
    if not clean_title:
        problems["title"] = "Give the finding a title."
    elif len(clean_title) > MAX_TITLE:
        problems["title"] = f"Shorten the title to {MAX_TITLE} characters."
    word = severity.strip().lower()
    if word not in tuple(Severity):
        problems["severity"] = f"Choose a severity: {', '.join(Severity)}."
    clean_steps = inert(steps).strip()
    if not clean_steps:
        problems["steps"] = "Write down how the weakness was shown; commands go after `$ `."
    elif len(clean_steps) > MAX_TEXT:
        problems["steps"] = f"Shorten the steps to {MAX_TEXT:,} characters."
    places = _places(endpoints, problems)
    if problems:
        raise ManualEntryInvalid(problems)
    notes: list[str] = []
    return Finding(
        format="manual",
        ref="",
        title=clean_title,
        severity=Severity(word),
        endpoints=places,
        steps=split_steps(clean_steps),
        replay=commands_in(clean_steps, notes),
        control=next(((step,) for place in places if (step := alive_step(place))), ()),
        notes=tuple(notes),
    )


def _places(text: str, problems: dict[str, str]) -> tuple[Endpoint, ...]:
    lines = list(dict.fromkeys(line.strip() for line in text.splitlines() if line.strip()))
    places: list[Endpoint] = []
    try:
        places = [parse_endpoint(line) for line in lines[:MAX_ENDPOINTS]]
    except BadHost as error:
        problems["endpoints"] = f"{error}; write a URL or host:port a line."
        return ()
    if not lines:
        problems["endpoints"] = "Name at least one place, such as https://app.example.com/login."
    elif len(lines) > MAX_ENDPOINTS:
        problems["endpoints"] = f"Name at most {MAX_ENDPOINTS:,} places."
    elif any(place.host is None for place in places):
        problems["endpoints"] = "A place without a host cannot be reached; write a URL or host:port a line."
    return tuple(places)
