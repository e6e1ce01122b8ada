"""The card of a command: one message from the proposal to the result."""

from __future__ import annotations

from datetime import datetime

from bot.blocks import inert, output, prose, rich
from bot.blocks.amounts import clock, count, duration
from bot.blocks.ids import Action, of_command
from bot.blocks.message import Json, Message
from bot.blocks.output import Stream
from bot.blocks.parts import actions, button, confirm, context
from bot.limits import escaped_length
from engine.events import AUTO_RUN
from engine.sandbox.port import Outcome
from engine.views import RAN, CommandState, CommandView

SHOWN_WHOLE, SHOWN_LINES = 2500, 60
"""Counted characters and lines of a command that a card shows; a longer one is opened in a window."""
EXCERPT_HEAD, EXCERPT_TAIL, EXCERPT_LINES = 700, 400, 12
SAID, WHY = 900, 900
"""Counted characters of prose that a card carries; longer prose is a message of its own before it."""
EDITABLE = 3000
"""Characters that fit into a text box."""
NOT_EVIDENCE = "This says nothing about the target; it is not evidence."

_MOST_DENIED = 12
_UNDECIDED = "It is never run again by itself. Look at the target, then decide what is to become of it."
_RUNNING = frozenset({CommandState.claimed, CommandState.running})
_WAITS = {
    CommandState.proposed: "🟡 C-{id} waits for your decision",
    CommandState.held: "⏸️ C-{id} is held while the session is stopped",
    CommandState.approved: "🔵 C-{id} is approved and about to run",
    CommandState.rejected: "🚫 C-{id} was rejected; nothing ran",
    CommandState.withdrawn: "↩️ C-{id} was set aside; nothing ran",
}
_TEXTS = {
    CommandState.proposed: "C-{id} waits for your decision",
    CommandState.finished: "C-{id} has run",
    CommandState.timed_out: "C-{id} ran into its time limit",
    CommandState.killed: "C-{id} was killed",
    CommandState.failed: "C-{id} did not run",
    CommandState.unknown: "C-{id} may or may not have run",
    CommandState.repeated: "C-{id} was run again",
    CommandState.not_run: "C-{id} did not run",
}


def command_card(
    command: CommandView,
    *,
    now: datetime,
    decided_at: datetime | None = None,
    streams: tuple[Stream, ...] = (),
    live: bytes = b"",
    said: bool = True,
) -> Message:
    """The card as the command stands now.

    `streams` is what it wrote, once it ended; `live` the end of what it has written, while it runs. `said`
    is False when the agent's prose went ahead as a message of its own.
    """
    lead = [rich.section(rich.bold(headline(command, now)))]
    # An operator's own command has no reason to give.
    if command.origin == "agent" and said:
        lead += _spoken(command)
    # Always rich_text in these places: Slack does not let an edit replace it by another kind.
    blocks = [rich.block(*lead), rich.block(*_command(command))]
    blocks.append(context(*_small_print(command, decided_at)))
    blocks += [rich.block(*part) for part in _result(command, streams, live) if part]
    if buttons := _buttons(command):
        blocks.append(actions(*buttons))
    text = _TEXTS.get(command.state, "C-{id} is " + command.state)
    return Message(text=text.format(id=command.id), blocks=blocks)


def speaks_apart(command: CommandView) -> bool:
    """Whether the agent's words are too long for the card."""
    return escaped_length(command.said) > SAID or escaped_length(command.rationale) > WHY


def shown_whole(command: CommandView) -> bool:
    """Whether the card shows every character; only then it can be approved from there."""
    # Measured as it is shown: a hidden character takes several when it is written out.
    text = inert.visible(command.text)
    return escaped_length(text) <= SHOWN_WHOLE and text.count("\n") < SHOWN_LINES


def headline(command: CommandView, now: datetime) -> str:
    """The card's first line: `✅ C-7 ran · exit 0 · 1.2 s`."""
    name, state = f"C-{command.id}", command.state
    if state in _WAITS:
        return _WAITS[state].format(id=command.id)
    if state in _RUNNING:
        so_far = (now - command.started).total_seconds() if command.started else 0.0
        # Without a time at first, a card that is drawn twice at once looks the same and is not edited.
        return f"🔵 {name} is running" + (f" · {duration(so_far)}" if so_far >= 1 else "")
    spent = duration(command.elapsed_seconds or 0)
    if state is CommandState.finished and command.outcome == Outcome.exited:
        code = command.exit_code if command.exit_code is not None else "unknown"
        return f"⬛ {name} ran · exit {code} · {spent}"
    return {
        CommandState.finished: f"⚠️ {name} wrote too much output and was stopped after {spent}",
        CommandState.timed_out: f"⚠️ {name} was stopped at its time limit of {command.timeout_seconds} s",
        CommandState.killed: f"⚠️ {name} was killed after {spent}",
        CommandState.failed: f"⚠️ {name} could not be started; nothing ran",
        CommandState.repeated: f"🔁 Nobody knows whether {name} ran; it was run again",
        CommandState.not_run: f"🚫 {name} did not run, a person says",
    }.get(state, f"⚠️ Nobody knows whether {name} ran")


def _spoken(command: CommandView) -> list[Json]:
    said = prose.elements(command.said) if command.said.strip() else []
    why = inert.clip(inert.plain(command.rationale).strip(), WHY)
    return [*said, rich.section(rich.bold("Why: "), why)] if why else said


def _command(command: CommandView) -> list[Json]:
    text = inert.visible(command.text)
    if shown_whole(command):
        parts = [rich.preformatted(text)]
    else:
        length, lines = count(len(command.text), "character"), count(text.count("\n") + 1, "line")
        parts = [
            rich.section(f"Only the beginning and the end of {length} on {lines}:"),
            rich.preformatted(_lines(inert.head(text, EXCERPT_HEAD))[0]),
            rich.section("⋯"),
            rich.preformatted(_lines(inert.tail(text, EXCERPT_TAIL))[1]),
        ]
    parts += warnings(command.text)
    if command.edited_from is not None:
        original = inert.clip(inert.visible(command.edited_from), EXCERPT_HEAD)
        parts += [rich.section(rich.bold("Edited."), " The agent had proposed:"), rich.preformatted(original)]
    return parts


def _lines(text: str) -> tuple[str, str]:
    """The first and the last lines of an excerpt, few enough for a card."""
    lines = text.split("\n")
    return "\n".join(lines[:EXCERPT_LINES]), "\n".join(lines[-EXCERPT_LINES:]).rstrip("\n")


def warnings(text: str) -> list[Json]:
    """What the eye would miss in a command: invisible characters and letters that pass for others."""
    found: list[Json] = []
    if hidden := inert.hidden(text):
        words = f" Characters that do not show are written as ⟨U+…⟩: {', '.join(hidden)}."
        found.append(rich.section("⚠️ ", rich.bold("Hidden characters."), words))
    if foreign := inert.lookalikes(text):
        words = f" These can look like others: {', '.join(foreign)}."
        found.append(rich.section("⚠️ ", rich.bold("Letters outside ASCII."), words))
    return found


def _small_print(command: CommandView, decided_at: datetime | None) -> list[str]:
    limit = f"Time limit {command.timeout_seconds} s"
    return [
        f"{decision(command, decided_at)} · {limit}"
        if command.decided_by or command.origin == "operator"
        else limit
    ]


def decision(command: CommandView, at: datetime | None) -> str:
    """`Approved by <@U1> 12:03 UTC`, as mrkdwn."""
    when = f" {clock(at)}" if at else ""
    who = rich.mention(command.decided_by or "")
    if command.resolved_by is not None:
        resolved = "Run again by" if command.state is CommandState.repeated else "Marked as not run by"
        return f"{resolved} {rich.mention(command.resolved_by)}"
    if command.origin == "operator":
        return f"{who}'s own command{when}"
    if command.state is CommandState.withdrawn:
        return f"Set aside{when}"
    if command.state is CommandState.rejected:
        return f"Rejected by {who}{when}"
    edited = "Edited and approved" if command.edited_from is not None else "Approved"
    machine = " without asking" if command.decided_by == AUTO_RUN else ""
    return f"{edited} by {who}{machine}{when}"


def _result(command: CommandView, streams: tuple[Stream, ...], live: bytes) -> list[list[Json]]:
    if command.state in _RUNNING:
        return [output.live(live)]
    parts = [_remarks(command)]
    if command.state in RAN:
        parts += [output.elements(command.id, stream) for stream in streams]
        if not any(stream.total for stream in streams):
            parts.append([rich.section(rich.text("It wrote nothing.", italic=True))])
    return parts


def _remarks(command: CommandView) -> list[Json]:
    remarks: list[Json] = []
    reason = inert.clip(inert.plain(command.reason).strip(), 500)
    if reason:
        label = "Reason: " if command.state is CommandState.rejected else ""
        remarks.append(rich.section(rich.bold(label), reason))
    if command.state is CommandState.unknown:
        remarks.append(rich.section(_UNDECIDED))
    if command.denied:
        places = [rich.section(rich.code(inert.line(place, 80))) for place in command.denied]
        # Inside the sandbox a blocked port looks just like a closed one, and a verdict could rest on it.
        words = ", which does not mean that the port is closed:"
        remarks += [rich.section(rich.bold("Blocked by scope"), words), rich.some(places, _MOST_DENIED)]
    if command.out_of_memory:
        remarks.append(rich.section("The sandbox ran out of memory, so something in it was killed."))
    failed = command.state in {
        CommandState.timed_out, CommandState.killed, CommandState.failed, CommandState.unknown,
    }  # fmt: skip
    if failed or command.out_of_memory or command.outcome == Outcome.output_limit:
        remarks.append(rich.section(rich.bold(NOT_EVIDENCE)))
    return remarks


def _buttons(command: CommandView) -> list[Json]:
    value = of_command(command)
    whole = shown_whole(command)
    opener = button(Action.open_whole, "Open whole", value, style="primary")
    if command.state is CommandState.proposed:
        # Nobody approves what they could not read to the end.
        decide = [button(Action.approve, "Approve", value, style="primary")] if whole else [opener]
        # A box that cannot hold it would cut the command that is then run.
        if len(command.text) <= EDITABLE:
            decide.append(button(Action.edit, "Edit", value))
        return [*decide, button(Action.reject, "Reject", value, style="danger")]
    rest = [] if whole else [button(Action.open_whole, "Open whole", value)]
    if command.state in _RUNNING:
        asks = confirm(
            f"Kill C-{command.id}?", "The command and all it started end at once.", "Kill", danger=True
        )
        rest.append(button(Action.kill, "Kill", value, style="danger", asks=asks))
    if command.state is CommandState.unknown:
        words = "It may have run already, so what it does may be done twice."
        # Only a person may take this risk, and knowingly.
        asks = confirm(f"Run C-{command.id} again?", words, "Run again")
        rest.append(button(Action.run_again, "Run again", value, asks=asks))
        rest.append(button(Action.mark_not_run, "Mark as not run", value))
    return rest
