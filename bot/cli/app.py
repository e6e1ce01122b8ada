"""The commands under one name. Nothing heavy is imported before a command needs it: help is instant."""

from __future__ import annotations

import typer

from bot.cli import (
    backup,
    demo,
    doctor,
    findings,
    import_file,
    manifest,
    serve,
    sessions,
    transcript,
    verify,
    walkthrough,
)
from bot.cli.sentences import Sentences

app = typer.Typer(
    name="revalid",
    cls=Sentences,
    help="Retest old security findings in Slack threads, one approved command at a time.",
    # Its two options would stand first in the help, before anything that is ours.
    add_completion=False,
    no_args_is_help=True,
    # The pretty ones print local variables, and so tokens.
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

app.command("serve")(serve.serve)
app.command("demo")(demo.demo)
app.command("walkthrough")(walkthrough.walkthrough)
app.command("import")(import_file.import_file)
app.command("findings")(findings.findings)
app.command("sessions")(sessions.sessions)
app.command("transcript")(transcript.transcript)
app.command("verify")(verify.verify)
app.command("backup")(backup.backup)
app.command("manifest")(manifest.manifest)
app.command("doctor")(doctor.doctor)
