"""Times, durations and sizes as people read them."""

from __future__ import annotations

from datetime import UTC, datetime


def clock(at: datetime) -> str:
    """`12:03 UTC`."""
    # One zone for everybody: a thread is read from several, and evidence must not be ambiguous.
    return f"{at.astimezone(UTC):%H:%M} UTC"


def day(at: datetime) -> str:
    """`30 Nov 2026, 12:03 UTC`."""
    at = at.astimezone(UTC)
    return f"{at.day} {at:%b %Y, %H:%M} UTC"


_TENTHS_BELOW = 10
# Powers of ten, as people read KB and MB.
_UNITS = ((1_000_000_000, "GB"), (1_000_000, "MB"), (1000, "KB"))


def duration(seconds: float) -> str:
    """`0.4 s`, `12 s`, `1 min 20 s`, `1 h 5 min`."""
    if seconds < _TENTHS_BELOW and seconds != int(seconds):
        return f"{seconds:.1f} s"
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


def size(count: int) -> str:
    """`312 bytes`, `4.1 KB`, `3.2 MB`."""
    for least, unit in _UNITS:
        if count >= least:
            return f"{count / least:.1f} {unit}"
    return "1 byte" if count == 1 else f"{count} bytes"


def count(number: int, one: str, many: str = "") -> str:
    """`1 command`, `3 commands`."""
    return f"{number} {one if number == 1 else many or one + 's'}"
