from __future__ import annotations

import pytest

from engine.findings.identifiers import cves_of, cwes_of, date_of


@pytest.mark.parametrize(
    ("values", "numbers"),
    [
        ([79], (79,)),
        (["79"], (79,)),
        (["CWE-79: Cross-site scripting"], (79,)),
        (["cwe-918", ["CWE-20", 918]], (918, 20)),
        (["79, 89"], (79, 89)),
        ([79.0], (79,)),
        ([0, -1, "0", "-1", "N/A", None], ()),
        ([[{"cwe": 79}]], (79,)),
    ],
)
def test_cwe_numbers(values: list[object], numbers: tuple[int, ...]) -> None:
    notes: list[str] = []
    assert cwes_of(values, notes) == numbers
    assert notes == []


def test_an_unreadable_cwe_is_told() -> None:
    notes: list[str] = []
    assert cwes_of(["many", 79, True, 1234567], notes) == (79,)
    assert len(notes) == 3


def test_cves_in_capitals_without_repeats_and_other_ids_as_written() -> None:
    assert cves_of(["cve-2021-45046", ["CVE-2021-45046", "GHSA-aaaa-bbbb-cccc"], "NOCVE", None]) == (
        "CVE-2021-45046",
        "GHSA-aaaa-bbbb-cccc",
    )
    assert cves_of([[{"vulnerability_id": "CVE-2024-1234"}]]) == ("CVE-2024-1234",)
    assert cves_of(["CVE-2024-1234, CVE-2024-1235"]) == ("CVE-2024-1234", "CVE-2024-1235")


@pytest.mark.parametrize(
    "text",
    ["2026-03-10", "2026-03-10T09:30:00", "2026-03-10T09:30:00.123456789Z", "2026-03-10T09:30:00+03:00"],
)
def test_a_date_stays_as_exact_as_it_was(text: str) -> None:
    notes: list[str] = []
    assert date_of(text, notes) == text
    assert notes == []


@pytest.mark.parametrize("value", ["10/03/2026", "2026-13-01", 1767225600, True, "2026-03-10 nonsense"])
def test_an_unreadable_date_is_left_out_and_told(value: object) -> None:
    notes: list[str] = []
    assert date_of(value, notes) is None
    assert len(notes) == 1


def test_no_date_is_no_note() -> None:
    notes: list[str] = []
    assert date_of("N/A", notes) is None
    assert notes == []
