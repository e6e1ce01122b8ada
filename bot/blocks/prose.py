"""A model's Markdown as rich_text: bold, italics, code, lists, quotes and fences; everything else literal.

markdown-it reads it; what comes out is text elements only. A link is written as its words and its address, so
that nobody clicks on one place and lands on another; HTML, mentions and buttons are just characters.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from markdown_it import MarkdownIt
from markdown_it.token import Token

from bot.blocks import inert, rich
from bot.blocks.message import Json
from bot.limits import escaped_length

PART = 3000
"""Counted characters of one element and of one block."""
PAGE = 9000
"""Counted characters of one message, well under what Slack was measured to take."""
LONGEST = 27_000
"""Prose beyond this is kept whole as a file; parsing more for a chat helps nobody."""
_IN_CARD = 2
# Slack's own limit.
_DEEPEST_INDENT = 8
_STYLES = {"strong": "bold", "em": "italic", "s": "strike"}
# No autolinking: an address in a model's words stays text.
_PARSER = MarkdownIt("commonmark", {"html": False}).enable(["strikethrough", "table"])


def elements(markdown: str) -> list[Json]:
    """Markdown as the elements of a rich_text block, none counted longer than `PART`."""
    # Made inert before it is parsed, so that nothing hidden can split or join marks.
    tokens = _PARSER.parse(inert.plain(markdown[:LONGEST]))
    found: list[Json] = []
    for element in _Reader(tokens).read():
        if found and _same_kind(found[-1], element):
            found[-1]["elements"] += element["elements"]
        else:
            found.append(element)
    for element in found:
        if element["type"] == "rich_text_section":
            element["elements"].pop()  # the gap that nothing follows
    return [piece for element in found for piece in _pieces(element)]


def pages(markdown: str) -> list[list[Json]]:
    """Markdown as the blocks of one or more messages, in order; nothing when there is nothing to read."""
    filled: list[list[Json]] = []
    room = 0
    for block in blocks(elements(markdown)):
        size = _size(block["elements"])
        if not filled or size > room:
            filled.append([])
            room = PAGE
        filled[-1].append(block)
        room -= size
    return filled


def beginning(markdown: str) -> list[Json]:
    """Prose within a card: at most two blocks, and a line that says so when there was more."""
    made = blocks(elements(markdown)) if markdown.strip() else []
    if len(made) <= _IN_CARD and len(markdown) <= LONGEST:
        return made
    rest = rich.text("… cut here; the transcript has the whole.", italic=True)
    return [*made[:_IN_CARD], rich.block(rich.section(rest))]


def blocks(parts: Sequence[Json]) -> list[Json]:
    """Elements packed into rich_text blocks of at most `PART` counted characters."""
    packed: list[list[Json]] = []
    room = 0
    for part in parts:
        size = _size(part)
        if not packed or size > room:
            packed.append([])
            room = PART
        packed[-1].append(part)
        room -= size
    return [rich.block(*pack) for pack in packed]


def _same_kind(one: Json, other: Json) -> bool:
    """Items of one list, or paragraphs that follow each other."""
    joins = one["type"] in ("rich_text_list", "rich_text_section")
    return joins and all(one.get(key) == other.get(key) for key in ("type", "style", "indent"))


def _size(value: object) -> int:
    if isinstance(value, list):
        return sum(map(_size, value))
    if not isinstance(value, dict):
        return 0
    return escaped_length(str(value.get("text", ""))) + _size(value.get("elements"))


def _pieces(element: Json) -> Iterator[Json]:
    """An element that is too long as several of its kind."""
    if _size(element) <= PART:
        yield element
        return
    held: list[Json] = []
    room = PART
    for inner in _cut(element["elements"]):
        size = _size(inner)
        if held and size > room:
            yield {**element, "elements": held}
            room, held = PART, []
        held.append(inner)
        room -= size
    yield {**element, "elements": held}


def _cut(inlines: Sequence[Json]) -> Iterator[Json]:
    for inline in inlines:
        if inline["type"] != "text":
            yield from _pieces(inline)
            continue
        words = inline["text"]
        while escaped_length(words) > PART:
            first = inert.head(words, PART)
            # A break at a space reads better, if there is one near the end.
            at = first.rfind(" ", len(first) - 200) + 1 or len(first)
            yield {**inline, "text": words[:at]}
            words = words[at:]
        yield {**inline, "text": words}


class _Reader:
    """Walks markdown-it's flat list of tokens once."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self._tokens = tokens
        self._lists: list[Token] = []
        self._counts: list[int] = []
        self._quoted = 0
        self._fresh = False
        """The next paragraph is the first of a list item, so it carries the bullet."""

    def read(self) -> Iterator[Json]:
        """The elements, with an empty line between paragraphs."""
        rows: list[list[str]] = []
        before: Token | None = None
        for token in self._tokens:
            kind = token.type
            if kind == "inline" and before is not None and before.type in ("th_open", "td_open"):
                rows[-1].append(token.content)
            elif kind == "inline" and before is not None:
                yield from self._paragraph(token, heading=before.type == "heading_open")
            elif kind in ("fence", "code_block"):
                yield rich.preformatted(token.content.rstrip("\n"))
            elif kind == "tr_open":
                rows.append([])
            elif kind == "table_close":
                # rich_text has no tables; only fixed-width text keeps the columns.
                yield rich.preformatted(_table(rows))
                rows = []
            else:
                self._step(token)
            before = token

    def _step(self, token: Token) -> None:
        if token.type in ("bullet_list_open", "ordered_list_open"):
            self._lists.append(token)
            self._counts.append(int(token.attrs.get("start", 1)) - 1)
        elif token.type in ("bullet_list_close", "ordered_list_close"):
            self._lists.pop()
            self._counts.pop()
        elif token.type == "list_item_open":
            self._fresh = True
        elif token.type == "list_item_close":
            self._counts[-1] += 1
            self._fresh = False
        elif token.type == "blockquote_open":
            self._quoted += 1
        elif token.type == "blockquote_close":
            self._quoted -= 1

    def _paragraph(self, token: Token, *, heading: bool) -> Iterator[Json]:
        inlines = list(_inlines(token.children or (), bold=heading))
        if not inlines:
            return
        if self._lists:
            yield self._item(inlines)
        elif self._quoted:
            yield rich.quote(inlines)
        else:
            # With a gap to the next one: Slack sets consecutive sections close together.
            yield rich.section(*inlines, "\n" if heading else "\n\n")

    def _item(self, inlines: list[Json]) -> Json:
        ordered = self._lists[-1].type == "ordered_list_open" and self._fresh
        self._fresh = False
        return rich.listing(
            [rich.section(*inlines)],
            ordered=ordered,
            indent=min(len(self._lists) - 1, _DEEPEST_INDENT),
            offset=self._counts[-1] if ordered else 0,
        )


def _inlines(tokens: Sequence[Token], *, bold: bool) -> Iterator[Json]:
    styles = {"bold": True} if bold else {}
    address = ""
    for token in tokens:
        kind = token.type
        name = _STYLES.get(token.tag)
        if kind.endswith("_open") and name:
            styles[name] = True
        elif kind.endswith("_close") and name:
            styles.pop(name, None)
        elif kind == "link_open":
            address = "" if token.markup == "autolink" else str(token.attrs.get("href", ""))
        elif kind == "link_close":
            yield from _styled(f" ({address})" if address else "", {})
        elif kind == "image":
            yield from _styled(f"{token.content} ({token.attrs.get('src', '')})", styles)
        elif kind in ("softbreak", "hardbreak"):
            yield from _styled("\n", {})
        else:
            yield from _styled(token.content, styles | ({"code": True} if kind == "code_inline" else {}))


def _styled(words: str, styles: dict[str, bool]) -> Iterator[Json]:
    if words:
        yield {"type": "text", "text": words, **({"style": dict(styles)} if styles else {})}


def _table(rows: Sequence[Sequence[str]]) -> str:
    columns = max(map(len, rows), default=0)
    widths = [max((len(row[at]) for row in rows if at < len(row)), default=0) for at in range(columns)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=False)).rstrip()
        for row in rows
    )
