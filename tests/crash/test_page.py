from __future__ import annotations

import re
from pathlib import Path

from tests.crash import page
from tests.crash.points import ROWS

ROOT = Path(__file__).parents[2]
REACHED = re.compile(r'\breach\("([^"]+)"\)')
NOT_IN_A_GUIDED_RETEST = {"command killed"}


def test_the_page_is_fresh() -> None:
    assert page.PAGE.read_text(encoding="utf-8") == page.render(), "run `python -m tests.crash.page`"


def test_every_point_in_the_code_is_a_row() -> None:
    sources = [*(ROOT / "bot").rglob("*.py"), *(ROOT / "engine").rglob("*.py")]
    named = {point for source in sources for point in REACHED.findall(source.read_text(encoding="utf-8"))}
    assert named - {row.point for row in ROWS} == NOT_IN_A_GUIDED_RETEST
