"""A sample of every block and element that the page shows, with text that tries to be more than text."""

from __future__ import annotations

from typing import Any

HOSTILE = "<script>window.broken = 1</script><img src=x onerror='window.broken = 2'> <!channel>"
ESCAPED = HOSTILE.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def plain(text: str) -> dict[str, Any]:
    return {"type": "plain_text", "text": text}


def mrkdwn(text: str) -> dict[str, Any]:
    return {"type": "mrkdwn", "text": text}


def option(name: str, **more: Any) -> dict[str, Any]:
    return {"text": plain(name), "value": name.lower(), **more}


def rich(*elements: dict[str, Any], kind: str = "rich_text_section") -> dict[str, Any]:
    return {"type": kind, "elements": list(elements)}


def words(text: str, **style: bool) -> dict[str, Any]:
    return {"type": "text", "text": text, **({"style": style} if style else {})}


OPTIONS = [option("One"), option("Two", description=plain("the second"))]
CONFIRM = {
    "title": plain("Really?"),
    "text": mrkdwn("This *cannot* be undone."),
    "confirm": plain("Do it"),
    "deny": plain("Keep it"),
}

RICH_TEXT = {
    "type": "rich_text",
    "elements": [
        rich(
            words("plain "),
            words("bold ", bold=True),
            words("italic ", italic=True),
            words("struck ", strike=True),
            words("code", code=True),
            words(" "),
            {"type": "user", "user_id": "U0ALICE"},
            words(" "),
            {"type": "link", "url": "https://app.example.com/", "text": "a link"},
            words(" "),
            {"type": "emoji", "name": "white_check_mark"},
            words(" "),
            {"type": "link", "url": "javascript:window.broken=3", "text": "not a link"},
        ),
        {
            "type": "rich_text_list",
            "style": "bullet",
            "elements": [rich(words("first")), rich(words("second"))],
        },
        {"type": "rich_text_list", "style": "ordered", "indent": 1, "elements": [rich(words("numbered"))]},
        rich(words("quoted words"), kind="rich_text_quote"),
        rich(words(f"$ cat page.html\n{HOSTILE}"), kind="rich_text_preformatted"),
    ],
}

EVERY_BLOCK: list[dict[str, Any]] = [
    {"type": "header", "text": plain("Header & title :shield:")},
    {
        "type": "section",
        "text": mrkdwn(f"*bold* _italic_ ~struck~ `code` <https://app.example.com|link>\n{ESCAPED}"),
    },
    {
        "type": "section",
        "fields": [mrkdwn("*Severity*\nHigh"), mrkdwn("*Target*\n`app.example.com:443`")],
        "accessory": {
            "type": "overflow",
            "action_id": "more",
            "options": [option("Archive"), option("Delete")],
        },
    },
    {"type": "context", "elements": [mrkdwn("context with <@U0BEN>"), plain(HOSTILE)]},
    {"type": "divider"},
    RICH_TEXT,
    {"type": "markdown", "text": "### Markdown\n**bold** and `code`\n- one\n- two\n\n&lt;script&gt;"},
    {
        "type": "table",
        "rows": [
            [{"type": "raw_text", "text": "Host"}, {"type": "raw_text", "text": "Port"}],
            [{"type": "raw_text", "text": "app.example.com"}, {"type": "raw_text", "text": HOSTILE}],
        ],
    },
    {
        "type": "image",
        "alt_text": "A chart",
        "title": plain("Chart"),
        "image_url": "https://app.example.com/c.png",
    },
    {
        "type": "container",
        "title": plain("More below"),
        "default_collapsed": True,
        "child_blocks": [{"type": "section", "text": mrkdwn("inside")}],
    },
    {
        "type": "actions",
        "elements": [
            {
                "type": "button",
                "text": plain("Approve"),
                "style": "primary",
                "action_id": "approve",
                "value": "1",
            },
            {
                "type": "button",
                "text": plain("Remove"),
                "style": "danger",
                "action_id": "drop",
                "confirm": CONFIRM,
            },
            {
                "type": "static_select",
                "action_id": "choose",
                "placeholder": plain("Choose one"),
                "options": OPTIONS,
            },
            {"type": "checkboxes", "action_id": "tick", "options": OPTIONS},
        ],
    },
]


def field(name: str, element: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"type": "input", "block_id": name.lower(), "label": plain(name), "element": element, **more}


FORM: dict[str, Any] = {
    "type": "modal",
    "callback_id": "form",
    "title": plain("A form"),
    "submit": plain("Send it"),
    "close": plain("Not now"),
    "blocks": [
        {"type": "section", "text": mrkdwn("Every kind of *input*.")},
        field(
            "Why",
            {"type": "plain_text_input", "action_id": "why", "multiline": True},
            hint=plain("In a sentence"),
        ),
        field("Verdict", {"type": "static_select", "action_id": "verdict", "options": OPTIONS}),
        field("Mode", {"type": "radio_buttons", "action_id": "mode", "options": OPTIONS}),
        field("Hosts", {"type": "checkboxes", "action_id": "hosts", "options": OPTIONS}, optional=True),
        field(
            "Tags", {"type": "multi_static_select", "action_id": "tags", "options": OPTIONS}, optional=True
        ),
        field("File", {"type": "file_input", "action_id": "file"}, optional=True),
    ],
}
