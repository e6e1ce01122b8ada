from __future__ import annotations

import json

from engine.findings.projection import refusal_as_json, report_as_json
from engine.findings.read import read_findings


def test_the_documented_shape() -> None:
    item = {
        "title": "T",
        "severity": "Low",
        "unique_id_from_tool": "1",
        "endpoints": ["https://bob:horse@10.0.0.7/x", "shop.example.com", "https://[2001:db8::5]/"],
    }
    report = read_findings(json.dumps({"findings": [item, {}]}).encode(), "x.json")
    shown = report_as_json(report)
    assert json.loads(json.dumps(shown)) == {
        "format": "generic-json",
        "found": 2,
        "imported": 1,
        "known": 0,
        "not_open": 0,
        "rejected": [{"item": 2, "line": None, "reason": "title, severity, description missing"}],
        "notes": [],
        "error": None,
        "findings": [
            {
                "title": "T",
                "severity": "low",
                "status": "open",
                "ref": "1",
                "endpoints": ["https://bob:***@10.0.0.7/x", "shop.example.com", "https://[2001:db8::5]/"],
                "scope": [
                    {"target": "10.0.0.7:443", "needs_yes": ["private"]},
                    {"target": "shop.example.com", "needs_yes": []},
                    {"target": "[2001:db8::5]:443", "needs_yes": []},
                ],
                "notes": [],
            }
        ],
    }


def test_a_refusal_has_the_same_fields() -> None:
    refused = refusal_as_json("The file is empty.")
    assert refused.keys() == report_as_json(read_findings(b"[]", "x.json")).keys()
    assert (refused["error"], refused["format"], refused["found"]) == ("The file is empty.", None, 0)
