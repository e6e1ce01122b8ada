from __future__ import annotations

import pytest

from engine.findings.model import Cvss, Severity
from engine.findings.ratings import band, cvss_of, severity_of

BASE = "AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H"


@pytest.mark.parametrize(
    ("label", "severity"),
    [("CRITICAL", "critical"), (" High ", "high"), ("moderate", "medium"), ("Informational", "info")],
)
def test_the_word_of_the_tool_comes_first(label: str, severity: str) -> None:
    assert severity_of(label, Cvss(version="3.1", score=0.1), []) is Severity(severity)


def test_a_label_and_a_score_that_disagree_are_both_told() -> None:
    notes: list[str] = []
    assert severity_of("low", Cvss(version="3.1", score=9.8), notes) is Severity.low
    assert notes == ["The label says low, the score 9.8 says critical."]


def test_a_score_decides_only_without_a_label() -> None:
    notes: list[str] = []
    assert severity_of("N/A", Cvss(version="3.1", score=7.0), notes) is Severity.high
    assert "7.0" in notes[0]


@pytest.mark.parametrize("label", ["banana", 3, "unknown", None])
def test_what_cannot_be_told_is_unknown_and_never_info(label: object) -> None:
    assert severity_of(label, None, []) is Severity.unknown


@pytest.mark.parametrize(
    ("score", "severity"),
    [(10, "critical"), (9.0, "critical"), (8.9, "high"), (4.0, "medium"), (0.1, "low"), (0, "info")],
)
def test_bands(score: float, severity: str) -> None:
    assert band(score) is Severity(severity)


@pytest.mark.parametrize(
    ("vector", "family", "version", "score"),
    [
        (f"CVSS:3.1/{BASE}", "3", "3.1", 9.8),
        (f"CVSS:3.0/{BASE}", "", "3.0", 9.8),
        (BASE, "3", "3.1", 9.8),
        ("CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N", "", "4.0", 9.3),
        ("AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N", "4", "4.0", 9.3),
        ("CVSS2#AV:N/AC:L/Au:N/C:N/I:N/A:P", "", "2.0", 5.0),
        ("(AV:N/AC:L/Au:N/C:N/I:N/A:P)", "", "2.0", 5.0),
    ],
)
def test_a_score_is_computed_from_any_vector(vector: str, family: str, version: str, score: float) -> None:
    rating = cvss_of(vector, None, family, [])
    assert rating is not None
    assert (rating.version, rating.score) == (version, score)


def test_a_bad_vector_empties_itself_only() -> None:
    notes: list[str] = []
    assert cvss_of("CVSS:3.1/AV:Q", "7.5", "3", notes) == Cvss(version="3", score=7.5)
    assert "AV:Q" in notes[0]


@pytest.mark.parametrize("score", ["high", 11, -1, True, "1e999"])
def test_a_bad_score_empties_itself_only(score: object) -> None:
    notes: list[str] = []
    rating = cvss_of(f"CVSS:3.1/{BASE}", score, "3", notes)
    assert rating is not None
    assert rating.score == 9.8
    assert len(notes) == 1


def test_a_score_that_contradicts_its_vector_is_kept_and_told() -> None:
    notes: list[str] = []
    rating = cvss_of(f"CVSS:3.1/{BASE}", 5.0, "3", notes)
    assert rating is not None
    assert rating.score == 5.0
    assert notes == ["The score says 5.0, its vector comes to 9.8."]


def test_nothing_given_is_no_rating() -> None:
    assert cvss_of("N/A", "-", "3", []) is None
    assert cvss_of("x" * 1000, None, "3", []) is None
