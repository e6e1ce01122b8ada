"""Whole messages and views: what Slack refuses beyond single blocks."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from bot.limits.blocks import check_blocks
from bot.limits.composition import PLAIN, check_text
from bot.limits.problem import Problem, Report

# Advised only, yet the live API was seen to refuse more, or to split it into several messages.
TEXT_ADVISED = 4_000
TEXT_TRUNCATED = 40_000
ATTACHMENTS = 100
MARKDOWN_TOTAL = 12_000
TABLE_TOTAL = 10_000
# Measured in the field, not documented: the sum over all blocks after entity escaping.
MESSAGE_COUNTED = 13_200
# A header was seen to cost about this much beyond its text.
HEADER_OVERHEAD = 100
VIEW_BYTES = 250_000

_COUNTED_KEYS = ("text", "alt_text", "value", "url", "label", "hint", "title", "description")


def check_message(message: Mapping[str, Any]) -> list[Problem]:
    """All problems of a message as given to ``chat.postMessage``.

    Looks at its text, blocks, markdown_text and attachments.
    """
    report = Report()
    text = message.get("text") or ""
    if len(text) > TEXT_ADVISED:
        report.add("/text", f"must be less than {TEXT_ADVISED + 1} characters", "msg_too_long")
    markdown = message.get("markdown_text") or ""
    if markdown and (text or message.get("blocks")):
        report.add("/markdown_text", "must not be given with text or blocks", "markdown_text_conflict")
    if len(markdown) > MARKDOWN_TOTAL:
        report.add("/markdown_text", f"must be less than {MARKDOWN_TOTAL + 1} characters", "msg_too_long")
    if len(message.get("attachments") or []) > ATTACHMENTS:
        report.add("/attachments", f"no more than {ATTACHMENTS} items allowed", "too_many_attachments")
    blocks = message.get("blocks")
    if blocks:
        if not isinstance(blocks, list):
            report.add("/blocks", "must be an array", "invalid_blocks_format")
            return report.problems
        check_blocks(report, {"blocks": blocks}, view=False)
        _check_totals(report, blocks)
    return report.problems


def check_view(view: Mapping[str, Any]) -> list[Problem]:
    """All problems of a modal or home view as given to ``views.open``."""
    report = Report(code="invalid_arguments")
    kind = view.get("type")
    if kind not in ("modal", "home"):
        report.add("/type", "must be one of: modal, home")
    if kind == "modal":
        check_text(report, view, "title", "", 24, kinds=PLAIN, required=True)
        check_text(report, view, "submit", "", 24, kinds=PLAIN)
        check_text(report, view, "close", "", 24, kinds=PLAIN)
    report.string(view, "private_metadata", "", 3000)
    report.string(view, "callback_id", "", 255)
    report.string(view, "external_id", "", 255)
    check_blocks(report, dict(view), view=True)
    blocks = [block for block in view.get("blocks") or [] if isinstance(block, dict)]
    # Slack refuses such a form, and the client library lets it through.
    if kind == "modal" and not view.get("submit") and any(block.get("type") == "input" for block in blocks):
        report.add("/submit", "is required when the view contains input blocks")
    # Bytes as sent: a letter outside ASCII weighs more than one.
    if len(json.dumps(view, ensure_ascii=False).encode()) > VIEW_BYTES:
        report.add("", f"must be smaller than {VIEW_BYTES} bytes", "view_too_large")
    return report.problems


def counted_length(blocks: list[Any]) -> int:
    """Characters that Slack counts for blocks: all text after escaping, plus a share per header."""
    return sum(map(_counted, blocks))


def _counted(value: object) -> int:
    if isinstance(value, list):
        return sum(map(_counted, value))
    if not isinstance(value, dict):
        return 0
    total = HEADER_OVERHEAD if value.get("type") == "header" else 0
    for key, item in value.items():
        if isinstance(item, str):
            total += escaped_length(item) if key in _COUNTED_KEYS else 0
        else:
            total += _counted(item)
    return total


def escaped_length(text: str) -> int:
    """Length of `text` once ``&``, ``<`` and ``>`` are entities."""
    return len(text) + 4 * text.count("&") + 3 * (text.count("<") + text.count(">"))


def _check_totals(report: Report, blocks: list[Any]) -> None:
    known = [block for block in blocks if isinstance(block, dict)]
    markdown = sum(len(str(block.get("text"))) for block in known if block.get("type") == "markdown")
    if markdown > MARKDOWN_TOTAL:
        report.add("/blocks", f"markdown blocks must be less than {MARKDOWN_TOTAL + 1} characters in total")
    tables = sum(_counted(block) for block in known if block.get("type") == "table")
    if tables > TABLE_TOTAL:
        report.add("/blocks", f"tables must be less than {TABLE_TOTAL + 1} characters in total")
    if (counted := counted_length(known)) > MESSAGE_COUNTED:
        sentence = f"message has {counted} counted characters, at most {MESSAGE_COUNTED} are taken"
        report.add("/blocks", sentence, "msg_blocks_too_long")
