"""The recorded proof of a generic finding: our own `replay` and `control` fields, else its steps."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping

from engine.findings.limits import MAX_COMMANDS
from engine.findings.matchers import BadMatcher, condition_of, matcher_of
from engine.findings.model import RecordedStep
from engine.findings.text import is_given, storable

_FENCE = re.compile(r"\s{0,3}(?:```|~~~)\s*([\w+-]*)\s*")
_SHELLS = frozenset({"", "bash", "sh", "shell", "console", "shell-session", "zsh", "terminal"})
_BULLET = re.compile(r"\s*(?:[0-9]{1,3}[.)]|[-*+])\s+")
_QUOTING = re.compile(r"['\"\\]")
_PROMPT = re.compile(r"\s*\$ ")
# Unmarked blocks hold answers and data as often; those mostly begin with a bracket or a capital.
_COMMAND_WORD = re.compile(r"[a-z][a-z0-9_.+-]*(?:\s|$)|\./")


def recorded_steps(raw: object, field: str, notes: list[str]) -> tuple[RecordedStep, ...]:
    """The steps of a `replay` or `control` field.

    Shape: `[{"command": text, "matchers": [matcher], "matchers-condition": "and" | "or"}]` with nuclei's
    matchers (`type`, then `status` / `words` / `regex` / `values`; `part`, `condition`, `negative`). A
    malformed field is left out whole, with a note: half a proof would prove something else.
    """
    if not is_given(raw):
        return ()
    try:
        entries = raw if isinstance(raw, list) else [raw]
        if len(entries) > MAX_COMMANDS:
            raise BadMatcher(f"more than {MAX_COMMANDS} commands")
        return tuple(_step(entry) for entry in entries)
    except BadMatcher as error:
        notes.append(f"The field {field} was left out: {error}.")
        return ()


def commands_in(text: str, notes: list[str]) -> tuple[RecordedStep, ...]:
    """The commands that prose steps show: `$ ` and `curl ` lines and fenced shell code, without matchers."""
    commands: list[str] = []
    lines = iter(text.splitlines())
    for line in lines:
        # Blocks of other languages are consumed too, so that a line in them never passes for a command.
        if fence := _FENCE.fullmatch(line):
            block = _until_fence(lines)
            if fence[1].lower() in _SHELLS:
                commands += _block_commands(block)
            continue
        # Markdown lists and inline code surround commands in most reports.
        bare = _BULLET.sub("", line, count=1).strip().strip("`")
        if _PROMPT.match(line) or bare.startswith(("$ ", "curl ")):
            commands.append(_continued(bare.removeprefix("$ "), lines))
    # Reports repeat a command in summary and steps; replaying it twice proves nothing more.
    usable = [command for command in dict.fromkeys(commands) if _is_shell(command)]
    if len(usable) < len(set(commands)):
        notes.append(
            "A command in the steps is not complete (unbalanced quotes) and was not recorded for replay."
        )
    return tuple(RecordedStep(command=storable(command)) for command in usable[:MAX_COMMANDS])


def split_steps(text: str) -> tuple[str, ...]:
    """Prose steps as items: a numbered or bulleted line begins one, all other lines belong to it."""
    items: list[list[str]] = []
    fenced = False
    for line in text.splitlines():
        if _FENCE.fullmatch(line):
            fenced = not fenced
        begins = not fenced and _BULLET.match(line) is not None
        if begins or not items:
            items.append([])
        items[-1].append(_BULLET.sub("", line, count=1) if begins else line)
    steps = ("\n".join(item).strip() for item in items)
    return tuple(step for step in steps if step)


def _step(entry: object) -> RecordedStep:
    if not isinstance(entry, Mapping):
        raise BadMatcher("a step is not an object")
    command = entry.get("command")
    if not isinstance(command, str) or not command.strip():
        raise BadMatcher("a step has no command")
    matchers = entry.get("matchers")
    if not isinstance(matchers, list | None):
        raise BadMatcher("matchers is not a list")
    return RecordedStep(
        command=storable(command),
        matchers=tuple(matcher_of(matcher, "all") for matcher in matchers or ()),
        condition=condition_of(entry.get("matchers-condition", "or")),
    )


def _until_fence(lines: Iterator[str]) -> list[str]:
    block: list[str] = []
    for line in lines:
        if _FENCE.fullmatch(line):
            break
        block.append(line)
    return block


def _block_commands(block: list[str]) -> list[str]:
    """A block with prompts shows commands and their output; one without is a script, and one command."""
    if any(_PROMPT.match(line) for line in block):
        lines = iter(block)
        return [_continued(_PROMPT.sub("", line, count=1), lines) for line in lines if _PROMPT.match(line)]
    script = "\n".join(block).strip()
    return [script] if _COMMAND_WORD.match(script) else []


def _continued(line: str, lines: Iterator[str]) -> str:
    """A line with the ones that its trailing backslashes draw in."""
    parts = [line]
    while parts[-1].endswith("\\"):
        following = next(lines, None)
        if following is None:
            break
        parts.append(following)
    return "\n".join(parts).strip()


def _is_shell(command: str) -> bool:
    # shlex is slow, and without quotes or backslashes nothing can be unbalanced.
    if not _QUOTING.search(command):
        return bool(command)
    try:
        return bool(shlex.split(command))
    except ValueError:
        return False
