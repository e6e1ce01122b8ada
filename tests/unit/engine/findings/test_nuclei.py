from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engine.findings.jsontext import read_json
from engine.findings.model import Finding, Severity
from engine.findings.nuclei import read_nuclei
from engine.findings.report import ImportReport

FIXTURE = Path(__file__).parent / "fixtures" / "nuclei.jsonl"


def one(**fields: Any) -> Finding:
    record = {"template-id": "t", "info": {"name": "N", "severity": "low"}, **fields}
    return read_nuclei(read_json(json.dumps(record)), "x").findings[0]


@pytest.fixture(scope="module")
def report() -> ImportReport:
    return read_nuclei(read_json(FIXTURE.read_text()), FIXTURE.name)


def test_what_is_found_taken_and_rejected_by_line(report: ImportReport) -> None:
    assert (report.found, report.imported) == (6, 4)
    assert [(rejected.item, rejected.line, rejected.reason) for rejected in report.rejected] == [
        (2, 2, "the line is cut off"),
        (5, 5, "did not match (matcher-status is false)"),
    ]


def test_every_field_has_its_place(report: ImportReport) -> None:
    finding = report.findings[0]
    assert finding.title == "Search echoes its input (echo)"
    assert finding.ref == "orchard-search echo https://shop.example.com:8443/search?q=%3Cb%3E"
    assert finding.severity is Severity.medium
    assert finding.cvss is not None
    assert finding.cvss.score == 6.1
    assert (finding.cwe, finding.cve) == ((79,), ())
    assert finding.endpoints[0].address == "shop.example.com:8443"
    assert finding.references == ("https://example.org/xss",)
    assert finding.found == "2026-03-10T09:30:00.123456789Z"
    assert [evidence.kind for evidence in finding.evidence] == ["request", "response", "extracted"]
    assert finding.steps == ("curl -X 'GET' 'https://shop.example.com:8443/search?q=%3Cb%3E'",)
    assert finding.replay[0].command == (
        "curl -sS -i -k -X GET --compressed 'https://shop.example.com:8443/search?q=%3Cb%3E'"
    )


def test_the_old_schema_is_read_too(report: ImportReport) -> None:
    finding = report.findings[1]
    assert finding.title == "FTP banner (vsftpd)"
    assert finding.endpoints[0].address == "shop.example.com:21"
    assert not finding.endpoints[0].third_party
    assert finding.evidence[0].text == "vsFTPd 3"
    assert (finding.replay, finding.control) == ((), ())


def test_a_match_on_another_host_is_marked(report: ImportReport) -> None:
    finding = report.findings[2]
    assert finding.severity is Severity.unknown
    assert finding.endpoints[0].third_party
    assert any("login.example.net" in note for note in finding.notes)


def test_a_command_with_more_behind_it_is_text_and_nothing_else(report: ImportReport) -> None:
    finding = report.findings[2]
    assert finding.steps == ("curl 'https://login.example.net/'; id",)
    assert finding.replay == ()


def test_a_file_has_a_path_and_no_host(report: ImportReport) -> None:
    endpoint = report.findings[3].endpoints[0]
    assert (endpoint.host, endpoint.path) == (None, "src/settings.py")


def test_port_and_scheme_of_the_record_fill_in_what_the_match_leaves_open() -> None:
    endpoint = one(
        type="ssl", host="a.example.com", port="8443", **{"matched-at": "a.example.com"}
    ).endpoints[0]
    assert endpoint.address == "a.example.com:8443"


def test_without_a_match_the_host_counts_and_a_bad_host_gives_none() -> None:
    endpoint = one(host="http://a.example.com/x", port=8080).endpoints[0]
    assert (endpoint.address, endpoint.path) == ("a.example.com:8080", "")
    assert one(host="exa mple").endpoints == ()
    assert one(host=None, **{"matched-at": None}).endpoints == ()


def test_a_bad_match_is_told() -> None:
    finding = one(host="a.example.com", **{"matched-at": "https://a.example.com:99999/"})
    assert finding.endpoints == ()
    assert "99999" in finding.notes[0]


def test_a_record_without_a_name_goes_by_its_template() -> None:
    assert one(info={}).title == "t"


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        ({"note": "no record"}, "not a record"),
        ({"host": "a", "type": "http", "info": {}}, "neither a name nor a template-id"),
        ([1], "not a record"),
    ],
)
def test_what_is_no_record_is_rejected(record: object, reason: str) -> None:
    report = read_nuclei(read_json(json.dumps([record])), "x")
    assert report.imported == 0
    assert reason in report.rejected[0].reason


def test_a_record_nested_too_deeply_is_rejected_alone() -> None:
    deep: Any = "x"
    for _ in range(100):
        deep = {"x": deep}
    record = {"template-id": "t", "info": {"name": "N", "metadata": deep}}
    assert "levels deep" in read_nuclei(read_json(json.dumps(record)), "x").rejected[0].reason
