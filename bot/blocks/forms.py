"""The forms of a command and of a verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bot.blocks import inert, rich
from bot.blocks.command import EDITABLE, warnings
from bot.blocks.ids import Callback, Field, of_command, of_session
from bot.blocks.message import Json
from bot.blocks.parts import field, modal, option, typed
from bot.blocks.state import VERDICT_WORDS
from engine.views import RAN, CommandState, CommandView, SessionView, Status

CHUNK = 2900
"""Counted characters of one block of the window that shows a command whole."""
MOST_CHUNKS = 60
"""A view may weigh 250 kB; beyond this many a command is too long to be read by anyone."""
_MOST_OPTIONS, _LABEL = 100, 75

_MOST_WANTS = 8

_VERDICT_HINTS: dict[Status, str] = {
    "fixed": "the proof was replayed and did not work, and the target was alive",
    "still_open": "the weakness was reproduced",
    "inconclusive": "it could not be told; the rationale says why",
}


def reject_form(command: CommandView) -> Json:
    """Why not; the agent reads the answer."""
    blocks = [
        rich.block(rich.section(f"C-{command.id} will not run."), rich.preformatted(_excerpt(command.text))),
        field(
            Field.reason,
            "Reason",
            typed(placeholder="What should the agent do instead?"),
            optional=True,
            hint="The agent reads this and goes on from there.",
        ),
    ]
    return modal(Callback.reject, "Reject the command", blocks, metadata=of_command(command), submit="Reject")


def edit_form(command: CommandView) -> Json:
    """Change a command of at most `EDITABLE` characters or its time limit, and approve the result."""
    seconds = {
        "type": "number_input",
        "is_decimal_allowed": False,
        "min_value": "1",
        "initial_value": str(command.timeout_seconds),
    }
    found = warnings(command.text)
    blocks = [
        *(
            [rich.block(*found, rich.section("The box below shows such characters as they are."))]
            if found
            else []
        ),
        field(
            Field.command, "Command", typed(command.text[:EDITABLE]), hint="It runs exactly as written here."
        ),
        field(Field.timeout, "Time limit in seconds", seconds),
    ]
    return modal(
        Callback.edit, "Edit and approve", blocks, metadata=of_command(command), submit="Approve and run"
    )


def whole_form(command: CommandView) -> Json:
    """Every character of a long command; a waiting one can be approved from here."""
    text = inert.visible(command.text)
    chunks = _chunks(text)
    readable = len(chunks) <= MOST_CHUNKS
    blocks = [
        rich.block(
            rich.section(rich.bold(f"C-{command.id}"), f", {len(command.text)} characters"),
            *warnings(command.text),
        )
    ]
    if not readable:
        note = " It is too long to be read here. Reject it and ask for a shorter one."
        blocks.append(rich.block(rich.section(rich.bold("Only the beginning is shown."), note)))
    blocks += [rich.block(rich.preformatted(chunk)) for chunk in chunks[:MOST_CHUNKS]]
    # A window can stay open while somebody else decides.
    approvable = readable and command.state is CommandState.proposed
    return modal(
        Callback.whole,
        f"C-{command.id} whole",
        blocks,
        metadata=of_command(command),
        submit="Approve and run" if approvable else None,
    )


def conclude_form(
    session: SessionView,
    commands: Sequence[CommandView],
    missing: Mapping[Status, Sequence[str]],
    *,
    status: Status | None = None,
    rationale: str = "",
    exhibits: Sequence[int] = (),
) -> Json:
    """The operator's verdict. What the rules of evidence still want is said, and stops nobody."""
    again = session.verdict is not None
    choices = [option(VERDICT_WORDS[word].capitalize(), word, hint) for word, hint in _VERDICT_HINTS.items()]
    radio: Json = {"type": "radio_buttons", "options": choices}
    # Nothing is chosen beforehand unless it was recommended: a verdict is a decision, not a default.
    if status is not None:
        radio["initial_option"] = next(choice for choice in choices if choice["value"] == status)
    title = rich.section(rich.bold(f"F-{session.finding_id}  {inert.line(session.title, 300)}"))
    blocks = [rich.block(title), field(Field.status, "Verdict", radio)]
    if wants := _missing(missing):
        blocks.append(rich.block(*wants))
    blocks.append(
        field(Field.rationale, "Why", typed(rationale[:3000], placeholder="What you saw, in a few sentences"))
    )
    blocks += _proof(commands, exhibits)
    return modal(
        Callback.conclude_again if again else Callback.conclude,
        "Conclude again" if again else "Conclude",
        blocks,
        metadata=of_session(session.id),
        submit="Record verdict",
    )


def _missing(missing: Mapping[Status, Sequence[str]]) -> list[Json]:
    parts: list[Json] = []
    for status, wants in missing.items():
        if wants:
            parts.append(
                rich.section("⚠️ For ", rich.bold(VERDICT_WORDS[status]), " the evidence still lacks:")
            )
            parts.append(rich.some([rich.section(inert.line(want, 300)) for want in wants], _MOST_WANTS))
    return [*parts, rich.section("You may conclude all the same.")] if parts else []


def _proof(commands: Sequence[CommandView], chosen: Sequence[int]) -> list[Json]:
    # The newest: what proves a verdict is mostly what was run last.
    ran = [command for command in commands if command.state in RAN][-_MOST_OPTIONS:]
    if not ran:
        return []
    options = [option(_option_label(command), str(command.id)) for command in ran]
    menu: Json = {"type": "multi_static_select", "options": options}
    if initial := [made for made, command in zip(options, ran, strict=True) if command.id in chosen]:
        menu["initial_options"] = initial
    hint = "Leave empty to take every command that ran."
    return [field(Field.exhibits, "Which commands prove it", menu, optional=True, hint=hint)]


def _option_label(command: CommandView) -> str:
    code = (
        f"exit {command.exit_code}" if command.exit_code is not None else (command.outcome or command.state)
    )
    label = f"C-{command.id}, {code}: {' '.join(inert.visible(command.text).split())}"
    return label if len(label) <= _LABEL else label[: _LABEL - 1] + inert.ELLIPSIS


def _excerpt(text: str) -> str:
    return inert.clip(inert.visible(text), 1500)


def _chunks(text: str) -> list[str]:
    chunks = []
    while text:
        chunk = inert.head(text, CHUNK)
        chunks.append(chunk)
        text = text[len(chunk) :]
    # Slack takes no empty text.
    return chunks or [" "]
