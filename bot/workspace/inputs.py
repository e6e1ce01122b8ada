"""What people fill in: the values of input elements, in the shape of a view's or message's ``state``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.workspace.files import FileStore, file_object
from bot.workspace.model import Json
from bot.workspace.naming import block_elements

REQUIRED = "Please complete this required field."
_ONE_OPTION = ("static_select", "radio_buttons", "overflow")
_MANY_OPTIONS = ("multi_static_select", "checkboxes")
_PICKED = {
    "users_select": "selected_user",
    "channels_select": "selected_channel",
    "conversations_select": "selected_conversation",
    "datepicker": "selected_date",
    "timepicker": "selected_time",
}
_TYPED = ("plain_text_input", "number_input", "email_text_input", "url_text_input")


class FileValues:
    """Turns file ids chosen in a ``file_input`` into the file objects of its state."""

    def __init__(self, files: FileStore, base_url: str) -> None:
        self._files = files
        self._base_url = base_url

    def __call__(self, file_ids: list[str]) -> list[Json]:
        """The file objects; raises ApiError ``file_not_found``."""
        return [file_object(self._files.get(file_id), self._base_url) for file_id in file_ids]


def state_values(blocks: list[Json], filled: Mapping[str, Any], files: FileValues) -> Json:
    """The ``values`` of all stateful elements.

    Args:
        blocks: the blocks of the view or message.
        filled: what was entered, by action id or as ``{block_id: {action_id: value}}``; a value is a string,
            an option's value, a list of those, or a list of file ids. What is absent keeps its initial value.
        files: looks up chosen files.
    """
    values: dict[str, Json] = {}
    for block in blocks:
        for element in block_elements(block):
            action_id, block_id = str(element.get("action_id")), str(block["block_id"])
            inner = filled.get(block_id)
            given = inner.get(action_id) if isinstance(inner, Mapping) else filled.get(action_id)
            value = element_value(element, given, files)
            # Buttons have no state, and Slack leaves them out of the values.
            if value is not None:
                values.setdefault(block_id, {})[action_id] = value
    return values


def element_value(element: Json, given: object, files: FileValues) -> Json | None:
    """The state of one element after `given` was entered (None: untouched); None for a button."""
    kind = str(element["type"])
    value: Json = {"type": kind}
    if kind in _TYPED:
        text = given if given is not None else element.get("initial_value")
        value["value"] = str(text) if text not in (None, "") else None
    elif kind in _ONE_OPTION:
        option = element.get("initial_option") if given is None else _option(element, str(given))
        value["selected_option"] = option
    elif kind in _MANY_OPTIONS:
        initial = element.get("initial_options", [])
        chosen = [found for item in _strings(given) if (found := _option(element, item))]
        value["selected_options"] = initial if given is None else chosen
    elif kind == "file_input":
        value["files"] = files(_strings(given))
    elif (key := _PICKED.get(kind)) is not None:
        value[key] = given if given is not None else element.get(f"initial_{key.split('_')[1]}")
    else:
        return None
    return value


def _strings(given: object) -> list[str]:
    return [str(item) for item in given] if isinstance(given, list) else [str(given)] if given else []


def missing(blocks: list[Json], values: Json) -> dict[str, str]:
    """What a client complains of before it sends a form: one sentence per block id."""
    errors: dict[str, str] = {}
    for block in blocks:
        if block.get("type") != "input":
            continue
        element = block["element"]
        value = values.get(block["block_id"], {}).get(element["action_id"], {})
        content = next((item for key, item in value.items() if key != "type"), None)
        if content in (None, "", []):
            if not block.get("optional"):
                errors[block["block_id"]] = REQUIRED
        elif element["type"] == "plain_text_input" and (sentence := _length_problem(element, str(content))):
            errors[block["block_id"]] = sentence
    return errors


def _length_problem(element: Json, text: str) -> str | None:
    # 3000 is Slack's own limit of an input that names none.
    least, most = element.get("min_length", 0), element.get("max_length", 3000)
    if len(text) < least:
        return f"Must be at least {least} characters."
    if len(text) > most:
        return f"Must be at most {most} characters."
    return None


def _option(element: Json, value: str) -> Json | None:
    groups = element.get("option_groups") or [element]
    for group in groups:
        for option in group.get("options", []):
            if option["value"] == value:
                # A copy of the whole option: Slack gives back its text beside its value.
                return dict(option)
    return None
