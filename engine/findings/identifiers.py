"""CWE and CVE numbers and dates, in the spellings that exporters use."""

from __future__ import annotations

import re
from datetime import date, datetime

from engine.findings.text import excerpt, inert, is_given

_NAMED_CWE = re.compile(r"\bCWE[-_ :]{0,2}([0-9]{1,5})\b", re.IGNORECASE)
# Some exporters turn 79 into 79.0.
_BARE_CWE = re.compile(r"([0-9]{1,5})(?:\.0+)?")
_NOT_GIVEN = frozenset({"-1", ""})
_CVE = re.compile(r"CVE-[0-9]{4}-[0-9]{4,}", re.IGNORECASE)
_ISO_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_MAX_ID = 100


def cwes_of(values: list[object], notes: list[str]) -> tuple[int, ...]:
    """CWE numbers from numbers, `CWE-79` or several in one text; 0 and -1 mean none."""
    found: dict[int, None] = {}
    for value in _flat(values, "cwe"):
        text = str(value).strip()
        # Named numbers win, so that the words of "CWE-79: Cross-site scripting" are not taken for bad ones.
        words = _NAMED_CWE.findall(text) or re.split(r"[,;\s]+", text)
        for word in words:
            if match := _BARE_CWE.fullmatch(word):
                found[int(match[1])] = None
            elif word not in _NOT_GIVEN:
                notes.append(f"The CWE {excerpt(word)!r} cannot be read and was left out.")
    found.pop(0, None)
    return tuple(found)


def cves_of(values: list[object]) -> tuple[str, ...]:
    """Vulnerability ids without repeats: a CVE in capitals, other kinds (GHSA and the like) as written."""
    found: dict[str, None] = {}
    for value in _flat(values, "vulnerability_id"):
        for word in re.split(r"[,;\s]+", inert(str(value))):
            if is_given(word):
                found[word.upper() if _CVE.fullmatch(word) else word[:_MAX_ID]] = None
    return tuple(found)


def date_of(value: object, notes: list[str]) -> str | None:
    """An ISO date or date-time exactly as the source wrote it: a zone is kept, none is ever added."""
    if not is_given(value):
        return None
    text = value.strip() if isinstance(value, str) else ""
    try:
        # Python would also take 20260131 and 2026-W05, which people read as something else.
        if not _ISO_DAY.match(text):
            raise ValueError
        if len(text) == len("2026-01-31"):
            date.fromisoformat(text)
        else:
            datetime.fromisoformat(text)
    except ValueError:
        notes.append(f"The date {excerpt(value)!r} is not year-month-day and was left out.")
        return None
    return text


def _flat(values: list[object], key: str) -> list[object]:
    """The values of nested lists and of `{key: value}` objects, what is not given left out."""
    flat: list[object] = []
    for value in values:
        if isinstance(value, list):
            flat.extend(entry.get(key) if isinstance(entry, dict) else entry for entry in value)
        else:
            flat.append(value)
    return [value for value in flat if is_given(value) and isinstance(value, int | float | str)]
