"""Edits and deletions as Slack delivers them: which are a person's second thoughts, and which are not."""

from __future__ import annotations

from typing import Any

import pytest

from bot.delivery import delivery_of

WRITTEN = {
    "user": "U1",
    "ts": "1.5",
    "thread_ts": "1.1",
    "text": "new",
    "edited": {"ts": "1.9"},
}
BEFORE = {**WRITTEN, "text": "old"}


def _event(subtype: str, **parts: Any) -> dict[str, Any]:
    event = {"type": "message", "subtype": subtype, "hidden": True, "channel": "C1", "ts": "1.9", **parts}
    return {"type": "event_callback", "event": event}


def test_an_edit_and_a_deletion_of_a_reply_are_each_known_again() -> None:
    edit = delivery_of(_event("message_changed", message=WRITTEN, previous_message=BEFORE))
    deletion = delivery_of(_event("message_deleted", deleted_ts="1.5", previous_message=BEFORE))
    assert edit
    assert deletion
    assert (edit.key, deletion.key) == ("changed:C1:1.5:1.9", "deleted:C1:1.5")


@pytest.mark.parametrize(
    "written",
    [
        {**WRITTEN, "bot_id": "B1"},
        {**WRITTEN, "text": "old"},
        {**WRITTEN, "thread_ts": "1.5"},
        {name: value for name, value in WRITTEN.items() if name != "edited"},
        {},
    ],
    ids=["of a bot", "an unfurl", "of a root", "not edited", "empty"],
)
def test_other_changes_are_nobodys(written: dict[str, Any]) -> None:
    assert delivery_of(_event("message_changed", message=written, previous_message=BEFORE)) is None
