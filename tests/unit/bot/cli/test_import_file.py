"""`revalid import`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.unit.bot.cli.conftest import Run

FILE = json.dumps(
    {
        "findings": [
            {
                "title": "SQL injection",
                "severity": "High",
                "unique_id_from_tool": "sql",
                "endpoints": ["https://ada:secret@app.example.com/search", "http://10.0.0.7:8080/"],
            },
            "no finding",
            {"title": "Open redirect", "severity": "Low", "unique_id_from_tool": "go", "is_mitigated": True},
            {"title": "Open redirect", "severity": "Low", "unique_id_from_tool": "go", "is_mitigated": True},
        ]
    }
)
SQL = {
    "title": "SQL injection",
    "severity": "high",
    "status": "open",
    "ref": "sql",
    "endpoints": ["https://ada:***@app.example.com/search", "http://10.0.0.7:8080/"],
    "scope": [
        {"target": "app.example.com:443", "needs_yes": []},
        {"target": "10.0.0.7:8080", "needs_yes": ["private"]},
    ],
    "notes": [],
}


@pytest.fixture
def file(folder: Path) -> Path:
    path = folder / "findings.json"
    path.write_text(FILE)
    return path


def test_a_dry_run_tells_what_the_file_holds_and_keeps_nothing(run: Run, file: Path, folder: Path) -> None:
    told = run("import", "--json", "--dry-run", str(file))
    assert told.code == 0
    answer = told.json
    assert {key: answer[key] for key in ("format", "found", "imported", "known", "not_open", "error")} == {
        "format": "generic-json",
        "found": 4,
        "imported": 2,
        "known": 1,
        "not_open": 1,
        "error": None,
    }
    assert [one["item"] for one in answer["rejected"]] == [2]
    assert answer["rejected"][0]["reason"]
    assert answer["findings"][0] == SQL
    assert list(folder.iterdir()) == [file]


def test_an_import_gives_numbers_and_a_second_one_changes_nothing(run: Run, file: Path) -> None:
    first = run("import", "--json", str(file)).json
    assert [(one["id"], one["title"]) for one in first["findings"]] == [
        ("F-1", "SQL injection"),
        ("F-2", "Open redirect"),
    ]
    assert first["findings"][0] == {"id": "F-1", **SQL}
    second = run("import", "--json", str(file)).json
    assert (second["found"], second["imported"], second["known"]) == (4, 0, 3)
    assert second["findings"] == []
    assert [one["id"] for one in run("findings", "--json").json["findings"]] == ["F-2", "F-1"]


def test_the_text_is_a_sentence_and_two_tables(run: Run, file: Path) -> None:
    told = run("import", str(file))
    assert told.lines[0] == ("findings.json: generic-json, 4 found, 2 imported, 1 already known, 1 rejected.")
    assert told.lines[2] == "item  line  why it was rejected"
    assert told.lines[3].startswith("2           ")
    assert told.lines[5].split() == ["finding", "severity", "scope", "title"]
    assert told.lines[6].startswith(
        "F-1      high      app.example.com:443, 10.0.0.7:8080 (needs a yes: private)  SQL injection"
    )
    assert told.lines[7].split()[:4] == ["F-2", "low", "no", "address"]


def test_a_dry_run_in_words_says_so(run: Run, file: Path) -> None:
    told = run("import", "--dry-run", str(file))
    assert "2 would be imported" in told.lines[0]
    assert told.lines[6].startswith("new ")


def test_who_imported_is_kept(run: Run, file: Path) -> None:
    run("import", "--by", "carla", str(file))
    assert {one["imported_by"] for one in run("findings", "--json").json["findings"]} == {"carla"}


def test_without_a_name_it_is_the_login_name(run: Run, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOGNAME", "dora")
    run("import", str(file))
    assert {one["imported_by"] for one in run("findings", "--json").json["findings"]} == {"dora"}


def test_a_refused_file_is_one_sentence_and_the_same_shape(run: Run, folder: Path) -> None:
    (folder / "page.json").write_text("<!doctype html><title>Log in</title>")
    told = run("import", "--json", "--dry-run", "page.json")
    assert told.code == 1
    assert told.json["format"] is None
    assert told.json["findings"] == []
    assert told.json["error"] == told.err.strip()
    assert "HTML" in told.err


@pytest.mark.parametrize(("name", "reason"), [("gone.json", "no such file"), (".", "is a directory")])
def test_a_file_that_cannot_be_read_is_said_to_be_so(run: Run, name: str, reason: str) -> None:
    told = run("import", name)
    assert (told.code, told.out) == (1, "")
    assert told.err.startswith(f"{name} cannot be read: {reason}")
    assert told.err.count("\n") == 1


def test_titles_cannot_move_the_cursor(run: Run, folder: Path) -> None:
    title = "\u202eEvil \x9b2J title"
    (folder / "evil.json").write_text(json.dumps({"findings": [{"title": title, "severity": "Low"}]}))
    for told in (run("import", "evil.json"), run("import", "--json", "evil.json"), run("findings")):
        assert not {"\u202e", "\x9b", "\x1b"} & set(told.out)
