"""The shared corpus, read where it lies; skipped where it does not lie beside the repository."""

from __future__ import annotations

import json
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from engine.errors import FindingsError
from engine.findings.projection import report_as_json
from engine.findings.read import read_findings
from engine.findings.report import ImportReport
from engine.scope import labels, propose, unconfirmed

CORPUS = Path(__file__).parents[5] / "shared" / "corpus"
EXPECTED: dict[str, dict[str, Any]] = (
    json.loads((CORPUS / "expected.json").read_text()) if CORPUS.is_dir() else {}
)
READ_HERE = sorted(
    name
    for name in EXPECTED
    if name.startswith(("generic-json/", "nuclei/"))
    or (name.startswith("bugs/") and ("-nuclei-" in name or "-generic-" in name))
)
CUT_OFF = "generic-json/gj-13-truncated-own.json"
HOSTILE_JSON = {
    "hostile/ho-13-nan-infinity.json": 1,
    "hostile/ho-15-lone-surrogate-nul.json": 1,
    "hostile/ho-37-long-line.jsonl": 1,
}
REFUSED = {
    "hostile/ho-11-deep-json.json": "nested",
    "hostile/ho-17-html-named-json.json": "HTML",
    "hostile/ho-18-xml-named-json.json": "ZAP report",
    "hostile/ho-19-zero-bytes.json": "empty",
    "hostile/ho-20-whitespace.json": "empty",
    "hostile/ho-21-random-bytes.nessus": "unknown format",
    "hostile/ho-22-json-string-only.json": "unknown format",
    "hostile/ho-23-json-null.json": "unknown format",
    "hostile/ho-24-zip-one-good-file.zip": "unpack it first",
    "hostile/ho-25-zip-bomb-80mb.zip": "unpack it first",
    "hostile/ho-31-gzip-bomb.json.gz": "unpack it first",
    "hostile/ho-33-png-named-pdf.pdf": "picture",
    CUT_OFF: "line 33, column 26",
}

pytestmark = pytest.mark.skipif(not EXPECTED, reason="the shared corpus is not here")


def imported(name: str) -> ImportReport:
    return read_findings((CORPUS / name).read_bytes(), name)


@pytest.mark.parametrize("name", [name for name in READ_HERE if name != CUT_OFF])
def test_a_file_gives_what_is_expected_of_it(name: str) -> None:
    expected = EXPECTED[name]
    report = imported(name)
    scope = {
        label
        for finding in report.findings
        for target in propose(finding).targets
        for label in labels(target)
    }
    assert report.imported == expected["findings"]
    assert len(report.rejected) == expected.get("rejected", 0)
    assert Counter(finding.severity.value for finding in report.findings) == expected["severities"]
    assert sorted(scope) == sorted(expected["scope"])
    if report.findings:
        assert report.findings[0].title.startswith(expected["first_title"])
    assert len({finding.key for finding in report.findings}) == report.imported


@pytest.mark.parametrize(("name", "findings"), HOSTILE_JSON.items())
def test_hostile_json_is_read_and_made_harmless(name: str, findings: int) -> None:
    report = imported(name)
    assert report.imported == findings
    text = json.dumps(report_as_json(report), allow_nan=False)
    assert not any(mark in text for mark in ("\\ud800", "\\u0000", "\\u202e"))


@pytest.mark.parametrize(("name", "what"), REFUSED.items())
def test_a_refused_file_is_named_at_once(name: str, what: str) -> None:
    started = time.monotonic()
    with pytest.raises(FindingsError, match=what):
        imported(name)
    assert time.monotonic() - started < 2


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_no_file_of_any_format_does_worse_than_a_sentence(name: str) -> None:
    sentence = "Read."
    try:
        imported(name)
    except FindingsError as error:
        sentence = error.sentence
    assert sentence.endswith(".")


def test_what_needs_a_yes_in_the_awkward_nuclei_file() -> None:
    report = imported("nuclei/nu-10-awkward-own.jsonl")
    asked = [
        label
        for finding in report.findings
        for target, _ in unconfirmed(propose(finding))
        for label in labels(target)
    ]
    assert asked == EXPECTED["nuclei/nu-10-awkward-own.jsonl"]["not_in_scope_unasked"]


def test_the_awkward_findings_in_detail() -> None:
    generic = imported("generic-json/gj-09-awkward-own.json").findings
    assert generic[2].endpoints[0].display.startswith("https://alice:***@app.example.com:8443/")
    assert len(generic[7].title) > 511
    assert generic[9].title.startswith("*bold* <!channel>")
    nuclei = imported("nuclei/nu-10-awkward-own.jsonl").findings
    assert "do-not-run-me" not in nuclei[1].replay[0].command
    assert nuclei[5].cve == ("CVE-2021-44228", "CVE-2021-45046")
    assert nuclei[5].cwe == (918, 20)
    twice = imported("bugs/bug-13-generic-mitigated-bool.json").findings
    assert [finding.status_word for finding in twice] == ["mitigated", "mitigated 2026-01-10", ""]
