"""The few words of an operator that recorded steps can act on."""

from __future__ import annotations

import re
from collections.abc import Sequence

REPLAYS_ONLY = "I replay the recorded steps only, so I cannot act on your message."
_LONGEST_ORDER = 60
"""Characters; a longer message with `again` in it is about something else."""
_AGAIN = re.compile(r"\b(?:again|re-?run|repeat|start over|from the (?:beginning|start))\b")
_REPLAY = re.compile(r"\breplay\b")
# Only a message made of nothing but these words is an order; "go on without the login" is not.
_GO_ON = re.compile(
    r"\W*(?:(?:a|ahead|and|approved?|begin|carry|continue|do|fine|go|good|great|it|let|looks|next|now|ok|okay|on"
    r"|please|proceed|retest|run|s|start|step|sure|thanks?|that|the|then|this|yes|you)\b\W*)*"
)


def asks_again(messages: Sequence[str], *, finished: bool) -> bool:
    """Whether the operator wants the replay from the beginning.

    Once all is replayed, "go on" and "replay it" say so too; before that they mean the next step.
    """
    return any(_says_again(message) or (finished and _says_go_on(message)) for message in messages)


def is_understood(messages: Sequence[str]) -> bool:
    """Whether every message is one of the orders that can be followed."""
    return all(_says_again(message) or _says_go_on(message) for message in messages)


def _says_again(message: str) -> bool:
    return len(message) <= _LONGEST_ORDER and _AGAIN.search(message.lower()) is not None


def _says_go_on(message: str) -> bool:
    text = message.lower()
    return len(message) <= _LONGEST_ORDER and bool(_GO_ON.fullmatch(text) or _REPLAY.search(text))
