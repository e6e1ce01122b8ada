"""What came of reading a findings file."""

from __future__ import annotations

from collections.abc import Collection

from pydantic import BaseModel, ConfigDict

from engine.findings.model import Finding, FindingStatus


class Rejected(BaseModel):
    """An item that could not be taken."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    item: int
    """Counted from 1 over all items of the file."""
    line: int | None = None
    """Where the item begins, for formats with an item a line."""
    reason: str


class ImportReport(BaseModel):
    """The answer to an import, complete before anything is stored."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: str
    name: str
    """The file's name, for people."""
    findings: tuple[Finding, ...] = ()
    """What is to be taken: the imported ones."""
    rejected: tuple[Rejected, ...] = ()
    known: tuple[Finding, ...] = ()
    """Already here by `Finding.key`, or repeated in the file; filled by `without_known`."""
    notes: tuple[str, ...] = ()
    """About the file as a whole: guesses, things put right."""

    @property
    def found(self) -> int:
        """Items in the file, readable or not."""
        return len(self.findings) + len(self.known) + len(self.rejected)

    @property
    def imported(self) -> int:
        """Findings that are taken."""
        return len(self.findings)

    @property
    def not_open(self) -> int:
        """Taken findings that their source calls fixed, accepted, a false positive and the like."""
        return sum(finding.status is not FindingStatus.open for finding in self.findings)

    def without_known(self, keys: Collection[str]) -> ImportReport:
        """The same report, findings whose key is known or was seen earlier in the file set apart."""
        seen = set(keys)
        fresh: list[Finding] = []
        known = list(self.known)
        # Keys of this file count as well, since one finding may stand in it twice.
        for finding in self.findings:
            (known if finding.key in seen else fresh).append(finding)
            seen.add(finding.key)
        return self.model_copy(update={"findings": tuple(fresh), "known": tuple(known)})
