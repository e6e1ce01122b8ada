"""Matchers in nuclei's words: from our own `replay` fields and from templates."""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping
from typing import Literal, cast

from engine.findings.model import Matcher
from engine.findings.text import excerpt, storable

Condition = Literal["and", "or"]

_VALUES = {"status": "status", "word": "words", "regex": "regex", "extracted": "values"}
# nuclei's own names; other parts (interactsh, numbered requests) exist only during a scan.
_PARTS = {"": "body", "body": "body", "header": "header", "all": "all", "raw": "all", "response": "all"}
_MAX_VALUES = 200


class BadMatcher(ValueError):
    """This matcher cannot be compared here."""


def matcher_of(raw: object, default_part: str) -> Matcher:
    """One matcher. Raises `BadMatcher` for kinds, parts and options that cannot be compared faithfully."""
    if not isinstance(raw, Mapping):
        raise BadMatcher("a matcher is not an object")
    kind = raw.get("type")
    if not isinstance(kind, str) or kind not in _VALUES:
        raise BadMatcher(f"the matcher type {excerpt(kind)!r} is not known")
    values = _values(raw.get(_VALUES[kind]), kind)
    # As a pattern it needs no option of its own in the model and the comparison.
    if kind == "word" and raw.get("case-insensitive"):
        kind, values = "regex", tuple(f"(?i){re.escape(value)}" for value in values)
    if kind == "regex":
        for value in values:
            _check_regex(value)
    # Hex and the like compare bytes; the output is compared as text.
    if raw.get("encoding"):
        raise BadMatcher("encoded matchers are not compared")
    return Matcher(
        type=cast("Literal['status', 'word', 'regex', 'extracted']", kind),
        values=values,
        # A status is of the whole answer, whatever part is named or left out.
        part="all" if kind == "status" else _part(raw.get("part", default_part)),
        condition=condition_of(raw.get("condition", "or")),
        negative=raw.get("negative") is True,
    )


def condition_of(raw: object) -> Condition:
    """`and` or `or`. Raises `BadMatcher`."""
    if raw == "and":
        return "and"
    if raw == "or":
        return "or"
    raise BadMatcher(f"the condition {excerpt(raw)!r} is neither and nor or")


def _part(raw: object) -> str:
    part = _PARTS.get(raw) if isinstance(raw, str) else None
    if part is None:
        raise BadMatcher(f"the part {excerpt(raw)!r} is not body, header or all")
    return part


def _values(raw: object, kind: str) -> tuple[str, ...]:
    entries = raw if isinstance(raw, list) else [raw]
    values = tuple(
        storable(str(entry))
        for entry in entries
        if isinstance(entry, str | int) and not isinstance(entry, bool) and str(entry)
    )
    # One unusable value spoils the matcher: with the rest alone it would mean something else.
    if not values or len(values) != len(entries) or len(values) > _MAX_VALUES:
        raise BadMatcher(f"a {kind} matcher without usable {_VALUES[kind]}")
    # nuclei fills such places in while it scans; the filled value is not in the record.
    if any("{{" in value for value in values):
        raise BadMatcher("a matcher with a value that was only known during the scan")
    if kind == "status" and not all(value.isascii() and value.isdigit() for value in values):
        raise BadMatcher("a status matcher with something other than numbers")
    return values


def _check_regex(pattern: str) -> None:
    # Templates are written for Go; a pattern that Python does not take must not be compared at all.
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        raise BadMatcher(f"the regex {excerpt(pattern)!r} cannot be used") from error
