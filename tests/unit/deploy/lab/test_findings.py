"""The findings files: complete, consistent with the right verdicts, and true of the shop."""

from __future__ import annotations

import base64
import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml
from cvss import CVSS3

from deploy.lab.record.__main__ import FINDINGS, files

from .conftest import Answer, Shop

GENERIC: list[dict[str, Any]] = json.loads((FINDINGS / "generic.json").read_text())["findings"]
NUCLEI: list[dict[str, Any]] = [
    json.loads(line) for line in (FINDINGS / "nuclei.jsonl").read_text().splitlines()
]
VERDICTS: dict[str, dict[str, str]] = json.loads((FINDINGS / "verdicts.json").read_text())
RIGHT = {"vulnerable": "still_open", "fixed": "fixed", "dead": "none"}


@pytest.mark.parametrize("name", ["generic.json", "nuclei.jsonl", "verdicts.json"])
def test_files_are_what_the_catalogue_says(name: str) -> None:
    assert (FINDINGS / name).read_text() == files()[name], "run `python -m deploy.lab.record`"


def test_each_finding_has_its_verdict_and_its_own_title() -> None:
    assert [item["title"] for item in GENERIC] == list(VERDICTS["generic.json"])
    assert [item["info"]["name"] for item in NUCLEI] == list(VERDICTS["nuclei.jsonl"])
    titles = [title for known in VERDICTS.values() for title in known]
    assert len(titles) == len(set(titles)) == 36


@pytest.mark.parametrize("name", ["generic.json", "nuclei.jsonl"])
def test_each_weakness_is_on_each_host(name: str) -> None:
    right = [
        (re.search(r"(\w+)\.lab\.example\.com", title).group(1), verdict)  # type: ignore[union-attr]
        for title, verdict in VERDICTS[name].items()
    ]
    assert Counter(right) == dict.fromkeys(RIGHT.items(), 6)


def test_scores_are_those_of_the_vectors() -> None:
    for item in GENERIC:
        score = CVSS3(item["cvssv3"])
        assert item["cvssv3_score"] == float(score.base_score)
        assert item["severity"] == score.severities()[0]
    assert {item["severity"] for item in GENERIC} == {"Critical", "High", "Medium", "Low"}


def test_every_proof_and_control_has_something_to_compare() -> None:
    for item in GENERIC:
        assert item["replay"][-1]["matchers"], item["title"]
        assert all(step["matchers"] for step in item["control"]), item["title"]


def test_commands_go_to_the_findings_own_host() -> None:
    for item in GENERIC:
        host = item["endpoints"][0]["host"]
        for step in item["replay"] + item["control"]:
            assert f"http://{host}:8080/" in step["command"]


@pytest.mark.parametrize("record", NUCLEI, ids=lambda record: f"{record['template-id']}@{record['host']}")
def test_nuclei_saw_what_its_template_looks_for(
    record: dict[str, Any], vulnerable: Shop, fixed: Shop
) -> None:
    template = yaml.safe_load(base64.b64decode(record["template-encoded"]))
    assert template["id"] == record["template-id"]
    (probe,) = template["http"]
    (path,) = probe["path"]
    target = path.removeprefix("{{BaseURL}}")
    assert record["matched-at"] == record["url"] + target

    head, _, body = record["response"].partition("\r\n\r\n")
    recorded = Answer(int(head.split()[1]), _headers(head), body)
    assert _matches(probe["matchers"], recorded)
    assert _matches(probe["matchers"], vulnerable.send("GET", target, probe.get("headers", {})))
    assert not _matches(probe["matchers"], fixed.send("GET", target, probe.get("headers", {})))
    for value in record.get("extracted-results", []):
        assert value in body


def _headers(head: str) -> dict[str, str]:
    return dict(line.split(": ", 1) for line in head.split("\r\n")[1:])


def _matches(matchers: list[dict[str, Any]], answer: Answer) -> bool:
    """The few rules of nuclei's that the templates use, all matchers joined by `and`."""
    headers = "\n".join(f"{name}: {value}" for name, value in answer.headers.items())

    def one(matcher: dict[str, Any]) -> bool:
        if matcher["type"] == "status":
            return answer.status in matcher["status"]
        text = headers if matcher["part"] == "header" else answer.body
        if matcher["type"] == "word":
            return all(word in text for word in matcher["words"])
        return any(re.search(pattern, text) for pattern in matcher["regex"])

    return all(one(matcher) for matcher in matchers)


def test_nothing_of_this_machine_is_in_the_files() -> None:
    root = str(Path(__file__).parents[4])
    assert not [name for name in VERDICTS if root in (FINDINGS / name).read_text()]
