"""What replayed steps come to: a determination, or words on what could not be told. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.agent.matching import Comparison, Match
from engine.agent.port import Determined, Said
from engine.agent.replay import PlannedStep

AGAIN = "Reply `again` to replay from the beginning."


@dataclass(frozen=True)
class Judged:
    """A planned step with what came of it."""

    planned: PlannedStep
    comparison: Comparison | None
    """None: not run yet, rejected, or a command that cannot be proposed."""
    command_id: int | None = None
    ran_well: bool = False
    """It ended by itself, with exit code 0 or with an answer of the target, nothing blocked."""
    silent: bool = False
    """It ran and nothing came of it: no output, or it did not end by itself."""
    note: str = ""
    """Why it did not run."""

    @property
    def done(self) -> bool:
        """Nothing is left to do about this step."""
        return self.comparison is not None or bool(self.note)

    @property
    def dead(self) -> bool:
        """A control that the target did not answer at all, so that the rest is not worth running."""
        # Any answer is a sign of life, even the wrong one.
        return self.planned.role == "control" and self.silent and self.matched(Match.cannot_tell)

    @property
    def decisive(self) -> bool:
        """A step of the proof that has something to compare with."""
        return self.planned.role == "replay" and bool(self.planned.step.matchers)

    def matched(self, match: Match) -> bool:
        """Whether the comparison came to this."""
        return self.comparison is not None and self.comparison.match is match

    @property
    def line(self) -> str:
        """The step in one sentence."""
        name = self.planned.name.capitalize()
        if self.comparison is None:
            return f"{name}: {self.note}."
        return f"{name} (C-{self.command_id}): {_verb(self)}{self.comparison.why}."


def _verb(judged: Judged) -> str:
    if judged.comparison is None or judged.comparison.match is Match.cannot_tell:
        return "cannot tell, "
    good = judged.comparison.match is Match.matched
    if judged.planned.role == "control":
        return "the target is alive, " if good else "not the recorded answer, "
    return "reproduced, " if good else "not reproduced, "


def conclude(steps: Sequence[Judged]) -> Determined | Said:
    """`still_open` when every decisive step reproduced, `fixed` when none did and the target is shown alive.

    Everything else is a hand-back that names what is missing.
    """
    decisive = [step for step in steps if step.decisive]
    lines = "\n".join(step.line for step in steps)
    # No control is asked for: a proof that is seen again shows the target alive by itself.
    if decisive and all(step.matched(Match.matched) for step in decisive):
        return _determined("still_open", "The original proof reproduced.", lines, steps)
    missing = _missing_for_fixed(steps, decisive)
    if not missing:
        return _determined(
            "fixed",
            "The original proof did not reproduce, and the control shows the target alive.",
            lines,
            steps,
        )
    return Said(
        text=f"I cannot tell from the recorded steps whether this is fixed: {missing}.\n{lines}\n{AGAIN}"
    )


def _missing_for_fixed(steps: Sequence[Judged], decisive: Sequence[Judged]) -> str:
    # "Fixed" is the dangerous answer, so everything that could make it wrong is looked for.
    controls = [step for step in steps if step.planned.role == "control"]
    # A login that failed on the way makes every later step look fixed.
    failed = [
        step for step in steps if step.planned.role == "replay" and not step.decisive and not step.ran_well
    ]
    untold = [step for step in decisive if step.comparison is None or step.matched(Match.cannot_tell)]
    for applies, why in (
        (not decisive, "no step of the proof has anything recorded to compare with"),
        (any(step.matched(Match.matched) for step in decisive), "the proof reproduced only in part"),
        (untold, f"{_names(untold)} could not be compared"),
        (failed, f"{_names(failed)} did not run well, and the proof needs it"),
        (not controls, "no control is recorded that would show the target alive"),
        (
            not all(step.matched(Match.matched) for step in controls),
            "nothing reproduced, but the control did not show the target alive",
        ),
    ):
        if applies:
            return why
    return ""


def _names(steps: Sequence[Judged]) -> str:
    return ", ".join(step.planned.name for step in steps)


def _determined(status: str, reason: str, lines: str, steps: Sequence[Judged]) -> Determined:
    def ids(role: str) -> tuple[int, ...]:
        return tuple(
            step.command_id for step in steps if step.planned.role == role and step.command_id is not None
        )

    return Determined(
        status="fixed" if status == "fixed" else "still_open",
        rationale=f"{reason}\n{lines}",
        evidence=ids("replay"),
        control=ids("control"),
    )
