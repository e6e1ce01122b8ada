"""Listeners by surface: each lets the person in or not, asks the engine one thing, and answers."""

from __future__ import annotations
