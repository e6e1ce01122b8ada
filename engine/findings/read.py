"""The one way in: the bytes of a findings file become a report."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import PurePath

from engine.errors import FindingsError
from engine.findings.detect import Format, decode, format_of, refuse_unless_json
from engine.findings.generic_json import read_generic
from engine.findings.jsontext import JsonText, read_json
from engine.findings.limits import MAX_FILE_BYTES
from engine.findings.model import Finding
from engine.findings.nuclei import read_nuclei
from engine.findings.report import ImportReport

_READERS: dict[Format, Callable[[JsonText, str], ImportReport]] = {
    "generic-json": read_generic,
    "nuclei": read_nuclei,
}


def read_findings(data: bytes, name: str) -> ImportReport:
    """Read a findings file of any known format.

    `name` is shown to people; it decides nothing but this: nuclei writes a file of no bytes when nothing
    matched, so an empty `.jsonl` is a normal answer. One bad item is in `rejected` and stops nothing.
    Raises `FindingsError`, a sentence that says what the file is, and nothing else.
    """
    if len(data) > MAX_FILE_BYTES:
        limit = MAX_FILE_BYTES // 1024 // 1024
        raise FindingsError(f"The file is larger than {limit} MiB; split it into smaller ones.")
    # Any other empty file is refused, because an export that failed looks the same.
    if not data and PurePath(name).suffix.lower() == ".jsonl":
        return ImportReport(
            format="nuclei",
            name=name,
            notes=("The file is empty, as nuclei leaves it when nothing matched.",),
        )
    decoded = decode(data)
    refuse_unless_json(decoded.text)
    document = read_json(decoded.text)
    report = _READERS[format_of(document)](document, name)
    notes = decoded.notes + tuple(document.notes) + report.notes
    return report.model_copy(update={"findings": _told_apart(report.findings), "notes": notes})


def _told_apart(findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
    """Number the refs of findings that share a key and yet differ, so that none is taken for a repetition."""
    firsts: dict[str, Finding] = {}
    others: dict[str, dict[Finding, int]] = {}
    result: list[Finding] = []
    for finding in findings:
        key = finding.key
        first = firsts.setdefault(key, finding)
        if first == finding:
            result.append(finding)
            continue
        # By content and not by place in the file, so that a second import gives the same refs.
        same_key = others.setdefault(key, {})
        number = same_key.setdefault(finding, len(same_key) + 2)
        result.append(finding.model_copy(update={"ref": f"{finding.ref} #{number}"}))
    return tuple(result)
