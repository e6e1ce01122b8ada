"""One thing that Slack would refuse, and the collector the checks write to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]


@dataclass(frozen=True)
class Problem:
    """What Slack would refuse.

    Attributes:
        pointer: JSON pointer into the checked message or view, such as ``/blocks/1/text/text``.
        sentence: Slack's wording where it is known, such as ``must be less than 3001 characters``.
        code: the ``error`` of the Web API answer, such as ``invalid_blocks``.
    """

    pointer: str
    sentence: str
    code: str

    def __str__(self) -> str:
        return f"{self.sentence} [json-pointer:{self.pointer}]"


@dataclass
class Report:
    """Collects problems; `code` is what a broken block is called on this surface."""

    code: str = "invalid_blocks"
    problems: list[Problem] = field(default_factory=list)

    def add(self, pointer: str, sentence: str, code: str | None = None) -> None:
        """Note one problem, under the surface's own code unless another is given."""
        self.problems.append(Problem(pointer, sentence, code or self.code))

    def string(
        self, holder: Mapping[str, Any], key: str, at: str, limit: int, *, required: bool = False
    ) -> None:
        """A string of 1 to `limit` characters under `key`."""
        value = holder.get(key)
        if value is None:
            if required:
                self.add(at, f"missing required field: {key}")
        elif not isinstance(value, str):
            self.add(f"{at}/{key}", "must be a string")
        elif len(value) > limit:
            # Slack's own wording, which names the first length that is too much.
            self.add(f"{at}/{key}", f"must be less than {limit + 1} characters")
        elif required and not value:
            self.add(f"{at}/{key}", "must be more than 0 characters")

    def choice(self, holder: Mapping[str, Any], key: str, at: str, allowed: tuple[str, ...]) -> None:
        """An optional value that must be one of a few."""
        if (value := holder.get(key)) is not None and value not in allowed:
            self.add(f"{at}/{key}", f"must be one of: {', '.join(allowed)}")

    def within(self, holder: Mapping[str, Any], key: str, at: str, least: int, most: int) -> None:
        """An optional whole number from `least` to `most`."""
        value = holder.get(key, least)
        if not isinstance(value, int) or not least <= value <= most:
            self.add(f"{at}/{key}", f"must be between {least} and {most}")

    def objects(
        self, holder: Mapping[str, Any], key: str, at: str, most: int, *, least: int = 1
    ) -> list[tuple[str, Json]]:
        """The objects of a list of `least` to `most`, each with its pointer; none when it is no such list."""
        value = holder.get(key)
        if not isinstance(value, list):
            self.add(at, f"missing required field: {key}")
            return []
        if len(value) > most:
            self.add(f"{at}/{key}", f"no more than {most} items allowed")
        if len(value) < least:
            self.add(f"{at}/{key}", f"must provide at least {least} items")
        # Items beyond the limit are looked at too, so that one answer names everything that is wrong.
        found = []
        for index, item in enumerate(value):
            if isinstance(item, dict):
                found.append((f"{at}/{key}/{index}", item))
            else:
                self.add(f"{at}/{key}/{index}", "must be an object")
        return found
