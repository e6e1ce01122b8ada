"""The recorded proof of a nuclei record: its request as a command, and what told nuclei that it was there."""

from __future__ import annotations

import re
from collections.abc import Mapping

from engine.findings.curl_text import parse_curl
from engine.findings.http_command import curl_command, parse_request
from engine.findings.matchers import Condition
from engine.findings.model import Endpoint, Matcher, RecordedStep
from engine.findings.templates import template_matchers
from engine.findings.text import first_given, storable

_STATUS = re.compile(r"HTTP/[0-9.]{1,4} ([1-5][0-9][0-9])\b")


def replay_of(record: Mapping[str, object], endpoint: Endpoint, notes: list[str]) -> tuple[RecordedStep, ...]:
    """The proof as one step, or nothing where the record has no HTTP request that can be sent again."""
    command = _command(record, endpoint, notes)
    if command is None:
        return ()
    matchers, condition = _matchers(record, notes)
    return (RecordedStep(command=command, matchers=matchers, condition=condition),)


def _command(record: Mapping[str, object], endpoint: Endpoint, notes: list[str]) -> str | None:
    # The raw request comes first: it is what was sent, the curl text only a rendering of it.
    raw = record.get("request")
    request = parse_request(raw) if isinstance(raw, str) else None
    if request is not None:
        return curl_command(request, endpoint)
    text = first_given(record, "curl-command", "curl_command")
    if not isinstance(text, str):
        return None
    parsed = parse_curl(text)
    # A command from a report may name any host; only the place of the match is in the proposed scope.
    if parsed is None or (parsed[1].host, parsed[1].port) != (endpoint.host, endpoint.port):
        notes.append(
            "The curl command is kept as text only: it is not one plain request to the place of the match."
        )
        return None
    return curl_command(parsed[0], parsed[1])


def _matchers(record: Mapping[str, object], notes: list[str]) -> tuple[tuple[Matcher, ...], Condition]:
    encoded = record.get("template-encoded")
    if isinstance(encoded, str) and encoded:
        name = first_given(record, "matcher-name", "matcher_name")
        template = template_matchers(encoded, name if isinstance(name, str) else "")
        if template.matchers:
            return template.matchers, template.condition
        notes.append(f"The template's matchers are not compared: {template.problem}.")
    # Both together: a page that still answers 200 without the extracted value is no proof.
    return tuple(_seen(record)), "and"


def _seen(record: Mapping[str, object]) -> list[Matcher]:
    """What the first run saw, for want of a template: its extracted values and its status."""
    matchers: list[Matcher] = []
    extracted = first_given(record, "extracted-results", "extracted_results")
    values = (
        [storable(value) for value in extracted if isinstance(value, str)]
        if isinstance(extracted, list)
        else []
    )
    if any(values):
        matchers.append(Matcher(type="extracted", values=tuple(value for value in values if value)))
    response = record.get("response")
    if isinstance(response, str) and (status := _STATUS.match(response)):
        matchers.append(Matcher(type="status", values=(status[1],)))
    return matchers
