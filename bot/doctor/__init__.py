"""Looks at everything that Revalid depends on and says what to do about what is wrong. Changes nothing."""

from __future__ import annotations
