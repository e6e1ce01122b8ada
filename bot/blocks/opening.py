"""The forms that bring findings in and open a retest."""

from __future__ import annotations

from collections.abc import Sequence

from bot.blocks import inert, rich
from bot.blocks.ids import Callback, Field, Ref, encode
from bot.blocks.message import Json
from bot.blocks.parts import field, modal, option, typed
from engine.scope import Danger, Target
from engine.views import FindingView, ProposedTarget

START_NOW, START_LATER = "now", "later"
YES = "yes"
_TICKS = 10
"""Most ticks that Slack takes in one group."""
_MOST_TARGETS, _MOST_PLACES, _MOST_NAMED = 60, 5, 10
# Slack's own limits of an option.
_VALUE, _LABEL = 150, 75

DANGER_WORDS = {
    Danger.third_party: "belongs to someone else",
    Danger.private: "private address",
    Danger.loopback: "this machine itself",
    Danger.link_local: "link-local address",
    Danger.metadata: "cloud metadata service",
    Danger.wildcard: "stands for many hosts",
}


def retest_form(
    view: FindingView, goal: Sequence[str], proposed: Sequence[ProposedTarget], *, channel: str
) -> Json:
    """Goal, scope and start of a session in `channel`. A target that needs an explicit yes is not ticked."""
    finding = view.finding
    summary = [
        rich.section(
            rich.bold(f"F-{view.id}  {inert.line(finding.title, 300)}"), f"\n{finding.severity} severity"
        ),
        *_places([endpoint.display for endpoint in finding.endpoints]),
    ]
    goal_text = "\n".join(inert.line(step, 300) for step in goal)
    blocks = [
        rich.block(*summary),
        field(
            Field.goal,
            "Goal",
            typed(inert.head(goal_text, 3000), placeholder="A step on each line"),
            optional=True,
            hint="A few steps, one on each line. The agent works to these; you can change them later.",
        ),
        *_scope(proposed),
        field(Field.start, "Start", _start()),
    ]
    return modal(
        Callback.retest,
        f"Retest F-{view.id}",
        blocks,
        # A form hangs on no channel: where it was asked for is carried along.
        metadata=f"{encode(Ref(finding_id=view.id))} {channel}",
        submit="Open the retest",
    )


def _places(endpoints: Sequence[str]) -> list[Json]:
    if not endpoints:
        return [rich.section("The finding names no endpoint.")]
    return [rich.some([rich.section(rich.code(inert.line(place, 300))) for place in endpoints], _MOST_PLACES)]


def _scope(proposed: Sequence[ProposedTarget]) -> list[Json]:
    """Ticks in groups of ten, then a box for what has no port, does not fit or is not proposed."""
    # A value that was cut would name another host.
    tickable = [each for each in proposed if each.target.ports and len(target_value(each)) <= _VALUE][
        :_MOST_TARGETS
    ]
    blocks: list[Json] = []
    for start in range(0, len(tickable), _TICKS):
        group = tickable[start : start + _TICKS]
        number = start // _TICKS
        label = "Scope: the sandbox may reach" if number == 0 else "Scope, continued"
        blocks.append(field(f"{Field.scope}.{number}", label, _ticks(group), optional=True))
    left = [each.target.host for each in proposed if each not in tickable]
    if left:
        names = ", ".join(inert.line(host, 80) for host in left[:_MOST_NAMED])
        names += " and more" if len(left) > _MOST_NAMED else ""
        words = (
            f"  Not offered above, for want of a port or of room: {names}. Type what you need with its port."
        )
        blocks.append(rich.block(rich.section("⚠️", words)))
    blocks.append(
        field(
            Field.more_scope,
            "Further targets",
            typed(placeholder="app.example.com:443"),
            optional=True,
            hint="host:port, one on each line. Nothing else can be reached from the sandbox.",
        )
    )
    sure: Json = {
        "type": "checkboxes",
        "options": [option("Private or foreign targets typed above are authorised", YES)],
    }
    blocks.append(field(Field.more_scope_yes, "Authorised", sure, optional=True))
    return blocks


def _ticks(group: Sequence[ProposedTarget]) -> Json:
    options = [option(_label(each.target), target_value(each), _description(each)) for each in group]
    ticks: Json = {"type": "checkboxes", "options": options}
    # What needs a yes is left for a person to tick.
    if safe := [made for made, each in zip(options, group, strict=True) if not each.dangers]:
        ticks["initial_options"] = safe
    return ticks


def _label(target: Target) -> str:
    host = f"[{target.host}]" if ":" in target.host else target.host
    label = inert.plain(f"{host}:{', '.join(map(str, target.ports))}")
    # The end of a long name says whose it is.
    return label if len(label) <= _LABEL else inert.ELLIPSIS + label[1 - _LABEL :]


def _description(proposed: ProposedTarget) -> str:
    if proposed.dangers:
        words = " and ".join(DANGER_WORDS[danger] for danger in sorted(proposed.dangers))
        return f"Tick only if authorised: {words}"[:_LABEL]
    # Told here, as it would otherwise be found out only when the sandbox is built.
    if not proposed.addresses:
        return "does not resolve now; the sandbox will not start with it"
    return ", ".join(proposed.addresses)[:_LABEL]


def _start() -> Json:
    options = [
        option("Start now", START_NOW, "build the sandbox and let the agent begin"),
        option("Only open the thread", START_LATER, "the first reply in it starts the agent"),
    ]
    return {"type": "radio_buttons", "options": options, "initial_option": options[0]}


def target_value(proposed: ProposedTarget) -> str:
    """A tick's value, `host|ports|dangers`; `answers.target_of` reads it."""
    target = proposed.target
    ports = ",".join(map(str, target.ports))
    return f"{target.host}|{ports}|{','.join(sorted(proposed.dangers))}"


def import_form(channel: str) -> Json:
    """A file, or text pasted."""
    chooser = {"type": "file_input", "max_files": 5}
    blocks = [
        rich.block(
            rich.section(
                "DefectDojo generic JSON, or nuclei JSON and JSONL. What is known already is not taken twice."
            )
        ),
        field(Field.files, "Findings files", chooser, optional=True),
        field(
            Field.pasted, "Or paste the findings", typed(), optional=True, hint="At most 3,000 characters."
        ),
    ]
    return modal(Callback.import_findings, "Import findings", blocks, metadata=channel, submit="Import")
