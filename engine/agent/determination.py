"""The conclusion that a model may hand in."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from engine.agent.port import Determined

TOOL = "determine"


class Determination(BaseModel):
    """Your conclusion on whether the weakness is still there. To stop without one, answer in text."""

    # A made-up field goes back to the model instead of being lost.
    model_config = ConfigDict(extra="forbid")

    status: Literal["fixed", "still_open", "inconclusive"]
    rationale: Annotated[str, Field(min_length=1, description="Why, in a few plain sentences.")]
    evidence: Annotated[
        # Numbers only: what these commands printed is looked up by code, never retyped by a model.
        list[int], Field(description="The numbers of the commands that replayed the original proof.")
    ] = []
    control: Annotated[
        list[int],
        Field(description="The numbers of the commands that showed the target alive, and logged in."),
    ] = []

    def determined(self) -> Determined:
        """The same as the engine's own value."""
        return Determined(
            status=self.status,
            rationale=self.rationale.strip(),
            evidence=tuple(self.evidence),
            control=tuple(self.control),
        )
