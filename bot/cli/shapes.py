"""Findings, sessions and transcripts as JSON. Ids are written as people see them: F-12, R-42, C-7.

The docstrings are the reference: docs/reference/json.md is made from them.
"""

from __future__ import annotations

from datetime import UTC, datetime

from engine.scope import labels
from engine.views import CommandView, FindingView, SessionView, Transcript, VerdictView

Json = dict[str, object]


def finding_as_json(view: FindingView) -> Json:
    """A finding, with the verdict that stands.

    Shape::

        {"id": "F-12", "title": "...", "severity": "high", "status": "open", "format": "nuclei",
         "ref": "...", "endpoints": ["https://app.example.com/login"], "imported_by": "...",
         "imported": "2026-11-30T12:00:00Z", "verdict": null | VERDICT}

    `status` is what the source said. Passwords in endpoints are masked. A VERDICT is::

        {"id": 3, "status": "fixed" | "still_open" | "inconclusive", "session": "R-42",
         "by": "T1:U1" | "agent",
         "reason": "operator_conclusion" | "operator_adjudication" | "agent_conclusion",
         "rationale": "...", "supersedes": null | 2, "at": "2026-11-30T12:00:00Z",
         "exhibits": [{"command": "C-7", "role": "replay" | "control" | "evidence", "text": "curl ...",
                       "outcome": "exited", "exit_code": 0, "stdout_sha256": "...", "stderr_sha256": "..."}]}
    """
    finding = view.finding
    return {
        "id": f"F-{view.id}",
        "title": finding.title,
        "severity": finding.severity.value,
        "status": finding.status.value,
        "format": finding.format,
        "ref": finding.ref,
        "endpoints": [endpoint.display for endpoint in finding.endpoints],
        "imported_by": view.imported_by,
        "imported": _time(view.imported),
        "verdict": _verdict(view.verdict),
    }


def session_as_json(view: SessionView) -> Json:
    """A session as it is now.

    Shape::

        {"id": "R-42", "finding": "F-12", "title": "...", "severity": "high", "state": "awaiting_operator",
         "auto_run": false, "operator": "T1:U1", "others": ["T1:U2"], "goal": ["..."],
         "scope": ["app.example.com:443"], "waiting": null | "C-7", "restarted_from": null | "R-41",
         "restarted_as": null | "R-43", "verdict": null | VERDICT, "created": "2026-11-30T12:00:00Z",
         "events": 17}

    `state` is a state of the lifecycle, `waiting` the command that a decision is wanted on, `verdict` what
    this session concluded as long as it stands, `events` the length of its transcript.
    """
    return {
        "id": f"R-{view.id}",
        "finding": f"F-{view.finding_id}",
        "title": view.title,
        "severity": view.severity,
        "state": view.state.value,
        "auto_run": view.situation.auto_run,
        "operator": view.operator,
        "others": list(view.others),
        "goal": list(view.goal),
        "scope": [label for target in view.scope.targets for label in labels(target)],
        "waiting": _id("C", view.waiting.id if view.waiting else None),
        "restarted_from": _id("R", view.restarted_from),
        "restarted_as": _id("R", view.restarted_as),
        "verdict": _verdict(view.verdict),
        "created": _time(view.created),
        "events": view.events,
    }


def transcript_as_json(transcript: Transcript) -> Json:
    """A session with everything that happened in it.

    Shape::

        {"session": SESSION, "finding": FINDING,
         "commands": [{"id": "C-7", "origin": "agent" | "operator", "text": "curl ...",
                       "edited_from": null | "...", "rationale": "...", "timeout_seconds": 60,
                       "digest": "...", "state": "finished",
                       "decided_by": null | "T1:U1" | "auto-run", "reason": "...", "outcome": null | "exited",
                       "exit_code": null | 0, "elapsed_seconds": null | 0.4, "stdout_sha256": null | "...",
                       "stderr_sha256": null | "...", "stdout_bytes": 312, "stderr_bytes": 0,
                       "denied": ["203.0.113.20:80/tcp"], "out_of_memory": false,
                       "created": "2026-11-30T12:00:00Z", "started": null | "...", "ended": null | "..."}],
         "events": [{"number": 1, "at": "2026-11-30T12:00:00Z", "actor": "T1:U1", "kind": "session_opened",
                     "data": {"...": "..."}, "previous": "...", "hash": "..."}]}

    SESSION and FINDING are as in `sessions` and `findings`. What an event's `data` holds is in the reference
    of the events. Outputs are named by their SHA-256; the bytes are in the outputs folder.
    """
    return {
        "session": session_as_json(transcript.session),
        "finding": finding_as_json(transcript.finding),
        "commands": [_command(command) for command in transcript.commands],
        "events": [
            {
                "number": recorded.number,
                "at": _time(recorded.at),
                "actor": recorded.actor,
                "kind": recorded.event.kind,
                # The kind stands beside it, where a reader looks first.
                "data": recorded.event.model_dump(mode="json", exclude={"kind"}),
                "previous": recorded.previous,
                "hash": recorded.hash,
            }
            for recorded in transcript.events
        ],
    }


def _command(command: CommandView) -> Json:
    return {
        "id": f"C-{command.id}",
        "origin": command.origin,
        "text": command.text,
        "edited_from": command.edited_from,
        "rationale": command.rationale,
        "timeout_seconds": command.timeout_seconds,
        "digest": command.digest,
        "state": command.state.value,
        "decided_by": command.decided_by,
        "reason": command.reason,
        "outcome": command.outcome,
        "exit_code": command.exit_code,
        "elapsed_seconds": command.elapsed_seconds,
        "stdout_sha256": command.stdout_sha256,
        "stderr_sha256": command.stderr_sha256,
        "stdout_bytes": command.stdout_bytes,
        "stderr_bytes": command.stderr_bytes,
        "denied": list(command.denied),
        "out_of_memory": command.out_of_memory,
        "created": _time(command.created),
        "started": _time(command.started),
        "ended": _time(command.ended),
    }


def _verdict(verdict: VerdictView | None) -> Json | None:
    if verdict is None:
        return None
    return {
        "id": verdict.id,
        "status": verdict.status,
        "session": f"R-{verdict.session_id}",
        "by": verdict.by,
        "reason": verdict.reason,
        "rationale": verdict.rationale,
        "supersedes": verdict.supersedes,
        "at": _time(verdict.at),
        "exhibits": [
            {
                "command": f"C-{exhibit.command_id}",
                "role": exhibit.role,
                "text": exhibit.command,
                "outcome": exhibit.outcome,
                "exit_code": exhibit.exit_code,
                "stdout_sha256": exhibit.stdout_sha256,
                "stderr_sha256": exhibit.stderr_sha256,
            }
            for exhibit in verdict.exhibits
        ],
    }


def _id(letter: str, number: int | None) -> str | None:
    return None if number is None else f"{letter}-{number}"


def _time(at: datetime | None) -> str | None:
    # Z, since not every reader of ISO 8601 takes +00:00 for it.
    return None if at is None else at.astimezone(UTC).isoformat().replace("+00:00", "Z")
