"""The lab stays as long as one of its users is left, whatever became of the others."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from bot import shared_lab as module
from bot.shared_lab import shared_lab
from engine.errors import EngineUnavailable

OTHER = """
import sys
from pathlib import Path
from bot import shared_lab as module
module.LOCK = Path(sys.argv[1])
module.start_lab = module.stop_lab = lambda url: None
with module.shared_lab():
    print("up", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def happened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was done to the lab."""
    calls: list[str] = []
    monkeypatch.setattr(module, "LOCK", tmp_path / "lock")
    monkeypatch.setattr(module, "start_lab", lambda url: calls.append(f"start {url}"))
    monkeypatch.setattr(module, "stop_lab", lambda url: calls.append(f"stop {url}"))
    return calls


@pytest.fixture
def other(happened: list[str]) -> Iterator[subprocess.Popen[str]]:
    """Another process that uses the lab."""
    argv = [sys.executable, "-c", OTHER, str(module.LOCK)]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "up\n"
        yield process
        process.kill()


def test_the_only_user_starts_and_stops_it(happened: list[str]) -> None:
    with shared_lab("tcp://engine"):
        assert happened == ["start tcp://engine"]
    assert happened == ["start tcp://engine", "stop tcp://engine"]


def test_it_stays_while_somebody_else_of_the_same_process_uses_it(happened: list[str]) -> None:
    with shared_lab():
        with shared_lab():
            pass
        assert "stop None" not in happened
    assert happened[-1] == "stop None"


def test_it_stays_while_another_process_uses_it(happened: list[str], other: subprocess.Popen[str]) -> None:
    with shared_lab():
        pass
    assert happened == ["start None"]


def test_a_user_that_was_killed_does_not_count(happened: list[str], other: subprocess.Popen[str]) -> None:
    with shared_lab():
        other.kill()
        other.wait()
    assert happened[-1] == "stop None"


def test_what_could_not_start_is_cleaned_up_and_told(
    happened: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_: str | None) -> None:
        raise EngineUnavailable

    monkeypatch.setattr(module, "start_lab", broken)
    with pytest.raises(EngineUnavailable), shared_lab():
        pytest.fail("the lab is not up")
    assert happened == ["stop None"]
