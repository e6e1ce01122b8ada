"""The findings as DefectDojo generic JSON, with our own fields `replay` and `control`."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from .catalogue import FOUND, PORT, RIGHT_VERDICTS, Weakness, base, weaknesses


def generic_json() -> dict[str, Any]:
    """The whole file: every weakness on every host."""
    return {
        "name": "Example Orchard web test",
        "type": "Pentest",
        "findings": [_finding(weakness, host) for host in RIGHT_VERDICTS for weakness in weaknesses()],
    }


def _finding(weakness: Weakness, host: str) -> dict[str, Any]:
    url = urlsplit(weakness.probe["target"])
    replay = _steps(weakness.replay, host)
    finding = {
        "title": weakness.title(host),
        "severity": weakness.severity.capitalize(),
        "cwe": weakness.cwe,
        "cvssv3": weakness.cvss,
        "cvssv3_score": weakness.score,
        "description": weakness.description,
        "impact": weakness.impact,
        "mitigation": weakness.remediation,
        "references": "\n".join(weakness.references),
        "date": FOUND,
        "active": True,
        "verified": True,
        # With the host: the same weakness on another twin is another finding.
        "unique_id_from_tool": f"{weakness.id}@{host}",
        "endpoints": [{"protocol": "http", "host": host, "port": PORT, "path": url.path, "query": url.query}],
        "steps_to_reproduce": "\n".join(
            f"{number}. Run: {step['command']}" for number, step in enumerate(replay, start=1)
        ),
        "replay": replay,
        "control": _steps(weakness.control, host),
    }
    if weakness.param:
        finding["param"] = weakness.param
    return finding


def _steps(steps: list[dict[str, Any]], host: str) -> list[dict[str, Any]]:
    return [
        {
            "command": step["command"].replace("{base}", base(host)),
            "matchers": step["matchers"],
            "matchers-condition": "and",
        }
        for step in steps
    ]
