"""What a person sees of an error: one sentence, never a traceback."""

from __future__ import annotations

from typing import Any

import typer
from typer.core import TyperGroup

from engine.errors import RevalidError


class Sentences(TyperGroup):
    """Ends a command that raised an error of ours with its sentence on standard error and exit code 1."""

    def invoke(self, ctx: Any) -> Any:  # noqa: ANN401 - the types that typer has here are its private ones
        """Run the command."""
        try:
            return super().invoke(ctx)
        # Only ours: anything else is a mistake in the program, and its traceback is wanted.
        except RevalidError as error:
            from bot.cli.terminal import tell_problem

            tell_problem(error.sentence)
            raise typer.Exit(1) from error
