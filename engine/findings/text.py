"""Untrusted text made inert, and the many ways in which exporters say "not given"."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping

from engine.findings.limits import MAX_TEXT

_PLACEHOLDERS = frozenset({"", "n/a", "na", "-", "--", "none", "null", "nocve", "not given"})
_LONGEST_PLACEHOLDER = max(map(len, _PLACEHOLDERS))

# Tag characters (U+E0000-) are invisible and are used to hide instructions from a human reader.
_NOT_INERT = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\ufffe\uffff"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)
# Commands and matchers keep everything else: an invisible character may be what the proof rests on.
_NOT_STORABLE = re.compile("[\x00\ud800-\udfff]")


def inert(text: str) -> str:
    """The text without control, bidirectional, invisible tag and lone-surrogate characters.

    Tabs and line ends stay: recorded requests need them.
    """
    return _NOT_INERT.sub("", text)


def storable(text: str) -> str:
    """The text without NUL and lone surrogates, which no database and no command line can hold."""
    return _NOT_STORABLE.sub("", text)


def is_given(value: object) -> bool:
    """Whether the source gave a value at all; `N/A`, `-`, null and their kin mean that it did not."""
    # The length is looked at first, since nearly every text is longer than any placeholder.
    if isinstance(value, str):
        word = value.strip()
        return len(word) > _LONGEST_PLACEHOLDER or word.lower() not in _PLACEHOLDERS
    return value is not None and value not in ([], {})


def first_given(item: Mapping[str, object], *names: str) -> object:
    """The first of the named fields that was given, or None."""
    return next((item[name] for name in names if is_given(item.get(name))), None)


def text_of(value: object, notes: list[str], field: str) -> str:
    """A field as inert text: a number as its digits, anything structured as JSON, too long a text cut."""
    if not is_given(value):
        return ""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    text = inert(text).strip()
    if len(text) <= MAX_TEXT:
        return text
    notes.append(f"{field} was cut to {MAX_TEXT:,} of {len(text):,} characters.")
    return text[:MAX_TEXT]


def words_of(value: object, notes: list[str], field: str) -> tuple[str, ...]:
    """A field that is a list, or one text with an entry a line, as inert entries without bullets."""
    entries = value if isinstance(value, list) else [value]
    lines = (line for entry in entries for line in text_of(entry, notes, field).splitlines())
    return tuple(dict.fromkeys(word for line in lines if (word := line.strip().removeprefix("- ").strip())))


def number_of(value: object) -> float | None:
    """A finite number from a number or its text, else None."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def excerpt(value: object, length: int = 60) -> str:
    """A value short enough to be named in a sentence."""
    text = " ".join(inert(value if isinstance(value, str) else repr(value)).split())
    return text if len(text) <= length else f"{text[: length - 1]}…"
