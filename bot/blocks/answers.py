"""What people filled into the forms, read back from a view's state."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, get_args

from bot.blocks.ids import Field, StaleButton, decode
from bot.blocks.opening import START_NOW, YES
from engine.scope import Danger, Target
from engine.views import Status

State = Mapping[str, Mapping[str, Any]]
"""`view["state"]["values"]`."""


@dataclass(frozen=True, kw_only=True)
class RetestAnswer:
    """A new session as a person wants it."""

    finding_id: int
    channel: str
    goal: tuple[str, ...]
    ticked: tuple[Target, ...]
    """With the dangers that the tick said yes to."""
    offered: bool
    """Whether there was anything to tick."""
    typed: tuple[str, ...]
    """Further targets, a line each, not parsed yet."""
    typed_authorised: bool
    start: bool


@dataclass(frozen=True, kw_only=True)
class ConcludeAnswer:
    """A verdict as a person wants it."""

    status: Status
    rationale: str
    exhibits: tuple[int, ...]


def retest_answer(view: Mapping[str, Any]) -> RetestAnswer:
    """Read the form that opens a session. Raises `StaleButton` when it is not one of this version."""
    values: State = view["state"]["values"]
    value, _, channel = str(view["private_metadata"]).partition(" ")
    finding_id = decode(value).finding_id
    # A form that was open while the bot was upgraded, or one that was made by hand.
    if finding_id is None:
        raise StaleButton
    # Scope has as many groups as it needs, since Slack takes ten ticks in each.
    names = [name for name in values if name.startswith(f"{Field.scope}.")]
    return RetestAnswer(
        finding_id=finding_id,
        channel=channel,
        goal=lines(text(values, Field.goal)),
        ticked=tuple(target_of(value) for name in names for value in chosen(values, name)),
        offered=bool(names),
        typed=lines(text(values, Field.more_scope)),
        typed_authorised=chosen(values, Field.more_scope_yes) == (YES,),
        start=chosen(values, Field.start) == (START_NOW,),
    )


def conclude_answer(view: Mapping[str, Any]) -> ConcludeAnswer:
    """Read the form of a verdict. Raises `StaleButton` when it is not one of this version."""
    values: State = view["state"]["values"]
    status = next((word for word in get_args(Status) if (word,) == chosen(values, Field.status)), None)
    if status is None:
        raise StaleButton
    return ConcludeAnswer(
        status=status,
        rationale=text(values, Field.rationale).strip(),
        exhibits=tuple(int(value) for value in chosen(values, Field.exhibits)),
    )


def text(values: State, name: str) -> str:
    """What was typed into a box, to the letter; empty when nothing was."""
    return values.get(name, {}).get(name, {}).get("value") or ""


def chosen(values: State, name: str) -> tuple[str, ...]:
    """The values that were ticked or chosen in a menu or a group."""
    element = values.get(name, {}).get(name, {})
    one = element.get("selected_option")
    # Slack writes one choice under another key than several.
    many = element.get("selected_options") or ([one] if one else [])
    return tuple(str(option["value"]) for option in many)


def files(values: State) -> tuple[Mapping[str, Any], ...]:
    """The files that were added, as Slack describes them."""
    return tuple(values.get(Field.files, {}).get(Field.files, {}).get("files") or ())


def lines(words: str) -> tuple[str, ...]:
    """The lines that are not empty."""
    return tuple(line.strip() for line in words.splitlines() if line.strip())


def target_of(value: str) -> Target:
    """A ticked target, with the dangers that its tick named. Raises `StaleButton` for anything else."""
    try:
        host, ports, dangers = value.split("|")
        return Target(
            host=host,
            ports=tuple(int(port) for port in ports.split(",")),
            # Only what the label said: a yes to one danger is no yes to another found since.
            accepted=frozenset(Danger(word) for word in dangers.split(",") if word),
        )
    except ValueError as error:
        raise StaleButton from error
