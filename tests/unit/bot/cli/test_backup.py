"""`revalid backup`, and `revalid verify --backup`."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path

import pytest

from tests.unit.bot.cli.conftest import Run
from tests.unit.bot.cli.test_verify import damage


def test_a_backup_holds_everything_and_proves_itself(run: Run, kept: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    told = run("backup", str(copy))
    assert told.code == 0
    assert told.out.startswith("Backed up the database (")
    assert told.out.endswith(f") and 4 outputs to {copy}. Prove it with: revalid verify --backup {copy}\n")
    here = run("verify").lines
    shutil.rmtree(tmp_path / "var")

    assert run("verify", "--backup", str(copy)).lines == here
    assert run("verify", "--backup", str(copy), "R-1", "--json").json["intact"] is True
    assert sorted(path.name for path in copy.iterdir()) == ["outputs", "revalid.db"]


def test_without_a_name_it_lies_beside_the_database(run: Run, kept: Path, tmp_path: Path) -> None:
    run("backup")
    (made,) = (tmp_path / "var" / "backups").iterdir()
    assert run("verify", "--backup", str(made)).code == 0


def test_put_back_it_is_what_was_there(run: Run, kept: Path, tmp_path: Path) -> None:
    before = run("transcript", "R-1").out
    run("backup", "copy")
    shutil.rmtree(tmp_path / "var")
    shutil.copytree("copy", "var")

    assert run("transcript", "R-1").out == before
    assert run("verify").code == 0


def test_a_backup_that_was_changed_is_told(run: Run, kept: Path, tmp_path: Path) -> None:
    run("backup", "copy")
    # Linked outputs are one with the original, as on a disk that lies.
    damage(kept)
    told = run("verify", "--backup", "copy")
    assert told.code == 1
    assert told.lines[-1] == "R-1      The output of C-1 was changed."


def test_a_damaged_database_is_one_sentence(run: Run, kept: Path, tmp_path: Path) -> None:
    run("backup", "copy")
    database = tmp_path / "copy" / "revalid.db"
    whole = bytearray(database.read_bytes())
    whole[5000:9000] = bytes(4000)
    database.write_bytes(whole)
    told = run("verify", "--backup", "copy")
    assert (told.code, told.out) == (1, "")
    assert "damaged" in told.err


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("verify", "--backup", "nowhere"), "There is no backup in nowhere"),
        (("backup", "."), "There is something at . already"),
    ],
)
def test_what_is_wrong_is_one_sentence(run: Run, kept: Path, words: tuple[str, ...], sentence: str) -> None:
    told = run(*words)
    assert (told.code, told.out) == (1, "")
    assert sentence in told.err


def test_before_there_is_a_database_nothing_is_backed_up(run: Run, folder: Path) -> None:
    told = run("backup", "copy")
    assert told.code == 1
    assert "There is no database" in told.err
    assert not (folder / "copy").exists()


def test_one_that_fails_leaves_nothing(run: Run, kept: Path, tmp_path: Path) -> None:
    database = tmp_path / "var" / "revalid.db"
    database.write_bytes(b"no database" * 1000)
    told = run("backup", "copy")
    assert told.code == 1
    assert "damaged or is no database" in told.err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["var"]


def test_it_copies_while_somebody_writes(run: Run, kept: Path, tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "var" / "revalid.db", isolation_level=None) as writer:
        writer.execute("BEGIN IMMEDIATE")
        writer.execute("UPDATE sessions SET operator = 'T1:U2BEN'")
        assert run("backup", "copy").code == 0
        writer.execute("COMMIT")
    writer.close()
    with sqlite3.connect(tmp_path / "copy" / "revalid.db") as copy:
        assert {one for (one,) in copy.execute("SELECT operator FROM sessions")} == {"T1:U1ALICE"}
    copy.close()
