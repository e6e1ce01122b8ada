"""Which events the app hears of."""

from __future__ import annotations

from typing import Any

import pytest

from bot.workspace.app_events import app_events
from bot.workspace.hub import Hub
from bot.workspace.model import Change
from bot.workspace.sample import ALICE, CAROL
from bot.workspace.state import State

Json = dict[str, Any]


def told(hub: Hub, change: Change) -> list[Json]:
    return [body["event"] for body in app_events(hub.state, hub.app, change)]


@pytest.mark.parametrize(("channel", "heard"), [("retests", 1), ("general", 0), ("leads", 0)])
def test_only_joined_channels_of_subscribed_kinds_are_heard(
    hub: Hub, state: State, changes: list[Change], channel: str, heard: int
) -> None:
    state.post(state.channel(channel), {"user": ALICE.id, "text": "hello"})
    assert len(told(hub, changes[-1])) == heard


def test_metadata_stays_out_of_events(hub: Hub, state: State, changes: list[Change]) -> None:
    hub.post_as_app(
        state.channel("retests"), {"text": "x", "metadata": {"event_type": "t", "event_payload": {}}}
    )
    (event,) = told(hub, next(change for change in changes if change.kind == "message"))
    assert event["bot_id"] == hub.app.bot_id
    assert "metadata" not in event


def test_the_app_is_not_told_of_mentioning_itself(hub: Hub, state: State, changes: list[Change]) -> None:
    hub.post_as_app(state.channel("retests"), {"text": f"<@{hub.app.bot_user_id}> is me"})
    assert [event["type"] for event in told(hub, changes[0])] == ["message"]


def test_ephemerals_and_views_are_no_events(hub: Hub, state: State, changes: list[Change]) -> None:
    hub.whisper_as_app(state.channel("retests"), ALICE.id, {"text": "psst"})
    hub.views_changed(ALICE.id)
    assert [told(hub, change) for change in changes] == [[], []]


def test_an_outsiders_message_names_their_team(hub: Hub, state: State, changes: list[Change]) -> None:
    state.post(state.channel("shared-customer"), {"user": CAROL.id, "text": "hi", "team": CAROL.team_id})
    (body,) = app_events(state, hub.app, changes[-1])
    assert body["is_ext_shared_channel"] is True
    assert body["event"]["user_team"] == body["event"]["source_team"] == CAROL.team_id
    assert body["team_id"] == state.team.id


def test_reactions_and_joins_are_told(hub: Hub, state: State, changes: list[Change]) -> None:
    retests = state.channel("retests")
    message = state.post(retests, {"user": ALICE.id, "text": "x"})
    state.react(retests, message["ts"], "eyes", ALICE.id, add=True)
    state.react(retests, message["ts"], "eyes", ALICE.id, add=False)
    state.join(retests, CAROL)
    kinds = [event["type"] for change in changes[1:] for event in told(hub, change)]
    assert kinds == ["reaction_added", "member_joined_channel"]
