"""The Slack side of Revalid."""

from __future__ import annotations
