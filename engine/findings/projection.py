"""An import report as JSON, for `revalid import --json`."""

from __future__ import annotations

from engine.findings.model import Finding
from engine.findings.report import ImportReport
from engine.scope import labels, propose, unconfirmed

Json = dict[str, object]


def report_as_json(report: ImportReport) -> Json:
    """The report as plain JSON values.

    Shape::

        {"format": "nuclei", "found": 3, "imported": 2, "known": 0, "not_open": 0,
         "rejected": [{"item": 3, "line": 3 | null, "reason": "the line is cut off"}],
         "notes": ["The file is not UTF-8; it was read as Windows-1252."],
         "error": null,
         "findings": [{"title": "...", "severity": "high", "status": "open", "ref": "...",
                       "endpoints": ["https://app.example.com/login"],
                       "scope": [{"target": "app.example.com:443", "needs_yes": ["private"]}],
                       "notes": ["..."]}]}

    `found` counts every item, readable or not. `scope` is what would be proposed; `needs_yes` says why a
    target needs a person's yes, empty when it does not, and a target without a port still needs one.
    Passwords in endpoints are masked.
    """
    return {
        "format": report.format,
        "found": report.found,
        "imported": report.imported,
        "known": len(report.known),
        "not_open": report.not_open,
        "rejected": [rejected.model_dump() for rejected in report.rejected],
        "notes": list(report.notes),
        "error": None,
        "findings": [_finding(finding) for finding in report.findings],
    }


def refusal_as_json(sentence: str) -> Json:
    """The same shape for a file that was refused: nothing found, `format` null and the reason in `error`."""
    # Made from an empty report, so that the two shapes cannot drift apart.
    empty = report_as_json(ImportReport(format="", name=""))
    return {**empty, "format": None, "error": sentence}


def _finding(finding: Finding) -> Json:
    scope = propose(finding)
    waiting = {target.host: dangers for target, dangers in unconfirmed(scope)}
    return {
        "title": finding.title,
        "severity": finding.severity.value,
        "status": finding.status.value,
        "ref": finding.ref,
        "endpoints": [endpoint.display for endpoint in finding.endpoints],
        "scope": [
            {"target": label, "needs_yes": sorted(waiting.get(target.host, ()))}
            for target in scope.targets
            for label in labels(target)
        ],
        "notes": list(finding.notes),
    }
