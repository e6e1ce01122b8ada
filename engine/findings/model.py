"""A finding: one old weakness to verify again, as its source told it."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from pydantic import BaseModel, ConfigDict

from engine.findings.hosts import DEFAULT_PORTS, bracketed


class Severity(StrEnum):
    """The tool's own label where it has one; `unknown` is asked about, never read as info."""

    critical = "critical"
    high = "high"
    medium = "medium"
    low = "low"
    info = "info"
    unknown = "unknown"


class FindingStatus(StrEnum):
    """What the source says of the finding."""

    open = "open"
    fixed = "fixed"
    false_positive = "false_positive"
    accepted = "accepted"
    duplicate = "duplicate"
    out_of_scope = "out_of_scope"
    suppressed = "suppressed"


class _Value(BaseModel):
    # Frozen values can be compared, hashed and shared; an unknown field is a mistake of an importer.
    model_config = ConfigDict(frozen=True, extra="forbid")


class Cvss(_Value):
    """A CVSS vector and its score."""

    version: str
    """`2.0`, `3.0`, `3.1` or `4.0`; of a score alone only what is known: `3`, `4` or empty."""
    vector: str | None = None
    score: float | None = None


class Endpoint(_Value):
    """One place the finding was seen. The host is lower-case, an A-label, without brackets."""

    scheme: str | None = None
    host: str | None = None
    port: int | None = None
    path: str = ""
    query: str = ""
    fragment: str = ""
    userinfo: str = ""
    """As recorded; only `display` masks it."""
    third_party: bool = False
    """The tool saw the weakness on another host than the one it was told to look at."""

    @property
    def address(self) -> str | None:
        """`host:port`, or `host` without a known port; IPv6 in brackets."""
        if self.host is None:
            return None
        return bracketed(self.host, self.port)

    @property
    def display(self) -> str:
        """The endpoint for people, any password masked."""
        if self.host is None:
            return self.path
        user = f"{self.userinfo.split(':', 1)[0]}:***@" if self.userinfo else ""
        scheme = f"{self.scheme}://" if self.scheme else ""
        query = f"?{self.query}" if self.query else ""
        is_default = self.port is not None and DEFAULT_PORTS.get(self.scheme or "") == self.port
        address = bracketed(self.host, None if is_default else self.port)
        return f"{scheme}{user}{address}{self.path}{query}"


class Evidence(_Value):
    """Something the source kept as proof. Untrusted text."""

    kind: Literal["request", "response", "extracted", "other"]
    text: str
    title: str = ""


class Attachment(_Value):
    """A file that came with the finding; kept out of chats and prompts."""

    title: str
    size: int
    """Bytes after decoding."""


class Matcher(_Value):
    """What told the tool that the weakness was there, in nuclei's words.

    `status` compares the HTTP status, `word` and `regex` search the output, `extracted` looks for values
    that the first run extracted.
    """

    type: Literal["status", "word", "regex", "extracted"]
    values: tuple[str, ...]
    part: str = "all"
    """`all`, `body` or `header`."""
    condition: Literal["and", "or"] = "or"
    negative: bool = False


class RecordedStep(_Value):
    """One command of the original proof. `matchers` empty means: nothing recorded to compare with."""

    command: str
    matchers: tuple[Matcher, ...] = ()
    condition: Literal["and", "or"] = "or"


class Finding(_Value):
    """One weakness. All text is untrusted: shown inert, handed to the agent as quoted data."""

    format: str
    """`generic-json`, `nuclei` or `manual`."""
    ref: str
    """The id in the source; not unique by itself."""
    title: str
    severity: Severity = Severity.unknown
    cvss: Cvss | None = None
    cwe: tuple[int, ...] = ()
    cve: tuple[str, ...] = ()
    description: str = ""
    impact: str = ""
    remediation: str = ""
    endpoints: tuple[Endpoint, ...] = ()
    steps: tuple[str, ...] = ()
    """The reproduction as its author wrote it, a step an item."""
    evidence: tuple[Evidence, ...] = ()
    attachments: tuple[Attachment, ...] = ()
    replay: tuple[RecordedStep, ...] = ()
    """The original proof as commands with what to compare."""
    control: tuple[RecordedStep, ...] = ()
    """Commands that show the target alive (and logged in, where the finding needs it)."""
    references: tuple[str, ...] = ()
    found: str | None = None
    """ISO date or date-time, as exact as the source was."""
    tool: str | None = None
    status: FindingStatus = FindingStatus.open
    status_word: str = ""
    """The source's own word."""
    notes: tuple[str, ...] = ()
    """What the importer had to guess, empty or normalise."""

    @property
    def key(self) -> str:
        """What makes it the same finding on a second import: format, ref, rule, host, port and path."""
        # A separator that inert text cannot hold, so that two keys never run into one.
        first = self.endpoints[0] if self.endpoints else Endpoint()
        return "\x1f".join((self.format, self.ref, self.title, first.address or "", first.path))
