"""A transcript as text: who did what when, and the beginning and end of what each command put out."""

from __future__ import annotations

from bot.access import user_of
from bot.blocks.amounts import day, size
from bot.blocks.state import state_words
from bot.cli.happenings import Happening, happening
from bot.cli.terminal import lines, one_line
from engine.archive import Archive
from engine.errors import StoreError
from engine.events import CommandEnded
from engine.scope import labels
from engine.views import Transcript

HEAD, TAIL = 3000, 1000
"""Bytes of an output that are shown when it is longer than both together."""
_INDENT = " " * 10


async def script(archive: Archive, transcript: Transcript) -> str:
    """The transcript, inert."""
    parts = [_opening(transcript)]
    for recorded in transcript.events:
        told = happening(recorded)
        # Its cause has a line of its own.
        if told is None:
            continue
        parts.append(_line(f"{recorded.at:%H:%M:%S}", told))
        if isinstance(recorded.event, CommandEnded):
            event = recorded.event
            parts += await _output(archive, "stdout", event.stdout_sha256, event.stdout_bytes)
            parts += await _output(archive, "stderr", event.stderr_sha256, event.stderr_bytes)
    return "\n".join(parts)


def _opening(transcript: Transcript) -> str:
    session = transcript.session
    scope = ", ".join(label for target in session.scope.targets for label in labels(target))
    head = [
        one_line(f"R-{session.id}  {session.title}"),
        one_line(f"F-{session.finding_id}, {session.severity}; {state_words(session)}"),
        one_line(f"opened {day(session.created)}; operator {user_of(session.operator)}"),
        one_line(f"scope  {scope}"),
    ]
    goal = [one_line(f"  {number}. {step}") for number, step in enumerate(session.goal, 1)]
    return "\n".join([*head, *(["goal"] if goal else []), *("  " + step.strip() for step in goal), ""])


def _line(time: str, told: Happening) -> str:
    line = one_line(f"{time}  {told.words}")
    return line + ("\n" + lines(told.text, _INDENT) if told.text.strip() else "")


async def _output(archive: Archive, name: str, digest: str, length: int) -> list[str]:
    if not length:
        return []
    try:
        if length <= HEAD + TAIL:
            return [_INDENT + f"{name}, {size(length)}", _bytes(await archive.output(digest))]
        head = await archive.output(digest, 0, HEAD)
        # By offset, so that a large output is never read whole.
        tail = await archive.output(digest, length - TAIL)
    # Dropped or lost output must not keep the rest of the transcript from being read.
    except StoreError as error:
        return [_INDENT + f"{name}, {size(length)}: {error.sentence}"]
    cut = f"{_INDENT}… {size(length - HEAD - TAIL)} left out; sha256 {digest}"
    return [_INDENT + f"{name}, {size(length)}", _bytes(head), cut, _bytes(tail)]


def _bytes(data: bytes) -> str:
    # The bar marks every line of output, which could otherwise pass for a line of the transcript.
    return lines(data.decode("utf-8", "replace").rstrip("\n"), _INDENT + "| ")
