"""A command's output inside its card: whole when short, else head and tail."""

from __future__ import annotations

from dataclasses import dataclass

from bot.blocks import inert, rich
from bot.blocks.amounts import size
from bot.blocks.message import Json
from bot.limits import escaped_length

# Together with the command they stay under what Slack takes in one message.
INLINE = {"stdout": 4500, "stderr": 1500}
"""Counted characters of a stream that a card shows; a longer one is cut to its beginning and its end."""
INLINE_LINES = 100
CUT_LINES = 40
_BEGINNING = 0.6
"""The beginning's share of what is shown of a longer one."""
LIVE, LIVE_LINES = 1500, 14
WINDOW = 6000
"""Bytes that are read from either end; more is never needed to fill a card."""


@dataclass(frozen=True, kw_only=True)
class Stream:
    """One output stream as read from the store: all of it up to `2 * WINDOW` bytes, else both ends."""

    name: str
    """`stdout` or `stderr`."""
    total: int
    """Bytes of the whole."""
    head: bytes
    tail: bytes = b""
    """Empty when `head` is all there is."""

    @property
    def whole(self) -> bool:
        """Whether the card can show every line of it."""
        if self.tail:
            return False
        # Measured as it is shown: bytes written out as ⟨U+…⟩ are many times longer.
        shown = inert.output(self.head).rstrip("\n")
        return escaped_length(shown) <= INLINE[self.name] and shown.count("\n") < INLINE_LINES

    @property
    def beginning(self) -> str:
        """What the card shows first."""
        shown = inert.output(self.head).rstrip("\n")
        if self.whole:
            return shown
        return _lines(inert.head(shown, int(INLINE[self.name] * _BEGINNING)), CUT_LINES)

    @property
    def end(self) -> str:
        """What the card shows last, when not whole."""
        # Without a tail, the head is all of it and has the end too.
        shown = inert.output(self.tail or self.head).rstrip("\n")
        return _last_lines(inert.tail(shown, int(INLINE[self.name] * (1 - _BEGINNING))), CUT_LINES)


def file_name(command_id: int, stream: Stream) -> str:
    """What the file with the whole stream is called."""
    return f"C-{command_id}-{stream.name}.txt"


def elements(command_id: int, stream: Stream) -> list[Json]:
    """A stream in a card."""
    if not stream.total:
        return []
    label = "Output" if stream.name == "stdout" else "Error output"
    if stream.whole:
        return [rich.section(rich.bold(label)), rich.preformatted(stream.beginning)]
    rest = (
        f"Beginning and end of {size(stream.total)}; the whole is in {file_name(command_id, stream)} below."
    )
    return [
        rich.section(rich.bold(label), f"  {rest}"),
        rich.preformatted(stream.beginning),
        rich.section("⋯"),
        rich.preformatted(stream.end),
    ]


def live(tail: bytes) -> list[Json]:
    """The last lines of a command that is still running."""
    shown = inert.output(tail).rstrip("\n")
    if not shown:
        return []
    kept = _last_lines(inert.tail(shown, LIVE), LIVE_LINES)
    return [rich.section(rich.bold("Output so far"), "  the last lines"), rich.preformatted(kept)]


def _lines(text: str, most: int) -> str:
    return "\n".join(text.split("\n")[:most])


def _last_lines(text: str, most: int) -> str:
    return "\n".join(text.split("\n")[-most:])
