"""Untrusted text made harmless: nothing in it mentions, links, hides or reorders anything.

Commands and outputs are evidence, so their invisible characters are written out; prose is only to be read, so
there they are dropped. rich_text elements take the result to the letter; `escape` is for mrkdwn.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter

from bot.limits import escaped_length

# Every control, format, separator, private-use and blank-looking character but space, tab and newline.
_BLANKS = "\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0000-\U000e0fff"
_CONTROLS = "\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff"
_SPACES = "\xa0\u1680\u2000-\u200a\u202f\u205f\u3000"
_FORMATS = (
    "\xad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff"
    "\ufff9-\ufffb\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
)
_PRIVATE = "\ue000-\uf8ff\U000f0000-\U0010ffff"
_HIDDEN = re.compile(f"[{_BLANKS}{_CONTROLS}{_SPACES}{_FORMATS}{_PRIVATE}]")
_HARD_SPACE = re.compile(f"[{_SPACES}]")
_LETTER_OUTSIDE_ASCII = re.compile(r"[^\W\d_\x00-\x7f]")
# CSI, OSC (ended by BEL or ST), and the two-character escapes.
_ANSI = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\^_])")
_NAMED = 4
ELLIPSIS = "…"


def visible(text: str) -> str:
    """Every character that does not show by itself written as `⟨U+202E⟩`; spaces, tabs and newlines stay."""
    return _HIDDEN.sub(lambda found: f"⟨U+{ord(found[0]):04X}⟩", text)


def hidden(text: str) -> tuple[str, ...]:
    """What `visible` writes out, named for people: `right-to-left override (U+202E)`, at most four kinds."""
    return _names(Counter(_HIDDEN.findall(text)))


def lookalikes(text: str) -> tuple[str, ...]:
    """Letters outside ASCII, which can pass for others: `cyrillic small letter a (U+0430)`."""
    return _names(Counter(_LETTER_OUTSIDE_ASCII.findall(text)))


def _names(found: Counter[str]) -> tuple[str, ...]:
    kinds = [
        f"{unicodedata.name(char, 'control character').lower()} (U+{ord(char):04X})"
        + (f", {count} times" if count > 1 else "")
        for char, count in found.most_common(_NAMED)
    ]
    more = len(found) - _NAMED
    return (*kinds, f"{more} more kinds") if more > 0 else tuple(kinds)


def plain(text: str) -> str:
    """Prose or a title: what cannot be seen is dropped, odd spaces become spaces."""
    text = _ANSI.sub("", text).replace("\r\n", "\n").replace("\r", "\n")
    # Odd spaces first: they count as hidden too, and words would run together.
    return _HIDDEN.sub("", _HARD_SPACE.sub(" ", text))


def line(text: str, limit: int) -> str:
    """A title on one line of at most `limit` characters."""
    return clip(" ".join(plain(text).split()), limit)


def output(data: bytes) -> str:
    """A command's output: colours dropped, a return taken for a new line, the rest made visible."""
    # Before the escape character itself is written out, or colours would litter every line.
    text = _ANSI.sub("", data.decode("utf-8", "replace"))
    return visible(text.replace("\r\n", "\n").replace("\r", "\n"))


def escape(text: str) -> str:
    """For mrkdwn: the three characters that can begin a mention, a link or an entity."""
    # The ampersand first, or the entities just made would be escaped again.
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def clip(text: str, limit: int) -> str:
    """The beginning of a text within `limit` counted characters, with an ellipsis when cut."""
    return text if escaped_length(text) <= limit else head(text, limit - 1).rstrip() + ELLIPSIS


def head(text: str, limit: int) -> str:
    """The longest beginning within `limit` characters as Slack counts them, entities included."""
    kept = text[:limit]
    while (over := escaped_length(kept) - limit) > 0:
        # An entity is at most five characters, so cutting a fifth of the excess never cuts too much.
        kept = kept[: len(kept) - max(1, over // 5)]
    return kept


def tail(text: str, limit: int) -> str:
    """The longest end within `limit` counted characters."""
    return head(text[::-1][:limit], limit)[::-1]
