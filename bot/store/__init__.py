"""What the bot remembers: deliveries, where sessions live in Slack, and what was posted."""

from __future__ import annotations
