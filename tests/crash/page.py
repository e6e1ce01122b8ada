"""Writes docs/reference/crash-matrix.md from the tests' own rows: `python -m tests.crash.page`."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path

from tests.crash.points import ROWS
from tests.crash.promises import PROMISES

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "crash-matrix.md"

HEAD = """# Crash matrix

Written by `python -m tests.crash.page` from `tests/crash`. Each row is a test: the bot is killed with SIGKILL
when it comes to the point, started again, and driven on as a person would, against a real workspace server,
database and Docker engine. `make test` plays those marked *each time*, `make crash` all.

After each of them has to hold:

"""
EXPECTED = {
    "ran": "it goes on by itself; what was not acknowledged is done again",
    "unknown": "the command is shown as unknown, with **Run again** and **Mark as not run**",
}


def render() -> str:
    """The page as Markdown."""
    promises = "\n".join(f"- {promise}" for promise in PROMISES)
    lines = ["| killed at | during | what people see | |", "|---|---|---|---|"]
    for point, rows in groupby(ROWS, key=lambda row: row.point):
        for row in rows:
            when = "each time" if row.fast else ""
            lines.append(f"| {point} | {row.during} | {EXPECTED[row.first]} | {when} |")
    return f"{HEAD}{promises}\n\n" + "\n".join(lines) + "\n"


if __name__ == "__main__":
    PAGE.write_text(render(), encoding="utf-8")
