"""`revalid findings`."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.cli import findings
from tests.unit.bot.cli.conftest import ALICE, COMMAND, Run


def test_the_newest_comes_first_with_the_verdict_that_stands(run: Run, kept: Path) -> None:
    told = run("findings")
    assert told.lines[0].split() == ["finding", "severity", "verdict", "where", "title"]
    assert told.lines[1].split()[:6] == ["F-2", "unknown", "none", "yet", "no", "address"]
    assert told.lines[2] == (
        "F-1      high      still open in R-1  shop.example.com:443 and 1 more  SQL injection in search"
    )
    assert told.lines[-1] == "2 findings"


def test_only_those_with_the_text(run: Run, kept: Path) -> None:
    assert [line.split()[0] for line in run("findings", "SQL").lines[1:-2]] == ["F-1"]
    assert run("findings", "nothing like it").lines == ["No finding has that in it."]


def test_a_hostile_title_is_inert(run: Run, kept: Path) -> None:
    told = run("findings")
    assert not {"\x1b", "\u202e", "\x9b", "\r"} & set(told.out)
    assert len(told.lines) == 5


def test_lists_longer_than_a_page_are_whole(run: Run, kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(findings, "PAGE", 1)
    assert len(run("findings", "--json").json["findings"]) == 2


def test_the_json_has_the_verdict_and_no_password(run: Run, kept: Path) -> None:
    _, finding = run("findings", "--json").json["findings"]
    verdict = finding.pop("verdict")
    assert finding.pop("imported").endswith("Z")
    assert finding == {
        "id": "F-1",
        "title": "SQL injection in search",
        "severity": "high",
        "status": "open",
        "format": "generic-json",
        "ref": "sql-1",
        "endpoints": ["https://ada:***@shop.example.com/search", "https://www.example.com"],
        "imported_by": ALICE,
    }
    assert verdict.pop("at").endswith("Z")
    exhibit = verdict.pop("exhibits")[0]
    assert verdict == {
        "id": 1,
        "status": "still_open",
        "session": "R-1",
        "by": ALICE,
        "reason": "operator_conclusion",
        "rationale": "as before",
        "supersedes": None,
    }
    assert len(exhibit.pop("stdout_sha256")) == len(exhibit.pop("stderr_sha256")) == 64
    assert exhibit == {
        "command": "C-1",
        "role": "replay",
        "text": COMMAND,
        "outcome": "exited",
        "exit_code": 0,
    }


def test_without_a_database_it_says_how_to_make_one(run: Run, folder: Path) -> None:
    told = run("findings")
    assert (told.code, told.out) == (1, "")
    assert told.err == (
        "There is no database at var/revalid.db yet; `revalid import FILE` or `revalid serve` makes it.\n"
    )
    assert list(folder.iterdir()) == []
