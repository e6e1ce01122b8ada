"""Which commands can be shown to a person and run as shown."""

from __future__ import annotations

DEFAULT_TIMEOUT = 60
LONGEST_TIMEOUT = 3600
# More could not be shown whole to a person; larger data goes into a file first.
LONGEST_COMMAND = 64 << 10
# Scripts need these two; every other one can make what is shown differ from what runs.
_ALLOWED_CONTROLS = frozenset("\n\t")


def shape_problem(command: str) -> str | None:
    """What keeps this text from being proposed as a command; None when nothing does."""
    if not command.strip():
        return "it is empty"
    try:
        # Models can emit half of a surrogate pair, which no shell and no database takes.
        size = len(command.encode())
    except UnicodeEncodeError:
        return "it has half a character in it"
    if size > LONGEST_COMMAND:
        return f"it is longer than {LONGEST_COMMAND >> 10} KiB"
    if any(_is_control(character) for character in command):
        return "it has control characters in it; write them with printf instead"
    return None


def _is_control(character: str) -> bool:
    code = ord(character)
    return character not in _ALLOWED_CONTROLS and (code < 0x20 or 0x7F <= code < 0xA0)  # noqa: PLR2004
