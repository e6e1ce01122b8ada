"""Channels, threads, deletions, statuses and reactions in memory."""

from __future__ import annotations

import pytest

from bot.workspace.clock import ManualClock
from bot.workspace.errors import ApiError
from bot.workspace.model import Change, Channel
from bot.workspace.sample import ALICE, BEN, CAROL
from bot.workspace.state import State


@pytest.fixture
def retests(state: State) -> Channel:
    return state.channel("retests")


def test_every_message_of_a_channel_has_a_later_ts_even_in_the_same_second(
    state: State, retests: Channel, clock: ManualClock
) -> None:
    stamps = [state.post(retests, {"user": ALICE.id, "text": "x"})["ts"] for _ in range(3)]
    clock.advance(1)
    stamps.append(state.post(retests, {"user": ALICE.id, "text": "x"})["ts"])
    assert stamps == sorted(set(stamps))


def test_two_channels_may_share_a_ts(state: State, retests: Channel) -> None:
    general = state.channel("general")
    one = state.post(retests, {"user": ALICE.id, "text": "x"})
    other = state.post(general, {"user": ALICE.id, "text": "x"})
    assert one["ts"] == other["ts"]


def test_a_root_counts_its_replies_and_who_wrote_them(state: State, retests: Channel) -> None:
    root = state.post(retests, {"user": ALICE.id, "text": "root"})
    for user in (BEN.id, ALICE.id, BEN.id):
        last = state.post(retests, {"user": user, "text": "reply", "thread_ts": root["ts"]})
    assert (root["reply_count"], root["reply_users"]) == (3, [BEN.id, ALICE.id])
    assert root["latest_reply"] == last["ts"]
    assert state.top_level(retests) == [root]
    assert len(state.thread(retests, root["ts"])) == 4


def test_a_broadcast_reply_is_seen_in_the_channel_too(state: State, retests: Channel) -> None:
    root = state.post(retests, {"user": ALICE.id, "text": "root"})
    reply = state.post(
        retests, {"user": BEN.id, "text": "x", "thread_ts": root["ts"], "subtype": "thread_broadcast"}
    )
    assert state.top_level(retests) == [root, reply]


def test_a_reply_to_a_thread_that_never_was_is_refused(state: State, retests: Channel) -> None:
    with pytest.raises(ApiError, match="thread_not_found"):
        state.post(retests, {"user": ALICE.id, "text": "x", "thread_ts": "1.000001"})


def test_a_reply_to_a_deleted_root_lands_outside_the_thread(state: State, retests: Channel) -> None:
    root = state.post(retests, {"user": ALICE.id, "text": "root"})
    state.delete(retests, root["ts"], ALICE.id)
    reply = state.post(retests, {"user": BEN.id, "text": "late", "thread_ts": root["ts"]})
    assert "thread_ts" not in reply
    assert state.top_level(retests) == [reply]


def test_a_deleted_root_with_replies_stays_as_a_tombstone(
    state: State, retests: Channel, changes: list[Change]
) -> None:
    root = state.post(retests, {"user": ALICE.id, "text": "secret", "blocks": []})
    state.post(retests, {"user": BEN.id, "text": "reply", "thread_ts": root["ts"]})
    state.delete(retests, root["ts"], ALICE.id)
    left, reply = state.thread(retests, root["ts"])
    assert (left["subtype"], reply["text"]) == ("tombstone", "reply")
    assert "secret" not in str(left)
    assert changes[-1].kind == "message_changed"


def test_deleting_a_reply_is_counted(state: State, retests: Channel) -> None:
    root = state.post(retests, {"user": ALICE.id, "text": "root"})
    reply = state.post(retests, {"user": BEN.id, "text": "reply", "thread_ts": root["ts"]})
    state.delete(retests, reply["ts"], BEN.id)
    assert root["reply_count"] == 0
    assert state.thread(retests, root["ts"]) == [root]


def test_an_edit_tells_what_was_and_what_is(state: State, retests: Channel, changes: list[Change]) -> None:
    message = state.post(retests, {"user": ALICE.id, "text": "old"})
    state.edit(retests, message["ts"], {"text": "new"}, ALICE.id)
    change = changes[-1]
    assert change.previous is not None
    assert (change.previous["text"], change.body["text"]) == ("old", "new")
    assert change.body["edited"]["user"] == ALICE.id


def test_blocks_and_elements_without_ids_get_some(state: State, retests: Channel) -> None:
    block = {"type": "actions", "elements": [{"type": "button"}, {"type": "button"}]}
    state.post(retests, {"user": ALICE.id, "blocks": [block]})
    assert block["block_id"]
    first, second = block["elements"]
    assert isinstance(first, dict)
    assert isinstance(second, dict)
    assert first["action_id"] != second["action_id"]


def test_a_status_ends_after_two_minutes(state: State, retests: Channel, clock: ManualClock) -> None:
    root = state.post(retests, {"user": ALICE.id, "text": "root"})
    state.set_status(retests, root["ts"], "is looking…", [])
    clock.advance(119)
    assert state.status(retests, root["ts"]) == "is looking…"
    clock.advance(1)
    assert state.status(retests, root["ts"]) == ""


def test_a_reaction_is_given_once_and_taken_back_once(state: State, retests: Channel) -> None:
    message = state.post(retests, {"user": ALICE.id, "text": "x"})
    state.react(retests, message["ts"], "eyes", BEN.id, add=True)
    assert message["reactions"] == [{"name": "eyes", "users": [BEN.id], "count": 1}]
    with pytest.raises(ApiError, match="already_reacted"):
        state.react(retests, message["ts"], "eyes", BEN.id, add=True)
    state.react(retests, message["ts"], "eyes", BEN.id, add=False)
    assert message["reactions"] == []
    with pytest.raises(ApiError, match="no_reaction"):
        state.react(retests, message["ts"], "eyes", BEN.id, add=False)


def test_somebody_from_elsewhere_makes_a_channel_a_shared_one(state: State, retests: Channel) -> None:
    state.join(retests, CAROL)
    assert retests.is_ext_shared
    assert retests.info(member=True)["is_ext_shared"] is True


def test_two_people_have_one_direct_conversation(state: State) -> None:
    assert state.direct_channel(ALICE, BEN) is state.direct_channel(BEN, ALICE)


def test_an_ephemeral_message_is_for_one_person(
    state: State, retests: Channel, changes: list[Change]
) -> None:
    shown = state.post_ephemeral(retests, ALICE.id, {"user": BEN.id, "text": "psst"})
    assert changes[-1].audience == ALICE.id
    assert state.top_level(retests) == []
    state.drop_ephemeral(retests, shown["ts"])
    assert state.ephemerals == {}
    assert changes[-1].kind == "ephemeral_gone"
