"""Slack's real limits of messages and views, checked offline.

Slack publishes no schema of Block Kit; the numbers are those of its documentation, corrected by what the live
API was seen to refuse. Pure functions: the local workspace answers with them, and tests of every rendered
block ask them.
"""

from __future__ import annotations

from bot.limits.problem import Problem
from bot.limits.surfaces import check_message, check_view, counted_length, escaped_length

__all__ = ["Problem", "check_message", "check_view", "counted_length", "escaped_length"]
