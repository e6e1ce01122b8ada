"""The `revalid` command."""

from __future__ import annotations

from bot.cli.app import app

__all__ = ["app", "main"]


def main() -> None:
    """What the installed `revalid` script runs."""
    app(prog_name="revalid")
