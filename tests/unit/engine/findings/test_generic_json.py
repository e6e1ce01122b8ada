from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engine.errors import FindingsError
from engine.findings import generic_json
from engine.findings.generic_json import read_generic
from engine.findings.jsontext import read_json
from engine.findings.model import Attachment, Finding, FindingStatus, Severity
from engine.findings.report import ImportReport

FIXTURE = Path(__file__).parent / "fixtures" / "generic.json"


def read(value: Any) -> ImportReport:
    return read_generic(read_json(json.dumps(value)), "x.json")


def one(**fields: Any) -> Finding:
    return read({"findings": [{"title": "T", "severity": "Low", **fields}]}).findings[0]


@pytest.fixture(scope="module")
def report() -> ImportReport:
    return read_generic(read_json(FIXTURE.read_text()), FIXTURE.name)


def test_bad_items_are_listed_and_stop_nothing(report: ImportReport) -> None:
    assert (report.found, report.imported) == (4, 2)
    assert [(rejected.item, rejected.reason) for rejected in report.rejected] == [
        (2, "title, description missing"),
        (3, "not an object but a stray text"),
    ]


def test_every_field_has_its_place(report: ImportReport) -> None:
    finding = report.findings[0]
    assert finding.ref == "ORD-7"
    assert finding.severity is Severity.high
    assert (finding.impact, finding.remediation) == ("Addresses leak.", "Check the owner.")
    assert finding.cvss is not None
    assert (finding.cvss.version, finding.cvss.score) == ("3.1", 6.5)
    assert finding.cwe == (639, 284)
    assert finding.cve == ("CVE-2024-0001", "GHSA-aaaa-bbbb-cccc")
    assert [endpoint.address for endpoint in finding.endpoints] == [
        "shop.example.com:443",
        "api.example.com:8443",
    ]
    assert finding.steps == ("Log in as alice", "curl -sS https://shop.example.com/orders/7")
    assert [step.command for step in finding.replay] == ["curl -sS https://shop.example.com/orders/7"]
    assert finding.references == ("https://example.org/a", "https://example.org/b")
    assert finding.attachments == (Attachment(title="shot.png", size=5),)
    assert [(evidence.title, evidence.text) for evidence in finding.evidence] == [("param", "id")]
    assert finding.found == "2026-03-10T09:30:00+01:00"
    assert finding.tool == "Pentest 2"
    assert finding.status is FindingStatus.open
    assert any("colour" in note for note in finding.notes)
    assert any("exa mple" in note for note in finding.notes)


def test_bad_fields_empty_themselves_only(report: ImportReport) -> None:
    finding = report.findings[1]
    assert finding.title == "Bad in many fields"
    assert finding.severity is Severity.high
    assert finding.cvss is not None
    assert (finding.cvss.vector, finding.cvss.score) == (None, 7.5)
    assert (finding.cwe, finding.found, finding.endpoints) == ((), None, ())
    assert finding.status_word == "mitigated 2026-04-01"
    assert len(finding.notes) == 5


def test_a_control_is_made_of_the_first_web_endpoint() -> None:
    finding = one(endpoints=["tcp://db.example.com:5432", "https://shop.example.com/a?b"])
    assert [step.command for step in finding.control] == [
        r"curl -sS -i -k -o /dev/null -w 'HTTP %{http_code}\n' https://shop.example.com:443/"
    ]
    assert one(endpoints=["tcp://db.example.com:5432"]).control == ()


def test_a_recorded_proof_of_the_file_is_taken_as_it_is() -> None:
    proof = [{"command": "curl -i http://a.example.com/", "matchers": [{"type": "word", "words": ["x"]}]}]
    finding = one(replay=proof, control=proof, steps_to_reproduce="$ something else")
    assert finding.replay == finding.control
    assert finding.replay[0].command == "curl -i http://a.example.com/"
    assert finding.replay[0].matchers[0].values == ("x",)


@pytest.mark.parametrize(
    ("fields", "status", "word"),
    [
        ({}, FindingStatus.open, ""),
        ({"active": True}, FindingStatus.open, "active"),
        ({"active": False}, FindingStatus.suppressed, "inactive"),
        ({"false_p": True, "active": False}, FindingStatus.false_positive, "false_p"),
        ({"duplicate": True}, FindingStatus.duplicate, "duplicate"),
        ({"out_of_scope": True}, FindingStatus.out_of_scope, "out_of_scope"),
        ({"risk_accepted": True, "active": True}, FindingStatus.accepted, "risk_accepted"),
        ({"is_mitigated": True, "mitigated": True}, FindingStatus.fixed, "mitigated"),
        ({"mitigated": "2026-01-10"}, FindingStatus.fixed, "mitigated 2026-01-10"),
        ({"is_mitigated": False, "mitigated": None}, FindingStatus.open, ""),
    ],
)
def test_status(fields: dict[str, Any], status: FindingStatus, word: str) -> None:
    finding = one(**fields)
    assert (finding.status, finding.status_word) == (status, word)


def test_without_an_id_the_ref_is_what_there_is() -> None:
    finding = one(vuln_id_from_tool="V1", endpoints=["http://a.example.com/x"])
    assert finding.ref == "V1 T a.example.com:80/x"


def test_the_newest_cvss_is_taken() -> None:
    finding = one(
        cvssv3="CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H",
        cvssv4="CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N",
    )
    assert finding.cvss is not None
    assert finding.cvss.version == "4.0"


def test_many_unknown_fields_are_counted() -> None:
    finding = one(**{f"odd_{number}": 1 for number in range(25)})
    assert finding.notes[-1].endswith("and 5 more.")


def test_an_item_nested_too_deeply_is_rejected_alone() -> None:
    deep: Any = "x"
    for _ in range(100):
        deep = [deep]
    report = read({"findings": [{"title": "deep", "tags": deep}, {"title": "fine"}]})
    assert [finding.title for finding in report.findings] == ["fine"]
    assert "levels deep" in report.rejected[0].reason


def test_a_bare_list_and_several_documents() -> None:
    assert read([{"title": "a"}, {"title": "b"}]).imported == 2
    document = read_json('{"findings": [{"title": "a"}]}\n{"findings": [{"title": "b"}]}')
    assert read_generic(document, "x").imported == 2
    assert read({"findings": None}).found == 0


def test_findings_that_is_no_list_is_refused() -> None:
    with pytest.raises(FindingsError, match="is not a list"):
        read({"findings": {"title": "a"}})


def test_a_second_document_that_is_cut_off_is_refused() -> None:
    with pytest.raises(FindingsError, match="from line 2 on"):
        read_generic(read_json('{"findings": []}\n{"findings": [{"ti'), "x")


def test_too_many_findings_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(generic_json, "MAX_ITEMS", 1)
    with pytest.raises(FindingsError, match="more than 1 findings"):
        read({"findings": [{}, {}]})
