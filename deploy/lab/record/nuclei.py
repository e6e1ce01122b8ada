"""The findings as nuclei's JSON lines, each with the template that found it."""

from __future__ import annotations

import base64
import re
from typing import Any

import yaml

from ..app import Mode, build
from ..visitors import COOKIE, cookie_for
from .catalogue import FOUND, PORT, RIGHT_VERDICTS, Weakness, base, probe_request, raw_response, weaknesses

# Scanners pass for a browser, and a replay has to send what they sent.
AGENT = (
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/132.0.0.0 Safari/537.36"
)


def nuclei_records() -> list[dict[str, Any]]:
    """The whole file, a record a line: every weakness on every host."""
    return [_record(weakness, host) for host in RIGHT_VERDICTS for weakness in weaknesses()]


def nuclei_title(weakness: Weakness, host: str) -> str:
    """What nuclei calls the finding; unlike the tester's title, so that both files can be told apart."""
    return f"Example Orchard ({host}) - {weakness.name}"


def _record(weakness: Weakness, host: str) -> dict[str, Any]:
    cookie = _cookie(weakness)
    # Asked of the shop itself, so that what is recorded can never differ from what it answers.
    answer = build(Mode.vulnerable)(probe_request(weakness, cookie))
    response = raw_response(answer)
    url = base(host) + weakness.probe["target"]
    record = {
        "template-id": weakness.id,
        "template-path": f"orchard/{weakness.id}.yaml",
        "template-encoded": base64.b64encode(_template(weakness, host).encode()).decode(),
        "info": _info(weakness, host),
        "type": "http",
        "host": host,
        "port": str(PORT),
        "scheme": "http",
        "url": base(host),
        "path": weakness.probe["target"].partition("?")[0],
        "matched-at": url,
        "request": _raw_request(weakness, host, cookie),
        "response": response,
        "timestamp": f"{FOUND}T09:30:00.000000Z",
        "curl-command": _curl(url, cookie),
        "matcher-status": True,
    }
    if "extract" in weakness.probe:
        record["extracted-results"] = sorted(set(re.findall(weakness.probe["extract"], answer.body)))
    return record


def _info(weakness: Weakness, host: str) -> dict[str, Any]:
    return {
        "name": nuclei_title(weakness, host),
        "author": ["example-orchard"],
        "tags": ["orchard", f"cwe-{weakness.cwe}"],
        "description": weakness.description,
        "impact": weakness.impact,
        "reference": weakness.references,
        "severity": weakness.severity,
        "metadata": {"max-request": 1},
        "classification": {
            "cve-id": None,
            "cwe-id": [f"cwe-{weakness.cwe}"],
            "cvss-metrics": weakness.cvss,
            "cvss-score": weakness.score,
        },
        "remediation": weakness.remediation,
    }


def _template(weakness: Weakness, host: str) -> str:
    request: dict[str, Any] = {
        "method": "GET",
        "path": ["{{BaseURL}}" + weakness.probe["target"]],
        "matchers-condition": "and",
        "matchers": weakness.probe["matchers"],
    }
    if cookie := _cookie(weakness):
        request["headers"] = {"Cookie": cookie}
    if "extract" in weakness.probe:
        request["extractors"] = [{"type": "regex", "part": "body", "regex": [weakness.probe["extract"]]}]
    template = {"id": weakness.id, "info": _info(weakness, host), "http": [request]}
    return str(yaml.safe_dump(template, sort_keys=False))


def _cookie(weakness: Weakness) -> str:
    customer = weakness.probe.get("customer")
    return f"{COOKIE}={cookie_for(customer)}" if customer else ""


def _raw_request(weakness: Weakness, host: str, cookie: str) -> str:
    head = [
        f"GET {weakness.probe['target']} HTTP/1.1",
        f"Host: {host}:{PORT}",
        f"User-Agent: {AGENT}",
        "Connection: close",
        *([f"Cookie: {cookie}"] if cookie else []),
        "Accept-Encoding: gzip",
    ]
    return "\r\n".join(head) + "\r\n\r\n"


def _curl(url: str, cookie: str) -> str:
    header = f"-H 'Cookie: {cookie}' " if cookie else ""
    return f"curl -X 'GET' -d '' {header}-H 'User-Agent: {AGENT}' '{url}'"
