"""JSON as tools really write it: one document, a list, a value a line, run together, or cut off.

Read value by value with the standard decoder, so that one broken line costs one line.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass, field
from json import JSONDecodeError

from engine.errors import FindingsError
from engine.findings.limits import MAX_DEPTH, MAX_ITEMS, MAX_MARKS, MAX_UNREADABLE

_BETWEEN = re.compile(r"[\s,]*")
_NEXT_OBJECT = re.compile(r"\n\{")
# Well below where Python refuses (4,300 digits) and far above any number that means something.
_MAX_DIGITS = 400
_TAIL = 7
"""A break this near to the end (the length of a cut `\\uXXXX`) is a cut."""


@dataclass(frozen=True, kw_only=True)
class Parsed:
    """A value with the line it begins on."""

    line: int
    value: object


@dataclass(frozen=True, kw_only=True)
class Unreadable:
    """A line that is no JSON."""

    line: int
    reason: str


@dataclass
class JsonText:
    """What a text holds: its values in order, and what had to be put right."""

    entries: list[Parsed | Unreadable] = field(default_factory=list)
    is_list: bool = False
    """The top level is a list, not one object or a line of them."""
    notes: list[str] = field(default_factory=list)

    @property
    def values(self) -> list[object]:
        """The readable values."""
        return [entry.value for entry in self.entries if isinstance(entry, Parsed)]


def read_json(text: str) -> JsonText:
    """Every value of the text.

    Raises `FindingsError` with line and column when nothing can be read, when a list or a document is cut
    off, and when it is nested too deeply.
    """
    return _Reader(text).read()


def is_too_deep(value: object) -> bool:
    """Whether a value is nested more than `MAX_DEPTH` levels."""
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [
            child
            for parent in level
            if isinstance(parent, dict | list)
            for child in (parent.values() if isinstance(parent, dict) else parent)
            if isinstance(child, dict | list)
        ]
        if not level:
            return False
    return True


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text
        self._end = len(text.rstrip())
        self._result = JsonText()
        self._repeated: set[str] = set()
        self._not_finite = False
        self._broken = 0
        self._line = 1
        # Lines are counted on from the last place: counting from the top for each would be quadratic.
        self._counted_to = 0
        self._decoder = json.JSONDecoder(
            object_pairs_hook=self._object, parse_constant=self._constant, parse_int=_integer
        )

    def read(self) -> JsonText:
        text, position, in_list = self._text, 0, False
        # Counted before anything is decoded, because a small file can unfold into gigabytes of objects.
        if sum(text.count(mark) for mark in "[{,") > MAX_MARKS:
            raise FindingsError("The file holds too many single values; split it into smaller ones.")
        while (position := self._skip(position)) < len(text):
            mark = text[position]
            # The outer list is opened by hand, so that its items are read one by one with their lines.
            if mark == "[" and not in_list:
                self._result.is_list = in_list = True
                position += 1
            elif mark == "]" and in_list:
                in_list = False
                position += 1
            else:
                position = self._value(position, in_list=in_list)
        if in_list:
            raise FindingsError(f"The file ends early, at {self._place(len(text))}: its list is not closed.")
        # With nothing readable the first error says more than a list of rejected lines.
        if self._result.entries and not self._result.values:
            raise self._first_failure
        self._note()
        return self._result

    def _skip(self, position: int) -> int:
        match = _BETWEEN.match(self._text, position)
        return match.end() if match else position

    def _value(self, position: int, *, in_list: bool) -> int:
        line = self._line_of(position)
        if len(self._result.entries) >= MAX_ITEMS:
            raise FindingsError(f"The file holds more than {MAX_ITEMS:,} items; split it into smaller ones.")
        try:
            value, end = self._decoder.raw_decode(self._text, position)
        except RecursionError as error:
            message = f"Line {line} is nested far more than {MAX_DEPTH} levels deep; such a file is not read."
            raise FindingsError(message) from error
        except JSONDecodeError as error:
            failure = self._failure(error)
            # Inside a list nothing tells where the next item begins.
            if in_list:
                raise failure from error
            return self._give_up_line(position, line, failure, error)
        self._result.entries.append(Parsed(line=line, value=value))
        return end

    def _give_up_line(self, position: int, line: int, failure: FindingsError, error: JSONDecodeError) -> int:
        if self._broken == 0:
            self._first_failure = failure
        self._broken += 1
        if self._broken > MAX_UNREADABLE:
            raise FindingsError(f"More than {MAX_UNREADABLE} lines are not JSON; the first: {failure}")
        # Only a brace in the first column begins a record: indented ones are parts of the broken value.
        following = _NEXT_OBJECT.search(self._text, position)
        cut = self._is_cut(error) or (following is not None and error.pos >= following.start())
        reason = "the line is cut off" if cut else f"not JSON: {error.msg}, column {error.colno}"
        self._result.entries.append(Unreadable(line=line, reason=reason))
        return following.start() if following else len(self._text)

    def _failure(self, error: JSONDecodeError) -> FindingsError:
        if self._is_cut(error):
            return FindingsError(f"The file ends early, at {self._place(len(self._text))}; export it again.")
        place = f"line {error.lineno}, column {error.colno}"
        return FindingsError(f"The file is not valid JSON at {place}: {error.msg}.")

    def _is_cut(self, error: JSONDecodeError) -> bool:
        # The decoder reports an unclosed string where it begins, which may be far from the end.
        return error.msg.startswith("Unterminated string") or error.pos >= self._end - _TAIL

    def _place(self, position: int) -> str:
        end = len(self._text[:position].rstrip())
        column = end - (self._text.rfind("\n", 0, end) + 1) + 1
        return f"line {self._text.count(chr(10), 0, end) + 1}, column {column}"

    def _line_of(self, position: int) -> int:
        self._line += self._text.count("\n", self._counted_to, position)
        self._counted_to = position
        return self._line

    def _object(self, pairs: list[tuple[str, object]]) -> dict[str, object]:
        # The standard decoder drops repeated names in silence, which hides a wrong export.
        value = dict(pairs)
        if len(value) != len(pairs):
            counts = Counter(name for name, _ in pairs)
            self._repeated.update(name for name, count in counts.items() if count > 1)
        return value

    def _constant(self, _name: str) -> None:
        self._not_finite = True

    def _note(self) -> None:
        if self._repeated:
            names = ", ".join(repr(name) for name in sorted(self._repeated)[:5])
            self._result.notes.append(f"A field is given twice in one object ({names}); the last one counts.")
        if self._not_finite:
            self._result.notes.append("NaN or Infinity in the file was read as not given.")


def _integer(digits: str) -> int | None:
    # Python refuses to convert very long numbers, and one such number must not cost the file.
    return int(digits) if len(digits) < _MAX_DIGITS else None
