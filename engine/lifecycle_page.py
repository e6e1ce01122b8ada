"""Writes docs/reference/lifecycle.md from the tables themselves: `python -m engine.lifecycle_page`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from engine.lifecycle import (
    ACTION_TABLE,
    EVERY,
    LIVE,
    MESSAGE_TABLE,
    OUTPUT_TABLE,
    PROGRESS_TABLE,
    STATE_MEANS,
    TABLE,
    TERMINAL,
    Row,
    State,
)
from engine.refusals import ONLY_IN, REASONS

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "lifecycle.md"

HEAD = """# The life of a session

Written by `python -m engine.lifecycle_page`; the tables are those of `engine/lifecycle.py`, row by row. For
an input, the first row counts whose state and conditions hold. Where none does, the input is refused with a
reason, and nothing changes.
"""

STOPPING = "Stop was asked for"

SECTIONS: Sequence[tuple[str, str, Sequence[Row]]] = (
    ("A message in the thread", "From someone who may operate the session.", MESSAGE_TABLE),
    ("What the agent's turn comes to", "After an approved command ran, or after a message.", OUTPUT_TABLE),
    ("What is in flight ends", "A sandbox that was being built, a command, or a turn.", PROGRESS_TABLE),
    ("What people do", "Every action is done, or refused with the state and the reason.", ACTION_TABLE),
)


def render() -> str:
    """The page as Markdown."""
    parts = [HEAD, _states(), _diagram()]
    parts += [f"## {title}\n\n{lead}\n\n{_table(rows)}" for title, lead, rows in SECTIONS]
    parts.append(_refusals())
    return "\n".join(parts)


def _states() -> str:
    lines = ["## States", "", "| state | meaning |", "|---|---|"]
    lines += [f"| `{state}` | {STATE_MEANS[state]} |" for state in State]
    lines += ["", "A session that is over stays over, but for Reopen, Conclude again and Restart."]
    return "\n".join(lines) + "\n"


def _diagram() -> str:
    lines = ["## Diagram", "", "```mermaid", "stateDiagram-v2", "    [*] --> live", "    state live {"]
    lines += ["        [*] --> idle", *_arrows(inside=True), "    }", *_arrows(inside=False), "```"]
    return "\n".join(lines) + "\n"


def _arrows(*, inside: bool) -> Iterator[str]:
    """Moves between states; what is possible in every live state is drawn once, from their frame."""
    labels: dict[tuple[str, State], list[str]] = {}
    for row in TABLE:
        if row.to is None:
            continue
        label = STOPPING if STOPPING in row.when else row.given.value.replace("turn: ", "agent's ")
        sources = ["live"] if row.states == LIVE else [state for state in State if state in row.states]
        for source in sources:
            names = labels.setdefault((source, row.to), [])
            if source != row.to and label not in names:
                names.append(label)
    for (source, to), names in labels.items():
        if names and (source in LIVE and to in LIVE) is inside:
            yield f"    {'    ' if inside else ''}{source} --> {to} : {', '.join(names)}"


def _table(rows: Sequence[Row]) -> str:
    lines = ["| input | state | when | then | what is done |", "|---|---|---|---|---|"]
    for row in rows:
        then = f"`{row.to}`" if row.to else "stays"
        done = "; ".join(effect.value for effect in row.effects)
        lines.append(f"| {row.given} | {_named(row.states)} | {', '.join(row.when)} | {then} | {done} |")
    return "\n".join(lines) + "\n"


def _named(states: frozenset[State]) -> str:
    for some, words in ((EVERY, "any"), (LIVE, "any live"), (TERMINAL, "any that is over")):
        if states == some:
            return words
    if states < LIVE and len(LIVE - states) == 1:
        return f"any live but {', '.join(f'`{state}`' for state in LIVE - states)}"
    return ", ".join(f"`{state}`" for state in State if state in states)


def _refusals() -> str:
    lead = "In a live session, the first that fits:"
    lines = ["## Refusals", "", lead, "", "| input | when | refused with |", "|---|---|---|"]
    for reason in REASONS:
        lines.append(f"| {', '.join(reason.inputs)} | {reason.when or ''} | {reason.sentence} |")
    lines += [f"| {given} | | only possible {where} |" for given, where in ONLY_IN.items()]
    lines += ["", "Once it is over, the answer offers what is still possible."]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    PAGE.parent.mkdir(parents=True, exist_ok=True)
    PAGE.write_text(render(), encoding="utf-8")
