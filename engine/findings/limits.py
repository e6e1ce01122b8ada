"""How much of a findings file is taken, so that a hostile file costs a sentence and not the process."""

from __future__ import annotations

MAX_FILE_BYTES = 64 * 1024 * 1024
MAX_ITEMS = 50_000
MAX_MARKS = 5_000_000
"""Opening brackets and commas of a JSON file: what bounds the memory that its values can take."""
# A file with more is of another format, and a list of its lines helps nobody.
MAX_UNREADABLE = 500
"""Lines of one file that are no JSON."""
MAX_DEPTH = 64
"""Levels of lists and objects inside one item."""
MAX_TEXT = 1_000_000
"""Characters of one text field; more is cut, with a note."""
MAX_ENDPOINTS = 1_000
"""Endpoints of one finding; more are left out, with a note."""
MAX_TEMPLATE_BYTES = 128 * 1024
"""A nuclei template inside a record; above, its matchers are not read."""
MAX_COMMANDS = 50
"""Commands of one recorded proof."""
