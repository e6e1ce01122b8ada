"""The main job played from end to end, through the real bot, the real protocol and the real sandbox."""

from __future__ import annotations
