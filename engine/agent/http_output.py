"""Finds the HTTP responses in what a command printed."""

from __future__ import annotations

import re
from dataclasses import dataclass

# HTTP/2 has neither a minor version nor a reason.
_STATUS_LINE = re.compile(r"^HTTP/\d(?:\.\d)? (\d{3})([^\r\n]*)\r?$", re.MULTILINE)
_BLANK_LINE = re.compile(r"\r?\n\r?\n")
_TRAILING_STATUS = re.compile(r"(\d{3})\s*\Z")
_FIRST_FINAL_STATUS = 200


@dataclass(frozen=True)
class Response:
    """One response, or the whole output when there is none in it."""

    status: int | None
    header: str | None
    """Status line and fields; None when the output has no headers."""
    body: str
    before: str = ""
    """What was printed ahead of the first response."""

    @property
    def all(self) -> str:
        """Everything, as printed."""
        return f"{self.before}{self.header or ''}{self.body}"


def responses(command: str, stdout: str) -> tuple[Response, ...]:
    """The responses in the output, in order, never none. Interim and proxy answers are left out.

    `curl -i` prints headers and body; `-L` prints the headers of each hop. Without headers the status is
    taken from the end of the output if the command asked curl to write it there.
    """
    starts = [match for match in _STATUS_LINE.finditer(stdout) if not _is_interim(match, stdout)]
    if not starts:
        return (Response(_written_status(command, stdout), None, stdout),)
    # Interim answers end the one before them too, though none of them counts.
    ends = [match.start() for match in _STATUS_LINE.finditer(stdout)] + [len(stdout)]
    found = []
    for index, match in enumerate(starts):
        end = next(position for position in ends if position > match.start())
        blank = _BLANK_LINE.search(stdout, match.end(), end)
        split = blank.end() if blank else end
        # What stands ahead of the first response may be the very value that is looked for.
        before = stdout[: match.start()] if index == 0 else ""
        found.append(
            Response(int(match.group(1)), stdout[match.start() : split], stdout[split:end], before=before)
        )
    return tuple(found)


def _is_interim(match: re.Match[str], stdout: str) -> bool:
    if int(match.group(1)) < _FIRST_FINAL_STATUS:
        return True
    # A proxy's answer to CONNECT has a status line and nothing else.
    tunnel = "connection established" in match.group(2).lower()
    return tunnel and _BLANK_LINE.match(stdout, match.end()) is not None


def _written_status(command: str, stdout: str) -> int | None:
    # Any page may end in three digits; they are a status only where curl was told to write one.
    if "%{http_code}" not in command and "%{response_code}" not in command:
        return None
    match = _TRAILING_STATUS.search(stdout)
    # curl writes 000 when no answer came.
    return int(match.group(1)) or None if match else None
