"""Severity and CVSS: the tool's label first, a score only where there is no label."""

from __future__ import annotations

from functools import lru_cache

from cvss import CVSS2, CVSS3, CVSS4, CVSSError  # type: ignore[import-untyped]

from engine.findings.model import Cvss, Severity
from engine.findings.text import excerpt, is_given, number_of

_WORDS = {
    "critical": Severity.critical,
    "high": Severity.high,
    "medium": Severity.medium,
    "moderate": Severity.medium,
    "low": Severity.low,
    "info": Severity.info,
    "informational": Severity.info,
    "information": Severity.info,
    "unknown": Severity.unknown,
}
# The bands of CVSS 3 and 4, used for version 2 as well: its own have no "critical" to compare with.
_BANDS = ((9.0, Severity.critical), (7.0, Severity.high), (4.0, Severity.medium))
_MAX_SCORE = 10.0
# The longest vector of version 4 with every metric is about half of this.
_MAX_VECTOR = 400


def severity_of(label: object, cvss: Cvss | None, notes: list[str]) -> Severity:
    """The severity by the house rule; anything that cannot be told is `unknown`, never `info`."""
    score = cvss.score if cvss else None
    if not is_given(label):
        if score is None:
            return Severity.unknown
        notes.append(f"No severity was given; taken from the score {score}.")
        return band(score)
    word = _WORDS.get(label.strip().lower()) if isinstance(label, str) else None
    if word is None:
        notes.append(f"The severity {excerpt(label)!r} is not known here.")
        return Severity.unknown
    # The tool knew more than the score, so its label stays and the difference is told.
    if score is not None and word is not Severity.unknown and band(score) is not word:
        notes.append(f"The label says {word}, the score {score} says {band(score)}.")
    return word


def band(score: float) -> Severity:
    """The severity that a CVSS score of 0 to 10 stands for."""
    for floor, severity in _BANDS:
        if score >= floor:
            return severity
    return Severity.low if score > 0 else Severity.info


def cvss_of(vector: object, score: object, family: str, notes: list[str]) -> Cvss | None:
    """A CVSS rating from a vector and a score, either of which may be missing or bad.

    `family` is the major version that the field's name promises (`3`, `4`), or empty. A bad value empties
    itself only, with a note.
    """
    number = _score(score, notes)
    known = _vector(vector, family, notes)
    if known is None:
        return None if number is None else Cvss(version=family, score=number)
    version, clean, computed = known
    if number is not None and abs(number - computed) >= 0.1:  # noqa: PLR2004 - scores have one decimal
        notes.append(f"The score says {number}, its vector comes to {computed}.")
    # The given score stays: it is the source's own word, and the notes tell the difference.
    return Cvss(version=version, vector=clean, score=computed if number is None else number)


def _score(value: object, notes: list[str]) -> float | None:
    if not is_given(value):
        return None
    number = number_of(value)
    if number is not None and 0 <= number <= _MAX_SCORE:
        return number
    notes.append(f"The CVSS score {excerpt(value)!r} is not one from 0 to 10 and was left out.")
    return None


def _vector(value: object, family: str, notes: list[str]) -> tuple[str, str, float] | None:
    if not is_given(value):
        return None
    known = _parsed(value.strip(), family) if isinstance(value, str) and len(value) < _MAX_VECTOR else None
    if known is None:
        notes.append(f"The CVSS vector {excerpt(value)!r} cannot be read and was left out.")
    return known


@lru_cache(maxsize=4096)
def _parsed(text: str, family: str) -> tuple[str, str, float] | None:
    """Version, clean vector and base score; a missing or foreign prefix (`CVSS2#`) is put right."""
    bare = text.removeprefix("CVSS2#").strip("()")
    try:
        if bare.startswith("CVSS:4") or (family == "4" and not bare.startswith("CVSS:")):
            four = CVSS4(bare if bare.startswith("CVSS:") else f"CVSS:4.0/{bare}")
            return "4.0", four.clean_vector(), float(four.base_score)
        # Only version 2 has an authentication metric, and no prefix to go by.
        if "Au:" in bare:
            two = CVSS2(bare)
            return "2.0", two.clean_vector(), float(two.base_score)
        three = CVSS3(bare if bare.startswith("CVSS:") else f"CVSS:3.1/{bare}")
        return f"3.{three.minor_version}", three.clean_vector(), float(three.base_score)
    except (CVSSError, ArithmeticError, ValueError, KeyError, TypeError):
        return None
