"""What a Slack client makes of typed words: escaped text with tokens, and one rich_text block."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from bot.workspace.model import Json

_FENCE = re.compile(r"```\n?(.*?)\n?```", re.DOTALL)
# Code first: nothing inside backticks is a link, a name or a style.
_INLINE = re.compile(
    r"`(?P<code>[^`\n]+)`"
    r"|(?P<url>https?://[^\s<>|]+)"
    r"|(?<![\w@])@(?P<at>[\w.-]*\w)"
    r"|(?<![\w#])#(?P<channel>[\w-]+)"
    r"|(?<![\w*])\*(?P<bold>\S(?:[^*\n]*\S)?)\*(?![\w*])"
    r"|(?<![\w_])_(?P<italic>\S(?:[^_\n]*\S)?)_(?![\w_])"
    r"|(?<![\w~])~(?P<strike>\S(?:[^~\n]*\S)?)~(?![\w~])"
)
_BROADCASTS = ("here", "channel", "everyone")


@dataclass(frozen=True)
class Directory:
    """Names a client would complete: handles of users and names of channels, each to its id."""

    users: Mapping[str, str]
    channels: Mapping[str, str]


def escape(text: str) -> str:
    """The three entities of Slack's text, so that no typed bracket becomes a token."""
    # The ampersand first, or the entities just made would be escaped again.
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def compose(text: str, directory: Directory) -> tuple[str, list[Json]]:
    """The `text` and `blocks` of the message that a client sends for what was typed."""
    elements: list[Json] = []
    written: list[str] = []
    position = 0
    for fence in _FENCE.finditer(text):
        _paragraphs(text[position : fence.start()], directory, written, elements)
        written.append(f"```{escape(fence[1])}```")
        if fence[1]:
            code = [{"type": "text", "text": fence[1]}]
            elements.append({"type": "rich_text_preformatted", "elements": code})
        position = fence.end()
    _paragraphs(text[position:], directory, written, elements)
    return "".join(written), [{"type": "rich_text", "elements": elements}] if elements else []


def _paragraphs(text: str, directory: Directory, written: list[str], elements: list[Json]) -> None:
    """Quoted lines become quotes, all others sections; a run of either is one element."""
    run: list[str] = []
    quoted = False

    def flush() -> None:
        if run and (inlines := _inlines("\n".join(run), directory, written, quoted=quoted)):
            kind = "rich_text_quote" if quoted else "rich_text_section"
            elements.append({"type": kind, "elements": inlines})
        run.clear()

    for index, line in enumerate(text.split("\n")):
        is_quote = line.startswith(">") and len(line) > 1
        if index and is_quote != quoted:
            flush()
            written.append("\n")
        quoted = is_quote
        run.append(line.removeprefix(">").removeprefix(" ") if is_quote else line)
    flush()


def _inlines(text: str, directory: Directory, written: list[str], *, quoted: bool) -> list[Json]:
    """The inline elements of some lines; what they read as mrkdwn is appended to `written`."""
    found: list[Json] = []
    marks: list[str] = []
    position = 0
    for match in _INLINE.finditer(text):
        made = _token(match, directory)
        # The name of nobody stays in the text that the next match, or the end, writes.
        if made is None:
            continue
        _plain(text[position : match.start()], found, marks)
        mrkdwn, element = made
        marks.append(mrkdwn)
        found.append(element)
        position = match.end()
    _plain(text[position:], found, marks)
    mrkdwn = "".join(marks)
    if quoted:
        mrkdwn = "\n".join(f"&gt; {line}" for line in mrkdwn.split("\n"))
    written.append(mrkdwn)
    return found


def _plain(text: str, found: list[Json], marks: list[str]) -> None:
    if text:
        found.append({"type": "text", "text": text})
        marks.append(escape(text))


def _token(match: re.Match[str], directory: Directory) -> tuple[str, Json] | None:
    """The mrkdwn and the element of one match, or None when it is no more than text."""
    kind, word = str(match.lastgroup), str(match[match.lastgroup or 0])
    if kind == "url":
        return f"<{escape(word)}>", {"type": "link", "url": word}
    if kind == "at":
        if word in _BROADCASTS:
            return f"<!{word}>", {"type": "broadcast", "range": word}
        user = directory.users.get(word.lower())
        return (f"<@{user}>", {"type": "user", "user_id": user}) if user else None
    if kind == "channel":
        channel = directory.channels.get(word)
        return (f"<#{channel}|>", {"type": "channel", "channel_id": channel}) if channel else None
    return escape(match[0]), {"type": "text", "text": word, "style": {kind: True}}
