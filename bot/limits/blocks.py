"""Layout blocks: the limits of each kind, and of a list of them."""

from __future__ import annotations

from collections.abc import Callable

from bot.limits.composition import PLAIN, check_text, check_text_object
from bot.limits.elements import IN_ACCESSORY, IN_ACTIONS, IN_INPUT, check_element, check_image
from bot.limits.problem import Json, Report
from bot.limits.rich_text import check_rich_text

BLOCKS_PER_MESSAGE = 50
BLOCKS_PER_VIEW = 100
TABLE_ROWS = 100
TABLE_CELLS = 20

# The live API refuses rich_text in a container although the documentation lists it.
_IN_CONTAINER = (
    "section", "context", "actions", "table", "header", "divider", "image", "file", "input", "video",
)  # fmt: skip
_MESSAGES_ONLY = ("markdown", "table", "file", "task_card", "plan", "card", "carousel", "context_actions")
_VIEWS_ONLY = ("alert",)


def check_blocks(report: Report, holder: Json, *, view: bool) -> None:
    """All blocks of a message or view: how many, each of them, and ids used twice."""
    most = BLOCKS_PER_VIEW if view else BLOCKS_PER_MESSAGE
    # Slack refuses a message over an id that comes twice, and the client library does not see it.
    seen: set[str] = set()
    for at, block in report.objects(holder, "blocks", "", most, least=0):
        kind = block.get("type")
        refused = _MESSAGES_ONLY if view else _VIEWS_ONLY
        # A kind that is not known here is refused, so that a new one gets its limits first.
        if kind not in _CHECKS or kind in refused:
            report.add(f"{at}/type", f"unsupported type: {kind}")
            continue
        report.string(block, "block_id", at, 255)
        if (block_id := block.get("block_id")) is not None:
            if block_id in seen:
                report.add(f"{at}/block_id", f"`block_id` '{block_id}' already exists")
            seen.add(block_id)
        _CHECKS[kind](report, block, at)


def _section(report: Report, block: Json, at: str) -> None:
    if "text" not in block and "fields" not in block:
        report.add(at, "must have text or fields")
    check_text(report, block, "text", at)
    if "fields" in block:
        for pointer, entry in report.objects(block, "fields", at, 10):
            check_text_object(report, entry, pointer, 2000)
    accessory = block.get("accessory")
    if isinstance(accessory, dict):
        check_element(report, accessory, f"{at}/accessory", IN_ACCESSORY)
    elif accessory is not None:
        report.add(f"{at}/accessory", "must be an object")


def _header(report: Report, block: Json, at: str) -> None:
    check_text(report, block, "text", at, 150, kinds=PLAIN, required=True)


def _context(report: Report, block: Json, at: str) -> None:
    for pointer, element in report.objects(block, "elements", at, 10):
        if element.get("type") == "image":
            check_image(report, element, pointer)
        else:
            check_text_object(report, element, pointer)


def _actions(report: Report, block: Json, at: str) -> None:
    # Two buttons of one row could not be told apart when one is clicked.
    seen: set[str] = set()
    for pointer, element in report.objects(block, "elements", at, 25):
        check_element(report, element, pointer, IN_ACTIONS)
        if (action_id := element.get("action_id")) is not None:
            if action_id in seen:
                report.add(f"{pointer}/action_id", f"`action_id` '{action_id}' already exists for this block")
            seen.add(action_id)


def _image(report: Report, block: Json, at: str) -> None:
    check_image(report, block, at)
    check_text(report, block, "title", at, 2000, kinds=PLAIN)


def _input(report: Report, block: Json, at: str) -> None:
    check_text(report, block, "label", at, 2000, kinds=PLAIN, required=True)
    check_text(report, block, "hint", at, 2000, kinds=PLAIN)
    element = block.get("element")
    if isinstance(element, dict):
        check_element(report, element, f"{at}/element", IN_INPUT)
    else:
        report.add(at, "missing required field: element")


def _markdown(report: Report, block: Json, at: str) -> None:
    # Per block here; what all of them may hold together is a limit of the whole message.
    report.string(block, "text", at, 12_000, required=True)


def _table(report: Report, block: Json, at: str) -> None:
    rows = block.get("rows")
    if not isinstance(rows, list) or not rows:
        report.add(at, "missing required field: rows")
        return
    if len(rows) > TABLE_ROWS:
        report.add(f"{at}/rows", f"no more than {TABLE_ROWS} items allowed")
    for index, row in enumerate(rows):
        if not isinstance(row, list) or not 1 <= len(row) <= TABLE_CELLS:
            report.add(f"{at}/rows/{index}", f"must be a list of 1 to {TABLE_CELLS} cells")


def _container(report: Report, block: Json, at: str) -> None:
    check_text(report, block, "title", at, 150, required=True)
    for pointer, child in report.objects(block, "child_blocks", at, 10):
        kind = child.get("type")
        if kind not in _IN_CONTAINER:
            report.add(f"{pointer}/type", f"unsupported type: {kind}")
        else:
            _CHECKS[kind](report, child, pointer)


def _card(report: Report, block: Json, at: str) -> None:
    for key, limit in (("title", 150), ("subtitle", 150), ("body", 200)):
        check_text(report, block, key, at, limit)


def _carousel(report: Report, block: Json, at: str) -> None:
    for pointer, card in report.objects(block, "elements", at, 10):
        _card(report, card, pointer)


def _task_card(report: Report, block: Json, at: str) -> None:
    report.choice(block, "status", at, ("pending", "in_progress", "complete", "error"))
    for key in ("details", "output"):
        if isinstance(value := block.get(key), dict):
            check_rich_text(report, value, f"{at}/{key}")


def _context_actions(report: Report, block: Json, at: str) -> None:
    for pointer, element in report.objects(block, "elements", at, 5):
        if element.get("type") not in ("feedback_buttons", "icon_button"):
            report.add(f"{pointer}/type", f"unsupported type: {element.get('type')}")


def _alert(report: Report, block: Json, at: str) -> None:
    report.choice(block, "level", at, ("default", "info", "warning", "error", "success"))


def _nothing_to_check(_report: Report, _block: Json, _at: str) -> None:
    """Blocks without a limit of their own that is known."""


_CHECKS: dict[str, Callable[[Report, Json, str], None]] = {
    "section": _section,
    "header": _header,
    "context": _context,
    "divider": _nothing_to_check,
    "actions": _actions,
    "image": _image,
    "input": _input,
    "rich_text": check_rich_text,
    "markdown": _markdown,
    "table": _table,
    "container": _container,
    "card": _card,
    "carousel": _carousel,
    "task_card": _task_card,
    "plan": _nothing_to_check,
    "context_actions": _context_actions,
    "alert": _alert,
    "file": _nothing_to_check,
    "video": _nothing_to_check,
}
