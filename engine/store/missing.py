"""The sentences for numbers that nothing has."""

from __future__ import annotations

from engine.errors import NotFound


def no_finding(finding_id: int) -> NotFound:
    """No finding has this number."""
    return NotFound(f"There is no finding F-{finding_id}; `/revalid findings` lists them.")


def no_session(session_id: int) -> NotFound:
    """No session has this number."""
    return NotFound(f"There is no session R-{session_id}; `/revalid sessions` lists them.")


def no_command(command_id: int) -> NotFound:
    """No command has this number."""
    return NotFound(f"There is no command C-{command_id} here; the thread shows each with its number.")


def no_verdict(verdict_id: int) -> NotFound:
    """No verdict has this number."""
    return NotFound(f"There is no verdict {verdict_id}.")
