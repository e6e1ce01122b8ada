"""Recognises a tool call that a model wrote as text instead of making it."""

from __future__ import annotations

import json
import re

RE_ASK = (
    "You wrote a tool call as text, so nothing was proposed. Call the tool, or answer in plain sentences."
)
WRITTEN_AS_TEXT = (
    "The model wrote a command as text instead of proposing it, twice; nothing was proposed. Its words:"
)
# The ways in which open models write a call when their server does not understand it.
_TAGS = re.compile(
    r"<(?:tool_call|function_call|function=|\|?tool_calls?\b|invoke\b)|\[TOOL_CALLS?\]", re.IGNORECASE
)
# With an argument, at the start of a line: prose names tools too, as in "I used run_command()".
_CALL = re.compile(r"^\W*(?:run_command|read_output|respond|determine)\(\s*(?:\w+\s*=|[{\"'])", re.MULTILINE)
_JSON_BLOCK = re.compile(r"\A\s*(?:```(?:json|tool_code|tool_call)?\s*)?(\{.*\})\s*(?:```)?\s*\Z", re.DOTALL)
# JSON alone is no call: a model may rightly answer with what a target sent.
_CALL_KEYS = frozenset({"arguments", "parameters", "command", "tool", "tool_name", "function"})


def looks_like_call(text: str) -> bool:
    """Whether this prose is really a tool call. Prose that only mentions a command is not."""
    if _TAGS.search(text) or _CALL.search(text):
        return True
    block = _JSON_BLOCK.match(text)
    if block is None:
        return False
    try:
        value = json.loads(block.group(1))
    except ValueError:
        return False
    return bool(_CALL_KEYS & value.keys())
