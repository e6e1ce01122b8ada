"""Composition objects: text, options and confirmation dialogs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.limits.problem import Json, Report

ANY_TEXT = ("plain_text", "mrkdwn")
PLAIN = ("plain_text",)
TEXT_LIMIT = 3000


def check_text(
    report: Report,
    holder: Mapping[str, Any],
    key: str,
    at: str,
    limit: int = TEXT_LIMIT,
    *,
    kinds: tuple[str, ...] = ANY_TEXT,
    required: bool = False,
) -> None:
    """A text object under `key`: its kind, and 1 to `limit` characters."""
    value = holder.get(key)
    if value is None:
        if required:
            report.add(at, f"missing required field: {key}")
        return
    if not isinstance(value, dict):
        report.add(f"{at}/{key}", "must be a text object")
        return
    check_text_object(report, value, f"{at}/{key}", limit, kinds)


def check_text_object(
    report: Report, value: Json, at: str, limit: int = TEXT_LIMIT, kinds: tuple[str, ...] = ANY_TEXT
) -> None:
    """The same for a text object that stands in a list."""
    if value.get("type") not in kinds:
        report.add(f"{at}/type", f"must be one of: {', '.join(kinds)}")
    report.string(value, "text", at, limit, required=True)
    if "emoji" in value and value.get("type") == "mrkdwn":
        report.add(f"{at}/emoji", "is only allowed for plain_text")
    if "verbatim" in value and value.get("type") == "plain_text":
        report.add(f"{at}/verbatim", "is only allowed for mrkdwn")


def check_confirm(report: Report, holder: Mapping[str, Any], at: str) -> None:
    """An optional confirmation dialog: title, text and its two buttons."""
    confirm = holder.get("confirm")
    if confirm is None:
        return
    at = f"{at}/confirm"
    if not isinstance(confirm, dict):
        report.add(at, "must be an object")
        return
    check_text(report, confirm, "title", at, 100, kinds=PLAIN, required=True)
    check_text(report, confirm, "text", at, 300, required=True)
    check_text(report, confirm, "confirm", at, 30, kinds=PLAIN, required=True)
    check_text(report, confirm, "deny", at, 30, kinds=PLAIN, required=True)
    report.choice(confirm, "style", at, ("primary", "danger"))


def check_options(report: Report, element: Json, at: str, most: int, kinds: tuple[str, ...] = PLAIN) -> None:
    """The options of a menu: 1 to `most`, each with text and value, values of their own."""
    values: set[str] = set()
    for pointer, option in report.objects(element, "options", at, most):
        check_text(report, option, "text", pointer, 75, kinds=kinds, required=True)
        report.string(option, "value", pointer, 150, required=True)
        check_text(report, option, "description", pointer, 75, kinds=kinds)
        report.string(option, "url", pointer, 3000)
        if (value := option.get("value")) in values:
            report.add(f"{pointer}/value", f"option value '{value}' already exists")
        values.add(str(value))
    chosen = element.get("initial_options") or [element.get("initial_option")]
    for option in chosen:
        # Slack compares the whole option, not its value alone.
        if option is not None and option not in element.get("options", []):
            report.add(at, "initial option must be one of the options")


def check_menu(report: Report, element: Json, at: str) -> None:
    """Options of a static menu, given flat or in groups; never both, never neither."""
    groups = element.get("option_groups")
    if groups is not None and element.get("options") is not None:
        report.add(at, "must not have both options and option_groups")
    if groups is None:
        check_options(report, element, at, 100)
        return
    for pointer, group in report.objects(element, "option_groups", at, 100):
        check_text(report, group, "label", pointer, 75, kinds=PLAIN, required=True)
        check_options(report, group, pointer, 100)
