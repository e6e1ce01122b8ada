"""Files of `deploy/` that an installed Revalid needs too. They are links here, and copies in a wheel."""

from __future__ import annotations

from importlib.resources import files

SAMPLES = ("generic.json", "nuclei.jsonl")
"""The practice lab's findings, in the order in which they get their numbers."""


def manifest() -> str:
    """The Slack app manifest, YAML with its comments."""
    return (files(__name__) / "manifest.yaml").read_text(encoding="utf-8")


def sample(name: str) -> bytes:
    """One of the `SAMPLES`."""
    return (files(__name__) / name).read_bytes()
