"""The ids that Slack gives to blocks and elements which came without."""

from __future__ import annotations

from collections.abc import Iterable

from bot.workspace.ids import Ids
from bot.workspace.model import Json

_WITHOUT_ACTION = frozenset({"image", "mrkdwn", "plain_text"})


def name_blocks(blocks: Iterable[Json], ids: Ids) -> None:
    """Fill in each missing `block_id`, and each missing `action_id` of an interactive element."""
    for block in blocks:
        block.setdefault("block_id", ids.next("blk"))
        for element in block_elements(block):
            if element.get("type") not in _WITHOUT_ACTION:
                element.setdefault("action_id", ids.next("act"))


def block_elements(block: Json) -> list[Json]:
    """The elements a person may act on: of an actions block, a section's accessory, an input's element."""
    if block.get("type") == "actions":
        return list(block["elements"])
    # Its children are clicked like blocks of the message.
    if block.get("type") == "container":
        return [element for child in block["child_blocks"] for element in block_elements(child)]
    return [block[key] for key in ("accessory", "element") if isinstance(block.get(key), dict)]
