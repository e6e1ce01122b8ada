from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import FindingsError
from engine.findings import read
from engine.findings.projection import report_as_json
from engine.findings.read import read_findings

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda children: (
        st.lists(children, max_size=4) | st.dictionaries(st.text(max_size=12), children, max_size=4)
    ),
    max_leaves=12,
)
GENERIC_FIELDS = [
    "title",
    "severity",
    "description",
    "cwe",
    "cwes",
    "cve",
    "cvssv3",
    "cvssv3_score",
    "cvssv4",
    "endpoints",
    "steps_to_reproduce",
    "files",
    "references",
    "date",
    "mitigated",
    "replay",
    "control",
    "param",
    "unique_id_from_tool",
]
NUCLEI_FIELDS = [
    "template-id",
    "matcher-name",
    "type",
    "host",
    "port",
    "scheme",
    "url",
    "matched-at",
    "request",
    "response",
    "extracted-results",
    "curl-command",
    "template-encoded",
    "timestamp",
    "interaction",
    "ip",
]


def survives(data: bytes, name: str = "x.json") -> None:
    try:
        report = read_findings(data, name)
    except FindingsError:
        return
    assert report.found == len(report.findings) + len(report.rejected)
    text = json.dumps(report_as_json(report), allow_nan=False, ensure_ascii=False)
    text.encode()
    assert "\x00" not in report.model_dump_json()


@given(st.binary(max_size=400))
def test_any_bytes_give_a_report_or_a_findings_error(data: bytes) -> None:
    survives(data)


@given(
    st.sampled_from([b"{", b"[", b"[{", b'{"findings":[', b'{"info":{},"template-id":']),
    st.binary(max_size=200),
)
def test_any_bytes_behind_a_promising_start_do_too(start: bytes, data: bytes) -> None:
    survives(start + data, "x.jsonl")


@given(st.dictionaries(st.sampled_from(GENERIC_FIELDS), JSON), st.text(min_size=1))
def test_any_values_in_generic_fields_do_too(item: dict[str, Any], title: str) -> None:
    survives(json.dumps({"findings": [{**item, "title": title}, item]}).encode())


@given(
    st.dictionaries(st.sampled_from(NUCLEI_FIELDS), JSON),
    st.dictionaries(
        st.sampled_from(["name", "severity", "classification", "reference", "description"]), JSON
    ),
)
def test_any_values_in_nuclei_fields_do_too(record: dict[str, Any], info: dict[str, Any]) -> None:
    survives(json.dumps({"template-id": "t", **record, "info": info}).encode())


def test_an_empty_file_is_no_error_only_as_json_lines() -> None:
    report = read_findings(b"", "scan.JSONL")
    assert (report.format, report.found) == ("nuclei", 0)
    assert "nothing matched" in report.notes[0]
    with pytest.raises(FindingsError, match="empty"):
        read_findings(b"", "scan.json")


def test_no_findings_is_a_normal_answer() -> None:
    assert read_findings(b'{"findings": []}', "x.json").found == 0


def test_a_file_beyond_the_limit_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(read, "MAX_FILE_BYTES", 10)
    with pytest.raises(FindingsError, match="larger than"):
        read_findings(b'{"findings": []}', "x.json")


def test_the_notes_of_every_stage_are_told() -> None:
    report = read_findings('{"findings": [{"title": "é", "cwe": NaN}]}'.encode("cp1252"), "x.json")
    assert ["Windows-1252" in report.notes[0], "NaN" in report.notes[1]] == [True, True]


def test_different_findings_never_share_a_key_and_a_second_reading_gives_the_same() -> None:
    items = [{"title": "T", "description": text} for text in ("a", "b", "a", "b", "c")]
    data = json.dumps({"findings": items}).encode()
    first, second = read_findings(data, "x.json"), read_findings(data, "x.json")
    assert [finding.ref for finding in first.findings] == ["T", "T #2", "T", "T #2", "T #3"]
    keys = {finding.key for finding in first.findings}
    assert len(keys) == 3
    assert second.without_known(keys).imported == 0
