"""The demo's first message in the channel."""

from __future__ import annotations

from bot.blocks.message import Message
from bot.blocks.parts import context, header, section


def welcome(samples: int) -> Message:
    """What this place is and what to try first."""
    steps = (
        "Type `/revalid retest F-1` below. In the form tick the host (it asks because the address is "
        "private), choose *Start now*, and open the retest.",
        "A card appears, with a thread under it. The agent proposes a command there: press *Approve* and "
        "look at what came out.",
        "It is your turn again. Reply `go on`, and approve the next command: the original proof.",
        "The agent recommends a verdict. Press *Conclude*, and find it in the channel.",
    )
    return Message(
        text="Welcome to Revalid",
        blocks=[
            header("Welcome to Revalid"),
            section(
                f"Revalid retests old security findings. {samples} of an invented shop are imported here: "
                "some are still open, some are fixed, and some are on a host that is dead."
            ),
            section("*Try this first*\n" + "\n".join(f"{n}. {step}" for n, step in enumerate(steps, 1))),
            section(
                "Then `/revalid retest F-7`, the same weakness where it was fixed, and "
                "`/revalid retest F-13`, where nothing answers. `/revalid findings` lists them all, "
                "`/revalid help` the rest."
            ),
            context(
                "This workspace, its people and the shop are on your machine only. Commands run in a sandbox "
                "that reaches the hosts you ticked and nothing else."
            ),
        ],
    )
