"""What goes wrong in the workspace because a test wants it to: its sockets, its deliveries, its Web API.

Everything is switched at run time and nothing goes by the clock. What is left to chance follows from a seed.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from random import Random
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from bot.workspace.errors import ApiError

T = TypeVar("T")
EVERY_METHOD = "*"
Times = int | None
"""How often something happens; None goes on until told otherwise."""
Chance = float
"""Between 0, never, and 1, always."""


class Fault(BaseModel):
    """A method of the Web API that does not answer as it should.

    Attributes:
        method: such as ``chat.postMessage``, or ``*`` for every one.
        status: HTTP status; Slack answers most refusals with 200.
        error: Slack's error code in the body.
        retry_after: seconds of the ``Retry-After`` header.
        times: how many calls it strikes; None strikes all.
        chance: how likely it strikes a call.
        after: the call has its effect first, and only the answer is wrong.
        cut: the connection breaks in place of an answer.
    """

    model_config = ConfigDict(extra="forbid")

    method: str
    status: int = 500
    error: str = "internal_error"
    retry_after: int | None = None
    times: Times = None
    chance: Chance = 1.0
    after: bool = False
    cut: bool = False

    def refusal(self) -> ApiError:
        """The answer in place of the right one."""
        headers = {} if self.retry_after is None else {"Retry-After": str(self.retry_after)}
        return ApiError(self.error, status=self.status, headers=headers)


class Settings(BaseModel):
    """Everything that can be switched; as it is here, the workspace is sound.

    Attributes:
        seed: what chance follows from; set anew, it starts anew.
        door: new sockets are let in, ``refused``, or ``held`` at the door until it opens.
        drop_after: each socket breaks after so many envelopes.
        drop_chance: how likely a socket breaks after an envelope.
        hold: events wait until they are released.
        duplicates: how many more times each event, command and interaction is delivered.
        duplicate_chance: how likely that is for each.
        lost_acks: how many acknowledgements of events get lost, so that these are sent again at once and, as
            long as that goes on, after Slack's one minute and five.
        unreachable: every connection of the app breaks, whatever it asks; people go on.
        faults: the first that fits a call strikes it.
    """

    model_config = ConfigDict(extra="forbid")

    seed: int = 0
    door: Literal["open", "refused", "held"] = "open"
    drop_after: int | None = Field(default=None, ge=1)
    drop_chance: Chance = 0.0
    hold: bool = False
    duplicates: int = Field(default=0, ge=0)
    duplicate_chance: Chance = 1.0
    lost_acks: Times = 0
    unreachable: bool = False
    faults: list[Fault] = []


class Chaos:
    """Decides for each thing that happens whether it goes wrong. Sound until told otherwise."""

    def __init__(self) -> None:
        self.settings = Settings()
        self.struck: Counter[str] = Counter()
        """By method, how many calls a fault has struck."""
        self.changed: Callable[[], None] = lambda: None
        """Called when something here is different from before."""
        self._random = Random(0)  # noqa: S311 - to be repeated, not to be secret
        self._door = asyncio.Event()
        self._door.set()

    def set(self, changes: dict[str, Any]) -> None:
        """Change some of the settings. Raises ValueError for one that there is not."""
        self.settings = Settings.model_validate({**self.settings.model_dump(), **changes})
        # Only when it was named: another change must not begin the same run of chance again.
        if "seed" in changes:
            self._random.seed(self.settings.seed)
        if self.settings.door == "held":
            self._door.clear()
        else:
            # A refused socket must come in to be turned away.
            self._door.set()

    def fault(self, method: str, *, after: bool) -> Fault | None:
        """What strikes a call before or after its effect; it counts as struck."""
        for fault in self.settings.faults:
            if fault.after is not after or fault.method not in (method, EVERY_METHOD):
                continue
            # A fault that is used up draws no chance, or it would shift what comes after it.
            if fault.times == 0 or not self._happens(fault.chance):
                continue
            if fault.times is not None:
                fault.times -= 1
            self.struck[method] += 1
            self.changed()
            return fault
        return None

    async def lets_in(self) -> bool:
        """Whether a socket may be opened, once the door is not held any more."""
        await self._door.wait()
        return self.settings.door == "open"

    def breaks_after(self, envelopes: int) -> bool:
        """Whether a socket breaks that has had so many envelopes."""
        most = self.settings.drop_after
        return (most is not None and envelopes >= most) or self._happens(self.settings.drop_chance)

    def loses_ack(self) -> bool:
        """Whether an acknowledgement of an event gets lost."""
        left = self.settings.lost_acks
        if left is not None and left > 0:
            self.settings.lost_acks = left - 1
        return left is None or left > 0

    def more_deliveries(self) -> int:
        """How many more times something is delivered."""
        return self.settings.duplicates if self._happens(self.settings.duplicate_chance) else 0

    def shuffled(self, things: list[T]) -> list[T]:
        """The same things in another order, which follows from the seed."""
        return self._random.sample(things, len(things))

    def _happens(self, chance: Chance) -> bool:
        # Certain things take nothing from the seed, so that they can be added to a run without changing it.
        return chance >= 1.0 or (chance > 0.0 and self._random.random() < chance)
