"""`revalid manifest`."""

from __future__ import annotations

import typer


def manifest() -> None:
    """Print the Slack app manifest, to create the app from at api.slack.com/apps."""
    from bot import shipped

    typer.echo(shipped.manifest(), nl=False)
