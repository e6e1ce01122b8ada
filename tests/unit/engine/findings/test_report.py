from __future__ import annotations

from engine.findings.model import Endpoint, Finding, FindingStatus
from engine.findings.report import ImportReport, Rejected


def finding(title: str, status: FindingStatus = FindingStatus.open) -> Finding:
    return Finding(format="generic-json", ref=title, title=title, status=status)


def test_the_counts_add_up() -> None:
    report = ImportReport(
        format="generic-json",
        name="x.json",
        findings=(finding("a"), finding("b", FindingStatus.fixed)),
        rejected=(Rejected(item=3, reason="title missing"),),
    )
    assert (report.found, report.imported, report.not_open) == (3, 2, 1)


def test_what_is_known_or_repeated_is_set_apart() -> None:
    a, b = finding("a"), finding("b")
    report = ImportReport(format="generic-json", name="x.json", findings=(a, b, b)).without_known({a.key})
    assert report.findings == (b,)
    assert report.known == (a, b)
    assert report.found == 3


def test_the_key_holds_place_and_title_besides_the_ref() -> None:
    here = Endpoint(host="a.example.com", port=443, path="/x")
    base = finding("a").model_copy(update={"endpoints": (here,)})
    other_port = base.model_copy(update={"endpoints": (here.model_copy(update={"port": 8443}),)})
    other_title = base.model_copy(update={"title": "b"})
    assert len({base.key, other_port.key, other_title.key}) == 3
