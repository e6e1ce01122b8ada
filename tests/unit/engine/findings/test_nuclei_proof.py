from __future__ import annotations

import base64
from typing import Any

import pytest
import yaml

from engine.findings.endpoints import parse_endpoint
from engine.findings.model import Matcher, RecordedStep
from engine.findings.nuclei_proof import replay_of

ENDPOINT = parse_endpoint("http://shop.example.com:8080/a")
REQUEST = "GET /a HTTP/1.1\r\nHost: shop.example.com:8080\r\n\r\n"


def proof(**record: Any) -> tuple[tuple[RecordedStep, ...], list[str]]:
    notes: list[str] = []
    return replay_of(record, ENDPOINT, notes), notes


def encoded(*matchers: dict[str, Any], **request: Any) -> str:
    template = {"id": "t", "http": [{"matchers": list(matchers), **request}]}
    return base64.b64encode(yaml.safe_dump(template).encode()).decode()


def test_the_request_with_the_matchers_of_its_template() -> None:
    template = encoded(
        {"type": "word", "words": ["hit"]},
        {"type": "status", "status": [200]},
        **{"matchers-condition": "and"},
    )
    steps, notes = proof(request=REQUEST, **{"template-encoded": template})
    assert steps == (
        RecordedStep(
            command="curl -sS -i -X GET http://shop.example.com:8080/a",
            matchers=(
                Matcher(type="word", values=("hit",), part="body"),
                Matcher(type="status", values=("200",)),
            ),
            condition="and",
        ),
    )
    assert notes == []


def test_without_a_template_what_was_extracted_and_the_status_must_both_return() -> None:
    steps, _ = proof(
        request=REQUEST, response="HTTP/1.1 200 OK\r\n\r\nx", **{"extracted-results": ["v1", "", "v2"]}
    )
    assert steps[0].condition == "and"
    assert steps[0].matchers == (
        Matcher(type="extracted", values=("v1", "v2")),
        Matcher(type="status", values=("200",)),
    )


def test_a_template_that_cannot_be_compared_faithfully_is_not_compared_in_part() -> None:
    template = encoded({"type": "word", "words": ["hit"]}, {"type": "dsl", "dsl": ["len(body) > 5"]})
    steps, notes = proof(request=REQUEST, response="HTTP/1.1 302 Found", **{"template-encoded": template})
    assert steps[0].matchers == (Matcher(type="status", values=("302",)),)
    assert "dsl" in notes[0]


def test_a_request_with_nothing_to_compare_is_still_a_step() -> None:
    steps, _ = proof(request=REQUEST)
    assert steps[0].matchers == ()


def test_a_plain_curl_command_is_quoted_anew() -> None:
    steps, _ = proof(**{"curl-command": "curl -X 'GET' -d '' -H X:$(id) http://shop.example.com:8080/a?`id`"})
    assert steps[0].command == "curl -sS -i -X GET -H 'X: $(id)' 'http://shop.example.com:8080/a?`id`'"


@pytest.mark.parametrize(
    "command",
    [
        "curl http://shop.example.com:8080/a; id",
        "curl http://other.example.com:8080/a",
        "curl http://shop.example.com:8081/a",
        "curl -o /etc/passwd http://shop.example.com:8080/a",
        "curl 'unbalanced",
    ],
)
def test_any_other_command_stays_text(command: str) -> None:
    steps, notes = proof(**{"curl-command": command})
    assert steps == ()
    assert "text only" in notes[0]


def test_a_record_of_another_protocol_has_no_replay() -> None:
    assert proof(request=";; opcode: QUERY, status: NOERROR\n;; QUESTION\n") == ((), [])
    assert proof(request="GET / HTTP/1.1\r\n\r\n", **{"curl-command": 7})[0][0].command.startswith("curl ")
