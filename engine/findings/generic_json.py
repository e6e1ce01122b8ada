"""DefectDojo's generic findings JSON, and a bare list of its findings.

Fields: https://docs.defectdojo.com (Generic Findings Import). Our own optional fields `replay` and
`control` are described in `engine.findings.replay`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from engine.errors import FindingsError
from engine.findings.endpoints import endpoints_of
from engine.findings.http_command import alive_step
from engine.findings.identifiers import cves_of, cwes_of, date_of
from engine.findings.jsontext import JsonText, Parsed, Unreadable, is_too_deep
from engine.findings.limits import MAX_DEPTH, MAX_ITEMS
from engine.findings.model import Attachment, Cvss, Endpoint, Evidence, Finding, FindingStatus, RecordedStep
from engine.findings.ratings import cvss_of, severity_of
from engine.findings.replay import commands_in, recorded_steps, split_steps
from engine.findings.report import ImportReport, Rejected
from engine.findings.text import excerpt, first_given, is_given, text_of, words_of

# fmt: off
_READ = frozenset(
    {
        "title", "severity", "description", "impact", "mitigation", "cwe", "cwes", "cve",
        "vulnerability_ids", "cvssv3", "cvssv3_score", "cvssv4", "cvssv4_score", "endpoints",
        "steps_to_reproduce", "param", "payload", "files", "references", "date", "active", "false_p",
        "duplicate", "out_of_scope", "risk_accepted", "is_mitigated", "mitigated",
        "unique_id_from_tool", "vuln_id_from_tool", "replay", "control",
    }
)
# Known and of no use for a retest; naming them in every note would bury the fields that are misspelt.
_OF_DEFECTDOJO = frozenset(
    {
        "verified", "tags", "numerical_severity", "severity_justification", "line", "file_path",
        "component_name", "component_version", "static_finding", "dynamic_finding",
        "scanner_confidence", "nb_occurences", "thread_id", "sast_source_line", "sast_source_object",
        "sast_sink_object", "sast_source_file_path", "epss_score", "epss_percentile", "service",
        "publish_date", "under_review", "found_by", "hash_code", "sonarqube_issue", "effort_for_fixing",
        "planned_remediation_date", "planned_remediation_version", "fix_available", "fix_version",
        "kev_date", "known_exploited", "ransomware_used",
    }
)
# fmt: on
# The first that is set wins, since DefectDojo lets several of them stand at once.
_FLAGS = (
    ("false_p", FindingStatus.false_positive),
    ("duplicate", FindingStatus.duplicate),
    ("out_of_scope", FindingStatus.out_of_scope),
    ("risk_accepted", FindingStatus.accepted),
    ("is_mitigated", FindingStatus.fixed),
    ("mitigated", FindingStatus.fixed),
)
_MAX_NAMED = 20


class _NoFinding(ValueError):
    """Why an item is no finding."""


def read_generic(document: JsonText, name: str) -> ImportReport:
    """All items of a file; an item without a title or that is no object is rejected by number."""
    findings: list[Finding] = []
    rejected: list[Rejected] = []
    # Counted while they are read: a single document is one entry to the JSON reader, whatever it holds.
    for number, (item, line, tool) in enumerate(_items(document), start=1):
        if number > MAX_ITEMS:
            raise FindingsError(
                f"The file holds more than {MAX_ITEMS:,} findings; split it into smaller ones."
            )
        try:
            findings.append(_finding(item, tool))
        except _NoFinding as problem:
            rejected.append(Rejected(item=number, line=line, reason=str(problem)))
    return ImportReport(format="generic-json", name=name, findings=tuple(findings), rejected=tuple(rejected))


def _items(document: JsonText) -> Iterator[tuple[object, int | None, str | None]]:
    """Every item with its line, where that is known, and the tool."""
    for entry in document.entries:
        if isinstance(entry, Unreadable):
            # One document is whole or not at all: which findings a broken part held nobody can tell.
            raise FindingsError(f"The file is not valid JSON from line {entry.line} on: {entry.reason}.")
        yield from _items_of(entry, is_list=document.is_list)


def _items_of(entry: Parsed, *, is_list: bool) -> Iterator[tuple[object, int | None, str | None]]:
    value = entry.value
    if is_list or not isinstance(value, Mapping):
        yield value, entry.line, None
        return
    items = value.get("findings")
    if items is not None and not isinstance(items, list):
        raise FindingsError('The field "findings" is not a list; expected is {"findings": [...]}.')
    parts = (first_given(value, "type", "name"), first_given(value, "version"))
    tool = " ".join(text for part in parts if (text := text_of(part, [], "The tool"))) or None
    for item in items or ():
        yield item, None, tool


def _finding(item: object, tool: str | None) -> Finding:
    if not isinstance(item, Mapping):
        raise _NoFinding(f"not an object but {excerpt(item)}")
    if is_too_deep(item):
        raise _NoFinding(f"nested more than {MAX_DEPTH} levels deep")
    notes: list[str] = []
    title = " ".join(text_of(item.get("title"), notes, "The title").split())
    if not title:
        missing = [name for name in ("title", "severity", "description") if not is_given(item.get(name))]
        raise _NoFinding(f"{', '.join(missing)} missing")
    cvss = _cvss(item, notes)
    endpoints = endpoints_of(item.get("endpoints"), notes)
    steps = text_of(item.get("steps_to_reproduce"), notes, "The steps")
    status, word = _status(item, notes)
    return Finding(
        format="generic-json",
        ref=_ref(item, title, endpoints, notes),
        title=title,
        severity=severity_of(item.get("severity"), cvss, notes),
        cvss=cvss,
        cwe=cwes_of([item.get("cwe"), item.get("cwes")], notes),
        cve=cves_of([item.get("cve"), item.get("vulnerability_ids")]),
        description=text_of(item.get("description"), notes, "The description"),
        impact=text_of(item.get("impact"), notes, "The impact"),
        remediation=text_of(item.get("mitigation"), notes, "The remediation"),
        endpoints=endpoints,
        steps=split_steps(steps),
        evidence=_evidence(item, notes),
        attachments=_attachments(item.get("files"), notes),
        # A recorded proof wins: commands in prose have nothing to compare with.
        replay=recorded_steps(item.get("replay"), "replay", notes) or commands_in(steps, notes),
        # Without a control no retest could ever end in "fixed", so a plain sign of life stands in.
        control=recorded_steps(item.get("control"), "control", notes) or _alive(endpoints),
        references=words_of(item.get("references"), notes, "A reference"),
        found=date_of(item.get("date"), notes),
        tool=tool,
        status=status,
        status_word=word,
        notes=(*notes, *_unused(item)),
    )


def _cvss(item: Mapping[str, object], notes: list[str]) -> Cvss | None:
    """The newest version that was given."""
    return cvss_of(item.get("cvssv4"), item.get("cvssv4_score"), "4", notes) or cvss_of(
        item.get("cvssv3"), item.get("cvssv3_score"), "3", notes
    )


def _ref(item: Mapping[str, object], title: str, endpoints: tuple[Endpoint, ...], notes: list[str]) -> str:
    if unique := text_of(item.get("unique_id_from_tool"), notes, "The id"):
        return unique
    # The id of the rule is the same for every hit of it, so title and place must tell them apart.
    first = (endpoints[0].address or "") + endpoints[0].path if endpoints else ""
    parts = (text_of(item.get("vuln_id_from_tool"), notes, "The id"), title, first)
    return " ".join(part for part in parts if part)


def _status(item: Mapping[str, object], notes: list[str]) -> tuple[FindingStatus, str]:
    """The status and the source's word. `mitigated` is a date in files and a bool in old documentation."""
    for flag, status in _FLAGS:
        value = item.get(flag)
        if value is not True and not (flag == "mitigated" and isinstance(value, str) and is_given(value)):
            continue
        if status is not FindingStatus.fixed:
            return status, flag
        when = item.get("mitigated")
        day = date_of(when, notes) if isinstance(when, str) else None
        return status, f"mitigated {day}" if day else "mitigated"
    if item.get("active") is False:
        return FindingStatus.suppressed, "inactive"
    return FindingStatus.open, "active" if item.get("active") is True else ""


def _evidence(item: Mapping[str, object], notes: list[str]) -> tuple[Evidence, ...]:
    return tuple(
        Evidence(kind="other", text=text, title=field)
        for field in ("param", "payload")
        if (text := text_of(item.get(field), notes, f"The {field}"))
    )


def _attachments(files: object, notes: list[str]) -> tuple[Attachment, ...]:
    """Names and sizes of attached files; their bytes stay in the source."""
    entries = [entry for entry in files if isinstance(entry, Mapping)] if isinstance(files, list) else []
    return tuple(
        Attachment(
            title=text_of(entry.get("title"), notes, "The file's name") or "untitled",
            size=_decoded_size(entry.get("data")),
        )
        for entry in entries
    )


def _decoded_size(data: object) -> int:
    # Counted, not decoded: attachments are most of a file's bytes and only the size is wanted.
    if not isinstance(data, str):
        return 0
    length = len(data) - sum(data.count(mark) for mark in "\r\n ")
    return length * 3 // 4 - min(data.count("="), 2)


def _alive(endpoints: tuple[Endpoint, ...]) -> tuple[RecordedStep, ...]:
    steps = (alive_step(endpoint) for endpoint in endpoints)
    return next(((step,) for step in steps if step), ())


def _unused(item: Mapping[str, object]) -> tuple[str, ...]:
    unknown = [excerpt(name, 50) for name in item if name not in _READ and name not in _OF_DEFECTDOJO]
    if not unknown:
        return ()
    more = f" and {len(unknown) - _MAX_NAMED} more" if len(unknown) > _MAX_NAMED else ""
    return (f"Fields that are not used: {', '.join(unknown[:_MAX_NAMED])}{more}.",)
