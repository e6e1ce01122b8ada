"""Workers come and go; a session notices nothing."""

from __future__ import annotations

import pytest

from engine import retest
from engine.lifecycle import State
from tests.unit.engine.retest.desk import desk, propose, say


async def test_resting_workers_are_let_go_and_busy_ones_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retest, "CROWD", 3)
    async with desk(lambda request: propose("id") if not request.answered else say("Done.")) as d:
        opened = []
        for _ in range(8):
            await d.open()
            await d.message("go")
            await d.waiting()
            opened.append(d.session_id)
        assert len(d.retests._workers) <= 3

        d.session_id = opened[0]
        await d.approve()
        await d.until_state(State.awaiting_operator)
        assert d.executed == ["id"]
