"""Writes docs/reference/settings.md from the settings themselves: `python -m bot.settings_page`."""

from __future__ import annotations

from pathlib import Path

from bot.settings import Settings, variable_of

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "settings.md"

HEAD = """# Settings

Written by `python -m bot.settings_page`; edit the descriptions in `bot/settings.py`.

Each setting is an environment variable, or a line of a `.env` file in the folder where `revalid` is started.
An empty variable counts as not set. `revalid doctor` checks them and says what to do.

| variable | default | what it sets |
|---|---|---|
"""


def render() -> str:
    """The page as Markdown."""
    rows = (
        f"| `{variable_of(name)}` | {_default(field.default)} | {field.description} |"
        for name, field in Settings.model_fields.items()
    )
    return HEAD + "\n".join(rows) + "\n"


def _default(value: object) -> str:
    return "none" if value is None or value == () else f"`{value}`"


if __name__ == "__main__":
    PAGE.parent.mkdir(parents=True, exist_ok=True)
    PAGE.write_text(render(), encoding="utf-8")
