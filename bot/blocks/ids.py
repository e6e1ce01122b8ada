"""The names of buttons, forms and fields, and the values that buttons carry.

A value is `s42.c7.d3f9a1c2e4b50` and the like: numbers and a digest's beginning, nothing else. Every client
can read it, so it grants nothing; whoever handles a click looks everything up again.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from engine.errors import RevalidError
from engine.views import CommandView

# 48 bits: enough that no other version of the same command has the same by chance.
DIGEST_PREFIX = 12


class StaleButton(RevalidError):
    """This button belongs to an older version of the message; use the newest card in the thread."""


class Action(StrEnum):
    """`action_id` of every button."""

    approve = "approve"
    edit = "edit"
    reject = "reject"
    open_whole = "open_whole"
    kill = "kill"
    run_again = "run_again"
    mark_not_run = "mark_not_run"
    send_now = "send_now"
    stop = "stop"
    auto_on = "auto_on"
    auto_off = "auto_off"
    conclude = "conclude"
    conclude_as = "conclude_as"
    """On a recommendation; the value names its event."""
    conclude_again = "conclude_again"
    reopen = "reopen"
    restart = "restart"
    end = "end"
    retry = "retry"
    """On a failure; the value names its event."""
    retry_turn = "retry_turn"
    """On the root card while a model call takes long."""
    retest = "retest"
    """In the list of findings; the value names the finding."""
    pick = "pick"
    """In "which session?"; several stand in one message, so the session follows: `pick.42`."""


class Callback(StrEnum):
    """`callback_id` of every form."""

    retest = "retest_form"
    conclude = "conclude_form"
    conclude_again = "conclude_again_form"
    import_findings = "import_form"
    reject = "reject_form"
    edit = "edit_form"
    whole = "whole_form"
    notice = "notice"
    """A window with nothing to send."""
    session_actions = "session_actions"
    """The entry in every message's menu; the manifest names it too."""


class Field(StrEnum):
    """`block_id` and `action_id` of every input; groups of ticks add `.0`, `.1` and so on."""

    goal = "goal"
    scope = "scope"
    more_scope = "more_scope"
    more_scope_yes = "more_scope_yes"
    start = "start"
    status = "status"
    rationale = "rationale"
    exhibits = "exhibits"
    reason = "reason"
    command = "command"
    timeout = "timeout"
    files = "files"
    pasted = "pasted"


@dataclass(frozen=True, kw_only=True)
class Ref:
    """What a button or a form is about."""

    session_id: int | None = None
    command_id: int | None = None
    digest: str = ""
    """The first digits of the command's digest, as the card showed it."""
    event: int | None = None
    """Number of the event that the button belongs to."""
    finding_id: int | None = None

    def shows(self, command: CommandView) -> bool:
        """Whether the button was on a card that showed this very command, scope and time limit."""
        return command.id == self.command_id and command.digest[:DIGEST_PREFIX] == self.digest


_SHAPE = re.compile(
    # At most fifteen digits, so that no made-up number is too large for the database.
    r"(?:s(?P<s>\d{1,15}))?\.?(?:c(?P<c>\d{1,15}))?\.?(?:d(?P<d>[0-9a-f]{1,64}))?\.?"
    r"(?:e(?P<e>\d{1,15}))?\.?(?:f(?P<f>\d{1,15}))?"
)


def encode(ref: Ref) -> str:
    """The value of a button, or the private metadata of a form."""
    parts = (
        ("s", ref.session_id),
        ("c", ref.command_id),
        ("d", ref.digest),
        ("e", ref.event),
        ("f", ref.finding_id),
    )
    return ".".join(f"{key}{value}" for key, value in parts if value not in (None, ""))


def decode(value: str) -> Ref:
    """The reverse of `encode`. Raises `StaleButton` for anything else."""
    # Every part may be absent, so the empty string matches too.
    found = _SHAPE.fullmatch(value)
    if found is None or not value:
        raise StaleButton
    number = {key: int(text) if (text := found[key]) else None for key in "scef"}
    return Ref(
        session_id=number["s"],
        command_id=number["c"],
        digest=found["d"] or "",
        event=number["e"],
        finding_id=number["f"],
    )


def of_session(session_id: int) -> str:
    """The value of a control of a session."""
    return encode(Ref(session_id=session_id))


def of_command(command: CommandView) -> str:
    """The value of a control of a command, bound to the bytes that were shown."""
    return encode(
        Ref(session_id=command.session_id, command_id=command.id, digest=command.digest[:DIGEST_PREFIX])
    )
