"""The Web API methods that a Bolt app uses."""

from __future__ import annotations
