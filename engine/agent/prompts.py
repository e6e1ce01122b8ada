"""What a model reads besides its instructions: the finding, the operator's words, results of commands."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

from engine.agent.fence import fenced, new_mark, unfenced
from engine.agent.port import NotRun, Ran, SeenCommand, TurnRequest
from engine.findings.model import Finding

GO_ON = "The operator asks you to go on."
_FRESH = "Note: the sandbox is new; files, cookies and logins of earlier commands are gone."
# Read back by `closed_as` from stored histories: a changed sentence would be a stranger to it.
_CLOSED = {
    "rejected": "The operator rejected this command; it did not run.",
    "withdrawn": "This command was set aside and did not run.",
    "advice": "This command was passed on to the operator as advice; it did not run.",
}
_ENDINGS = {
    "timed_out": "ran into its time limit and was ended",
    "killed": "was killed by a person",
    "output_limit": "wrote more than the output limit and was ended",
    "lost": "was lost with its sandbox",
}
# A report may hold a megabyte, and all of it would be paid for again with every request.
_LONG_TEXT = 8000
_EVIDENCE_ITEMS = 4
STDOUT = "stdout"


def opening_prompt(request: TurnRequest) -> str:
    """The first user turn: the finding as data, the goal, then whatever the operator said."""
    goal = "\n".join(f"- {step}" for step in request.goal) or "- none set; retest the finding as recorded"
    parts = [
        "Retest this finding.",
        # The goal stays outside the fence: it is the operator's, the finding is anybody's.
        fenced("finding", finding_text(request.finding)),
        f"The operator's goal:\n{goal}",
        *_news(request),
    ]
    return "\n\n".join(parts)


def turn_prompt(request: TurnRequest) -> str | None:
    """A later user turn; None when the answer to the last call says it all."""
    news = _news(request)
    # First of all news, since the rest may refer to files and logins that are gone.
    if request.fresh_sandbox:
        news.insert(0, _FRESH)
    # A model needs some user turn, and most providers refuse an empty one.
    if not news and request.answered is None:
        return GO_ON
    return "\n\n".join(news) or None


def _news(request: TurnRequest) -> list[str]:
    news = [f"Note: {notice}" for notice in request.notices]
    news += [_seen_text(seen) for seen in request.operator_commands]
    news += [f"The operator says:\n{message}" for message in request.messages]
    return news


def finding_text(finding: Finding) -> str:
    """The finding for a model: everything that helps to reproduce it, long texts cut."""
    lines = [f"Title: {finding.title}", f"Severity: {finding.severity}"]
    lines += _listed("Endpoints", (endpoint.display for endpoint in finding.endpoints))
    for name in ("description", "impact", "remediation"):
        if text := getattr(finding, name):
            lines.append(f"{name.capitalize()}: {_cut(text)}")
    lines += _listed("Steps", finding.steps)
    lines += _listed("Commands of the original proof", (step.command for step in finding.replay))
    lines += _listed("Commands that show the target alive", (step.command for step in finding.control))
    for item in finding.evidence[:_EVIDENCE_ITEMS]:
        lines.append(f"Recorded {item.kind} {item.title}:\n{_cut(item.text)}")
    return "\n".join(lines)


def _listed(name: str, items: Iterable[str]) -> list[str]:
    numbered = [f"  {number}. {_cut(item)}" for number, item in enumerate(items, 1)]
    return [f"{name}:", *numbered] if numbered else []


def _cut(text: str) -> str:
    return text if len(text) <= _LONG_TEXT else f"{text[:_LONG_TEXT]} [cut]"


def result_text(ran: Ran) -> tuple[str, dict[str, Any]]:
    """The result of a command for the model, and the same as values for our own code (never sent)."""
    # One mark for the whole result, kept with its values so that our own code finds the output again.
    mark = new_mark()
    parts = [f"Command {ran.command_id} {_ending(ran.outcome, ran.exit_code, ran.elapsed_seconds)}"]
    # The history still shows the model's own call, so only the result can say what really ran.
    if ran.edited:
        parts.append("The operator changed the command before it ran. This is what really ran:")
        parts.append(fenced("command", ran.command, mark))
    if ran.denied:
        parts.append(f"Blocked by scope (not closed, and not evidence): {', '.join(ran.denied)}")
    parts += _stream(STDOUT, ran.stdout, ran.stdout_bytes, mark)
    parts += _stream("stderr", ran.stderr, ran.stderr_bytes, mark)
    values = {
        "command_id": ran.command_id,
        "outcome": ran.outcome,
        "exit_code": ran.exit_code,
        "edited": ran.edited,
        "denied": list(ran.denied),
        "stdout_bytes": ran.stdout_bytes,
        "mark": mark,
    }
    return "\n".join(parts), values


def stdout_of(content: str, mark: str) -> str:
    """The standard output back out of a result's text; empty when there was none."""
    return unfenced(content, STDOUT, mark) or ""


def _ending(outcome: str, exit_code: int | None, elapsed: float | None) -> str:
    after = "" if elapsed is None else f" after {elapsed:.1f} s"
    if outcome == "exited":
        return f"ended with exit code {exit_code}{after}."
    how = _ENDINGS.get(outcome, outcome)
    return f"{how}{after}. That is a failure of the infrastructure, not evidence."


def _stream(label: str, text: str, size: int, mark: str) -> list[str]:
    return [f"{label}, {size} bytes:", fenced(label, text, mark)] if size else [f"{label}: empty"]


def _seen_text(seen: SeenCommand) -> str:
    mark = new_mark()
    parts = [
        f"The operator ran a command of their own; it is command {seen.command_id} and "
        f"{_ending(seen.outcome, seen.exit_code, None)}",
        fenced("command", seen.command, mark),
        *(
            fenced(label, text, mark)
            for label, text in ((STDOUT, seen.stdout), ("stderr", seen.stderr))
            if text
        ),
    ]
    return "\n".join(parts)


def not_run_text(answer: NotRun) -> str:
    """Why a proposal did not run. Its first sentence tells the kind, `closed_as` reads it back."""
    return " ".join(filter(None, (_CLOSED[answer.kind], answer.reason.strip())))


def closed_as(text: str) -> Literal["rejected", "withdrawn", "advice"] | None:
    """The kind of a text that `not_run_text` made."""
    for kind in ("rejected", "withdrawn", "advice"):
        if text.startswith(_CLOSED[kind]):
            return kind
    return None
