"""Block elements: buttons, menus, inputs and images, and which may stand where."""

from __future__ import annotations

from collections.abc import Callable

from bot.limits.composition import ANY_TEXT, PLAIN, check_confirm, check_menu, check_options, check_text
from bot.limits.problem import Json, Report

PICKERS = ("users_select", "conversations_select", "channels_select")
MULTI_PICKERS = tuple(f"multi_{kind}" for kind in PICKERS)
DATES = ("datepicker", "timepicker", "datetimepicker")
MENUS = ("static_select", "external_select", *PICKERS)
MULTI_MENUS = ("multi_static_select", "multi_external_select", *MULTI_PICKERS)
CHOICES = ("checkboxes", "radio_buttons")
TYPED = ("plain_text_input", "number_input", "email_text_input", "url_text_input", "rich_text_input")

IN_ACTIONS = ("button", "overflow", "workflow_button", *MENUS, *CHOICES, *DATES)
IN_ACCESSORY = ("image", *IN_ACTIONS, *MULTI_MENUS)
IN_INPUT = (*MENUS, *MULTI_MENUS, *CHOICES, *DATES, *TYPED, "file_input")


def check_element(report: Report, element: Json, at: str, allowed: tuple[str, ...]) -> None:
    """One element at a place that takes only the `allowed` kinds."""
    kind = element.get("type")
    if kind not in allowed:
        report.add(f"{at}/type", f"unsupported type: {kind}")
        return
    # An image is the one element that nobody can act on.
    if kind != "image":
        report.string(element, "action_id", at, 255)
        check_confirm(report, element, at)
        check_text(report, element, "placeholder", at, 150, kinds=PLAIN)
    if (check := _CHECKS.get(kind)) is not None:
        check(report, element, at)


def check_image(report: Report, element: Json, at: str) -> None:
    """An image needs words for those who do not see it, and one source."""
    report.string(element, "alt_text", at, 2000, required=True)
    report.string(element, "image_url", at, 3000)
    if "image_url" not in element and "slack_file" not in element:
        report.add(at, "must have image_url or slack_file")


def _button(report: Report, element: Json, at: str) -> None:
    check_text(report, element, "text", at, 75, kinds=PLAIN, required=True)
    report.string(element, "value", at, 2000)
    report.string(element, "url", at, 3000)
    report.string(element, "accessibility_label", at, 75)
    report.choice(element, "style", at, ("primary", "danger"))


def _overflow(report: Report, element: Json, at: str) -> None:
    check_options(report, element, at, 5)


def _choices(report: Report, element: Json, at: str) -> None:
    check_options(report, element, at, 10, ANY_TEXT)


def _plain_text_input(report: Report, element: Json, at: str) -> None:
    report.string(element, "initial_value", at, 3000)
    report.within(element, "min_length", at, 0, 3000)
    report.within(element, "max_length", at, 1, 3000)
    if element.get("min_length", 0) > element.get("max_length", 3000):
        report.add(f"{at}/min_length", "must be less than or equal to max_length")


def _file_input(report: Report, element: Json, at: str) -> None:
    report.within(element, "max_files", at, 1, 10)


def _number_input(report: Report, element: Json, at: str) -> None:
    # Slack has no default for it.
    if not isinstance(element.get("is_decimal_allowed"), bool):
        report.add(at, "missing required field: is_decimal_allowed")


_CHECKS: dict[str, Callable[[Report, Json, str], None]] = {
    "button": _button,
    "image": check_image,
    "overflow": _overflow,
    "static_select": check_menu,
    "multi_static_select": check_menu,
    "checkboxes": _choices,
    "radio_buttons": _choices,
    "plain_text_input": _plain_text_input,
    "number_input": _number_input,
    "file_input": _file_input,
}
