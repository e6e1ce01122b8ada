"""Which deliveries count, and how the same one is known again."""

from __future__ import annotations

from typing import Any

import pytest

from bot.delivery import Delivery, delivery_of, is_chatter


def event(**fields: Any) -> dict[str, Any]:
    base = {"type": "message", "channel": "C1", "user": "U1", "ts": "2.0", "thread_ts": "1.0"}
    return {"type": "event_callback", "event_id": "Ev1", "event": {**base, **fields}}


def test_a_message_and_the_mention_in_it_are_one_delivery() -> None:
    assert delivery_of(event()) == delivery_of(event(type="app_mention"))
    assert delivery_of(event()) != delivery_of(event(ts="3.0"))
    assert delivery_of(event()) != delivery_of(event(channel="C2"))


@pytest.mark.parametrize(
    "fields",
    [
        {"thread_ts": None},
        {"thread_ts": "2.0"},
        {"bot_id": "B1"},
        {"app_id": "A1"},
        {"user": None},
        {"hidden": True},
        {"subtype": "message_changed"},
        {"subtype": "message_deleted"},
        {"subtype": "channel_join"},
        {"subtype": "bot_message"},
    ],
)
def test_chatter_bots_and_edits_are_no_deliveries(fields: dict[str, Any]) -> None:
    assert delivery_of(event(**fields)) is None
    assert is_chatter(event(**fields))


@pytest.mark.parametrize("subtype", ["thread_broadcast", "file_share"])
def test_what_people_wrote_counts(subtype: str) -> None:
    assert delivery_of(event(subtype=subtype)) is not None


def test_a_mention_in_a_channel_counts() -> None:
    assert delivery_of(event(type="app_mention", thread_ts=None)) is not None


def test_other_events_are_neither() -> None:
    assert delivery_of(event(type="reaction_added")) is None
    assert not is_chatter(event(type="reaction_added"))


@pytest.mark.parametrize(
    ("body", "delivery"),
    [
        ({"command": "/revalid", "trigger_id": "1.2"}, Delivery(kind="command", key="command:1.2")),
        (
            {"type": "view_submission", "trigger_id": "1.3"},
            Delivery(kind="view_submission", key="view_submission:1.3"),
        ),
        (
            {
                "type": "block_actions",
                "user": {"id": "U1"},
                "actions": [{"action_id": "a", "action_ts": "5"}],
            },
            Delivery(kind="block_actions", key="block_actions:5:a:U1"),
        ),
        ({"type": "view_closed"}, None),
    ],
)
def test_interactions_are_known_by_what_can_be_used_once(
    body: dict[str, Any], delivery: Delivery | None
) -> None:
    assert delivery_of(body) == delivery
