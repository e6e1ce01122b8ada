"""`revalid verify`."""

from __future__ import annotations

from pathlib import Path

from tests.unit.bot.cli.conftest import Run


def damage(outputs: Path) -> None:
    """Change a byte of the output that the verdict rests on."""
    path = next(path for path in outputs.rglob("*") if path.is_file() and b"SQL syntax" in path.read_bytes())
    path.write_bytes(path.read_bytes().replace(b"SQL", b"SQl"))


def test_what_is_unchanged_fits(run: Run, kept: Path) -> None:
    told = run("verify")
    assert told.code == 0
    assert told.lines[0].startswith("Checked 2 sessions, ")
    assert told.lines[0].endswith(" outputs, 1 verdict: everything fits.")
    assert run("verify", "R-2").lines == [
        "Checked 1 session, 1 event, 0 outputs, 0 verdicts: everything fits."
    ]


def test_what_was_changed_is_named(run: Run, kept: Path) -> None:
    damage(kept)
    told = run("verify")
    assert told.code == 1
    assert told.lines[0].endswith("1 verdict: 1 problem.")
    assert told.lines[2:] == ["session  what does not fit", "R-1      The output of C-1 was changed."]
    assert run("verify", "R-2").code == 0


def test_the_json_says_the_same(run: Run, kept: Path) -> None:
    intact = run("verify", "--json").json
    assert (intact["intact"], intact["sessions"], intact["verdicts"], intact["problems"]) == (True, 2, 1, [])
    damage(kept)
    told = run("verify", "R-1", "--json")
    assert told.code == 1
    assert told.json["problems"] == [{"session": "R-1", "what": "The output of C-1 was changed."}]
    assert told.json["intact"] is False


def test_a_session_that_is_not_there_is_one_sentence(run: Run, kept: Path) -> None:
    told = run("verify", "R-9")
    assert (told.code, told.out) == (1, "")
    assert "R-9" in told.err
