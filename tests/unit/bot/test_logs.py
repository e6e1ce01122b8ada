"""Where log lines go."""

from __future__ import annotations

import json
import logging
import sys

import pytest
import structlog

from bot import logs


def test_a_line_is_json_on_standard_error_when_no_terminal_reads_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    logs.configure("warning")
    log = structlog.get_logger("test")
    log.info("too small to tell")
    try:
        raise ValueError("broken")
    except ValueError:
        log.exception("it broke", session=7)
    told = capsys.readouterr()
    assert told.out == ""
    (line,) = told.err.splitlines()
    fields = json.loads(line)
    assert (fields["event"], fields["level"], fields["session"]) == ("it broke", "error", 7)
    assert "ValueError: broken" in fields["exception"]


@pytest.mark.parametrize(("level", "told"), [("info", False), ("debug", True)])
def test_libraries_are_quiet_unless_everything_is_wanted(
    capsys: pytest.CaptureFixture[str], level: str, told: bool
) -> None:
    logs.configure(level)
    logging.getLogger("slack_bolt").info("a new session was established")
    logging.getLogger("slack_bolt").warning("something is odd")
    err = capsys.readouterr().err
    assert ("a new session" in err) is told
    assert "something is odd" in err


@pytest.mark.parametrize("terminal", [True, False])
def test_no_line_tells_what_a_variable_held(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, terminal: bool
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal)
    logs.configure("info")
    password = "tops" + "ecret"
    try:
        raise ValueError(f"broken after {len(password)} characters")
    except ValueError:
        structlog.get_logger("test").exception("it broke")
    err = capsys.readouterr().err
    assert "broken after 9 characters" in err
    assert "topsecret" not in err
