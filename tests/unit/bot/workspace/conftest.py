"""A workspace without a server, on a clock that stands still."""

from __future__ import annotations

import pytest

from bot.workspace.clock import ManualClock
from bot.workspace.hub import Hub
from bot.workspace.installed_app import InstalledApp
from bot.workspace.model import Change
from bot.workspace.state import State


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def hub(clock: ManualClock) -> Hub:
    app = InstalledApp(
        bot_token="xoxb-1",
        app_token="xapp-1",
        scopes=frozenset({"chat:write"}),
        bot_events=frozenset({"message.channels", "app_mention", "reaction_added", "member_joined_channel"}),
    )
    return Hub(app, clock, None, "http://127.0.0.1:1")


@pytest.fixture
def state(hub: Hub) -> State:
    return hub.state


@pytest.fixture
def changes(state: State) -> list[Change]:
    seen: list[Change] = []
    state.observers.append(seen.append)
    return seen
