"""nuclei's records: JSON lines, a JSON list, and the schema of 2021.

Field names: https://docs.projectdiscovery.io/opensource/nuclei (JSONL export).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from engine.findings.detect import is_nuclei
from engine.findings.endpoints import endpoint_of, parse_endpoint
from engine.findings.hosts import BadHost
from engine.findings.http_command import alive_step
from engine.findings.identifiers import cves_of, cwes_of, date_of
from engine.findings.jsontext import JsonText, Unreadable, is_too_deep
from engine.findings.limits import MAX_DEPTH
from engine.findings.model import Endpoint, Evidence, Finding
from engine.findings.nuclei_proof import replay_of
from engine.findings.ratings import cvss_of, severity_of
from engine.findings.report import ImportReport, Rejected
from engine.findings.text import excerpt, first_given, is_given, text_of, words_of

# Templates of these types read files, so the place of a match must not become a host.
_NO_NETWORK = ("file", "code")
_EVIDENCE: tuple[tuple[str, Literal["request", "response", "other"]], ...] = (
    ("request", "request"),
    ("response", "response"),
    ("interaction", "other"),
)


class _NoFinding(ValueError):
    """Why a record is no finding."""


def read_nuclei(document: JsonText, name: str) -> ImportReport:
    """All records of a file; a record that did not match or cannot be read is rejected by number and line."""
    findings: list[Finding] = []
    rejected: list[Rejected] = []
    for number, entry in enumerate(document.entries, start=1):
        try:
            if isinstance(entry, Unreadable):
                raise _NoFinding(entry.reason)
            findings.append(_finding(entry.value))
        except _NoFinding as problem:
            rejected.append(Rejected(item=number, line=entry.line, reason=str(problem)))
    return ImportReport(format="nuclei", name=name, findings=tuple(findings), rejected=tuple(rejected))


def _finding(record: object) -> Finding:
    if not isinstance(record, Mapping) or not is_nuclei(record):
        raise _NoFinding("not a record of nuclei: it has no template-id and info")
    # nuclei writes these when it is told to record misses as well.
    if record.get("matcher-status") is False:
        raise _NoFinding("did not match (matcher-status is false)")
    if is_too_deep(record):
        raise _NoFinding(f"nested more than {MAX_DEPTH} levels deep")
    notes: list[str] = []
    info = record["info"]
    classification = info.get("classification")
    classification = classification if isinstance(classification, Mapping) else {}
    cvss = cvss_of(classification.get("cvss-metrics"), classification.get("cvss-score"), "", notes)
    endpoint = _endpoint(record, notes)
    curl = text_of(first_given(record, "curl-command", "curl_command"), notes, "The curl command")
    control = alive_step(endpoint) if endpoint else None
    return Finding(
        format="nuclei",
        ref=_ref(record, notes),
        title=_title(record, info, notes),
        severity=severity_of(info.get("severity"), cvss, notes),
        cvss=cvss,
        cwe=cwes_of([classification.get("cwe-id")], notes),
        cve=cves_of([classification.get("cve-id")]),
        description=text_of(info.get("description"), notes, "The description"),
        impact=text_of(info.get("impact"), notes, "The impact"),
        remediation=text_of(info.get("remediation"), notes, "The remediation"),
        endpoints=(endpoint,) if endpoint else (),
        steps=(curl,) if curl else (),
        evidence=_evidence(record, notes),
        replay=replay_of(record, endpoint, notes) if endpoint else (),
        control=(control,) if control else (),
        references=words_of(info.get("reference"), notes, "A reference"),
        found=date_of(record.get("timestamp"), notes),
        tool="nuclei",
        status_word="",
        notes=tuple(notes),
    )


def _title(record: Mapping[str, object], info: Mapping[str, object], notes: list[str]) -> str:
    name = text_of(info.get("name"), notes, "The title") or _template_id(record, notes)
    if not name:
        raise _NoFinding("it has neither a name nor a template-id")
    # Many templates find several things under one name, told apart by the matcher only.
    details = [
        text_of(first_given(record, *fields), notes, "The matcher's name")
        for fields in (("matcher-name", "matcher_name"), ("extractor-name", "extractor_name"))
    ]
    told = ", ".join(detail for detail in details if detail)
    return f"{name} ({told})" if told else name


def _template_id(record: Mapping[str, object], notes: list[str]) -> str:
    return text_of(first_given(record, "template-id", "templateID", "template"), notes, "The template-id")


def _ref(record: Mapping[str, object], notes: list[str]) -> str:
    # A template id alone is not unique: one template hits many hosts, and one host by many matchers.
    parts = (
        first_given(record, "template-id", "templateID", "template"),
        first_given(record, "matcher-name", "matcher_name"),
        first_given(record, "matched-at", "matched"),
    )
    return " ".join(text for part in parts if (text := text_of(part, notes, "The ref")))


def _endpoint(record: Mapping[str, object], notes: list[str]) -> Endpoint | None:
    """Where it matched: `matched-at`, else the url, else host and port; a file's path has no host."""
    place = first_given(record, "matched-at", "matched", "url")
    if record.get("type") in _NO_NETWORK:
        path = text_of(place or record.get("host"), notes, "The path")
        return Endpoint(path=path) if path else None
    host = _host(record)
    if not isinstance(place, str):
        return host
    try:
        return _with_host(parse_endpoint(place), host, notes)
    except BadHost as error:
        notes.append(f"Endpoint left out: {excerpt(str(error), 120)}.")
        return None


def _with_host(endpoint: Endpoint, host: Endpoint | None, notes: list[str]) -> Endpoint:
    """The place of the match, marked when it is on another host than the scanned one."""
    if host is None or host.host is None or endpoint.host is None:
        return endpoint
    # A subdomain counts as another host: who owns it is for a person to know.
    if endpoint.host != host.host:
        notes.append(f"The match is on {endpoint.host}, not on the scanned host {host.host}.")
        return endpoint.model_copy(update={"third_party": True})
    if endpoint.port is None and host.port is not None:
        return endpoint.model_copy(update={"port": host.port, "scheme": endpoint.scheme or host.scheme})
    return endpoint


def _host(record: Mapping[str, object]) -> Endpoint | None:
    """The scanned host with the record's own port and scheme, where they are given and make sense."""
    if not isinstance(record.get("host"), str) or not is_given(record.get("host")):
        return None
    try:
        host = endpoint_of(
            {"host": record["host"], "protocol": record.get("scheme"), "port": record.get("port")}
        )
    except BadHost:
        return None
    # With its path, two endpoints of the same host could look like different places.
    return host.model_copy(update={"path": "", "query": "", "fragment": ""})


def _evidence(record: Mapping[str, object], notes: list[str]) -> tuple[Evidence, ...]:
    evidence = [
        Evidence(kind=kind, text=text, title=field)
        for field, kind in _EVIDENCE
        if (text := text_of(record.get(field), notes, f"The {field}"))
    ]
    extracted = first_given(record, "extracted-results", "extracted_results")
    for value in extracted if isinstance(extracted, list) else [extracted]:
        if text := text_of(value, notes, "An extracted value"):
            evidence.append(Evidence(kind="extracted", text=text))
    return tuple(evidence)
