"""`revalid manifest`."""

from __future__ import annotations

import typer


def manifest() -> None:
    """Print the Slack app manifest.

    Paste it at api.slack.com/apps, Create New App, From a manifest.
    """
    from bot import shipped

    # To the letter, so that it can be piped into a file and compared.
    typer.echo(shipped.manifest(), nl=False)
