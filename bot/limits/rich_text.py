"""The structure of a rich_text block: which element may hold which."""

from __future__ import annotations

from bot.limits.problem import Json, Report

SECTION, LIST = "rich_text_section", "rich_text_list"
PREFORMATTED, QUOTE = "rich_text_preformatted", "rich_text_quote"

# Required string per inline element.
_INLINE = {
    "text": "text",
    "link": "url",
    "user": "user_id",
    "usergroup": "usergroup_id",
    "channel": "channel_id",
    "team": "team_id",
    "emoji": "name",
    "broadcast": "range",
    "color": "value",
    "date": "format",
}
_STYLES = {"bold", "italic", "strike", "code", "underline", "highlight", "client_highlight", "unlink"}
# No limit of one text is documented; this is where Slack cuts a whole message.
_INLINE_LIMIT = 40_000


def check_rich_text(report: Report, block: Json, at: str) -> None:
    """A rich_text block: sections, lists, preformatted text and quotes."""
    for pointer, element in report.objects(block, "elements", at, 1000, least=0):
        kind = element.get("type")
        if kind == LIST:
            _list(report, element, pointer)
        elif kind == PREFORMATTED:
            _inlines(report, element, pointer, ("text", "link"))
        elif kind in (SECTION, QUOTE):
            _inlines(report, element, pointer, tuple(_INLINE))
        else:
            report.add(f"{pointer}/type", f"unsupported type: {kind}")


def _list(report: Report, element: Json, at: str) -> None:
    if element.get("style") not in ("bullet", "ordered"):
        report.add(f"{at}/style", "must be one of: bullet, ordered")
    report.within(element, "indent", at, 0, 8)
    for pointer, item in report.objects(element, "elements", at, 1000):
        if item.get("type") != SECTION:
            report.add(f"{pointer}/type", f"unsupported type: {item.get('type')}")
        else:
            _inlines(report, item, pointer, tuple(_INLINE))


def _inlines(report: Report, element: Json, at: str, allowed: tuple[str, ...]) -> None:
    for pointer, inline in report.objects(element, "elements", at, 10_000, least=0):
        kind = inline.get("type")
        if kind not in allowed:
            report.add(f"{pointer}/type", f"unsupported type: {kind}")
            continue
        report.string(inline, _INLINE[kind], pointer, _INLINE_LIMIT, required=True)
        if kind == "broadcast":
            report.choice(inline, "range", pointer, ("here", "channel", "everyone"))
        style = inline.get("style", {})
        # A preformatted block is monospace as a whole and takes no styles inside.
        if not isinstance(style, dict) or set(style) - _STYLES:
            report.add(f"{pointer}/style", "must be an object of known styles")
