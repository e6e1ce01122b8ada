"""`revalid import`."""

from __future__ import annotations

import os
from collections.abc import Collection
from getpass import getuser
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from bot.cli.kept import Kept, with_kept
from engine.errors import FindingsError

if TYPE_CHECKING:
    from bot.cli.shapes import Json
    from engine.findings.model import Finding
    from engine.findings.report import ImportReport
    from engine.scope import Danger
    from engine.views import Imported

TITLE = 120
"""Characters of a title that the list shows."""


class FileUnreadable(FindingsError):
    """The file cannot be read; check its name and who may read it."""


def import_file(
    file: Annotated[Path, typer.Argument(help="A findings file; its format is recognised by its content.")],
    *,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what the file holds, and keep nothing.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    by: Annotated[
        str, typer.Option("--by", help="Who imports; your login name if not given.", metavar="NAME")
    ] = "",
) -> None:
    """Take findings from a file.

    Those that are already there stay as they are; an item that cannot be read stops nothing.
    """
    from bot.cli.terminal import tell, tell_json

    try:
        # Twins within the file are found here, before the database is even opened.
        report = _read(file).without_known(())
    except FindingsError as error:
        # A program that reads the output gets its shape also when nothing was imported.
        if as_json:
            from engine.findings.projection import refusal_as_json

            tell_json(refusal_as_json(error.sentence))
        raise
    imported = None if dry_run else with_kept(lambda kept: _keep(kept, report, by), make=True)
    if imported is not None:
        report = report.without_known([view.finding.key for view in imported.known])
    if as_json:
        tell_json(import_as_json(report, imported))
    else:
        tell(_told(report, imported))


def import_as_json(report: ImportReport, imported: Imported | None) -> Json:
    """What a file brought, or with `--dry-run` would bring to an installation without findings.

    Shape::

        {"format": "nuclei", "found": 3, "imported": 2, "known": 0, "not_open": 0,
         "rejected": [{"item": 3, "line": null | 3, "reason": "the line is cut off"}],
         "notes": ["The file is not UTF-8; it was read as Windows-1252."],
         "error": null,
         "findings": [{"id": "F-12", "title": "...", "severity": "high", "status": "open", "ref": "...",
                       "endpoints": ["https://app.example.com/login"],
                       "scope": [{"target": "app.example.com:443", "needs_yes": ["private"]}],
                       "notes": ["..."]}]}

    `found` counts every item of the file, `known` those that were there before or are in the file twice,
    `not_open` those that their source calls fixed, accepted and the like. `findings` are the imported ones,
    each with the scope that would be proposed; `needs_yes` says why a target needs a person's yes, before its
    name was looked up. `id` is not there with `--dry-run`. Of a file that was refused, `format` is null,
    `error` says why, and the exit code is 1. Passwords in endpoints are masked.
    """
    from engine.findings.projection import report_as_json

    shape = report_as_json(report)
    if imported is None:
        return shape
    ids = {view.finding.key: f"F-{view.id}" for view in imported.new}
    findings = cast("list[Json]", shape["findings"])
    numbered = zip(report.findings, findings, strict=True)
    return {**shape, "findings": [{"id": ids[finding.key], **told} for finding, told in numbered]}


def _read(file: Path) -> ImportReport:
    from engine.findings.read import read_findings

    try:
        data = file.read_bytes()
    except OSError as error:
        reason = (error.strerror or type(error).__name__).lower()
        raise FileUnreadable(f"{file} cannot be read: {reason}.") from error
    return read_findings(data, file.name)


async def _keep(kept: Kept, report: ImportReport, by: str) -> Imported:
    return await kept.archive.import_findings(report.findings, by or _login_name())


def _told(report: ImportReport, imported: Imported | None) -> str:
    from bot.cli.terminal import lines, table

    done = "would be imported" if imported is None else "imported"
    parts = [
        f"{lines(report.name)}: {report.format}, {report.found} found, {report.imported} {done}, "
        f"{len(report.known)} already known, {len(report.rejected)} rejected."
    ]
    parts += [lines(note) for note in report.notes]
    if report.rejected:
        rows = [
            (str(each.item), "" if each.line is None else str(each.line), each.reason)
            for each in report.rejected
        ]
        parts.append(table(("item", "line", "why it was rejected"), rows))
    if report.findings:
        ids = {view.finding.key: f"F-{view.id}" for view in imported.new} if imported else {}
        taken = [_row(finding, ids.get(finding.key, "new")) for finding in report.findings]
        parts.append(table(("finding", "severity", "scope", "title"), taken))
    return "\n\n".join(parts)


def _row(finding: Finding, number: str) -> tuple[str, ...]:
    from bot.blocks import inert
    from engine.scope import labels, propose, unconfirmed

    scope = propose(finding)
    waiting = {target.host: dangers for target, dangers in unconfirmed(scope)}
    places = [
        label + _asked(waiting.get(target.host, ())) for target in scope.targets for label in labels(target)
    ]
    return number, finding.severity.value, ", ".join(places) or "no address", inert.line(finding.title, TITLE)


def _asked(dangers: Collection[Danger]) -> str:
    words = " and ".join(sorted(danger.value.replace("_", " ") for danger in dangers))
    return f" (needs a yes: {words})" if words else ""


def _login_name() -> str:
    try:
        return getuser()
    # A container often runs under a number that has no name.
    except (KeyError, OSError):
        return f"uid {os.getuid()}"
