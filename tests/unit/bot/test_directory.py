"""What Slack says of people and channels, and for how long it is believed."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from slack_sdk.errors import SlackApiError

from bot.access import Person, Place
from bot.directory import KEPT_SECONDS, Directory


class FakeSlack:
    def __init__(self) -> None:
        self.users: dict[str, dict[str, Any]] = {"U1": {"id": "U1", "team_id": "T1"}}
        self.channels: dict[str, dict[str, Any]] = {"C1": {"id": "C1"}}
        self.calls = 0

    async def users_info(self, *, user: str) -> Any:
        return self._answer("user", self.users, user)

    async def conversations_info(self, *, channel: str) -> Any:
        return self._answer("channel", self.channels, channel)

    def _answer(self, name: str, known: dict[str, dict[str, Any]], key: str) -> Any:
        self.calls += 1
        if key not in known:
            raise SlackApiError("no", {"ok": False, "error": f"{name}_not_found"})
        return SimpleNamespace(data={"ok": True, name: known[key]})


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


async def test_people_and_channels_are_looked_up() -> None:
    directory = Directory(FakeSlack())
    assert await directory.person("U1") == Person(team="T1", user="U1")
    assert await directory.place("C1") == Place(channel="C1", external=False)


@pytest.mark.parametrize(
    ("fact", "expected"),
    [
        ("is_bot", Person(team="T1", user="U1", bot=True)),
        ("deleted", Person(team="T1", user="U1", deleted=True)),
        ("is_restricted", Person(team="T1", user="U1", guest=True)),
        ("is_ultra_restricted", Person(team="T1", user="U1", guest=True)),
        ("is_stranger", Person(team="T1", user="U1", stranger=True)),
    ],
)
async def test_what_makes_a_person_special(fact: str, expected: Person) -> None:
    slack = FakeSlack()
    slack.users["U1"][fact] = True
    assert await Directory(slack).person("U1") == expected


@pytest.mark.parametrize("fact", ["is_ext_shared", "is_pending_ext_shared"])
async def test_a_shared_channel_is_external(fact: str) -> None:
    slack = FakeSlack()
    slack.channels["C1"][fact] = True
    assert await Directory(slack).place("C1") == Place(channel="C1", external=True)


async def test_answers_are_kept_for_a_while_and_then_asked_again() -> None:
    slack, clock = FakeSlack(), Clock()
    directory = Directory(slack, clock)
    await directory.person("U1")
    slack.users["U1"]["deleted"] = True
    clock.now = KEPT_SECONDS - 1
    assert await directory.person("U1") == Person(team="T1", user="U1")
    assert slack.calls == 1
    clock.now = KEPT_SECONDS
    assert await directory.person("U1") == Person(team="T1", user="U1", deleted=True)


async def test_whoever_slack_does_not_know_is_nobody_and_asked_for_again() -> None:
    slack = FakeSlack()
    directory = Directory(slack)
    assert await directory.person("U9") is None
    slack.users["U9"] = {"id": "U9"}
    assert await directory.person("U9") is None
    slack.users["U9"]["team_id"] = "T1"
    assert await directory.person("U9") == Person(team="T1", user="U9")
    assert await directory.place("C9") is None
