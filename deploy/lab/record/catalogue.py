"""The catalogue of the shop's weaknesses, and the hosts on which each was once found."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from ..web import Request, Response

CATALOGUE = Path(__file__).with_name("catalogue.yaml")
PORT = 8080
FOUND = "2026-03-10"

RIGHT_VERDICTS = {
    "vulnerable.lab.example.com": "still_open",
    "fixed.lab.example.com": "fixed",
    "dead.lab.example.com": "none",
}
"""Per host the one right answer; `none` is a hand-back, since nothing answers there."""


@dataclass(frozen=True, kw_only=True)
class Weakness:
    """One entry of the catalogue. Matchers are in nuclei's words."""

    id: str
    name: str
    severity: str
    cwe: int
    cvss: str
    score: float
    description: str
    impact: str
    remediation: str
    references: list[str]
    probe: dict[str, Any]
    """The scanner's request: `target`, `matchers`, perhaps `extract` (a regex) and `customer` (logged in)."""
    replay: list[dict[str, Any]]
    """`command` with `{base}` for the address, and `matchers`."""
    control: list[dict[str, Any]]
    param: str = ""

    def title(self, host: str) -> str:
        """What the finding is called on one host."""
        return f"{self.name} of {host}"


def weaknesses() -> list[Weakness]:
    """All entries, in the order of the catalogue."""
    return [Weakness(**entry) for entry in yaml.safe_load(CATALOGUE.read_text())]


def base(host: str) -> str:
    """The shop's address on one host."""
    return f"http://{host}:{PORT}"


def raw_response(response: Response) -> str:
    """A response as it stood on the wire, with the day the finding was made."""
    # Only what a proof that works can bring; another status is a mistake in the catalogue.
    names = {200: "OK", 302: "Found"}
    head = [
        f"HTTP/1.1 {response.status} {names[response.status]}",
        "Server: ExampleOrchard",
        # A fixed day, so that the files come out the same each time they are written.
        "Date: Tue, 10 Mar 2026 09:30:00 GMT",
        f"Content-Type: {response.content_type}",
        f"Content-Length: {len(response.body.encode())}",
        *(f"{name}: {value}" for name, value in response.headers),
    ]
    return "\r\n".join(head) + "\r\n\r\n" + response.body


def probe_request(weakness: Weakness, cookie: str) -> Request:
    """The scanner's request, ready for the shop."""
    return Request.read("GET", weakness.probe["target"], cookie=cookie)
