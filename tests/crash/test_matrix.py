"""The process is killed at every point, started again, and driven on as a person would."""

from __future__ import annotations

import pytest

from tests.crash.conftest import Theatre
from tests.crash.points import ROWS, Row
from tests.crash.promises import broken

pytestmark = [pytest.mark.docker, pytest.mark.crash]


def _marked(row: Row) -> object:
    return pytest.param(row, id=row.name, marks=() if row.fast else pytest.mark.thorough)


@pytest.mark.parametrize("row", [_marked(row) for row in ROWS])
async def test_every_promise_holds_after_the_process_was_killed(theatre: Theatre, row: Row) -> None:
    await theatre.serving.start(row.name)
    await theatre.play.retest()
    assert await broken(await theatre.over()) == []
    assert theatre.serving.deaths == 1
    assert theatre.play.resolved == ([] if row.first == "ran" else [row.first])


@pytest.mark.thorough
async def test_every_promise_holds_when_nothing_is_killed(theatre: Theatre) -> None:
    await theatre.serving.start()
    await theatre.play.retest()
    assert await broken(await theatre.over()) == []
    assert theatre.target.hits("alive") == theatre.target.hits("proof") == 1
