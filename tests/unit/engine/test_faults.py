from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from engine import faults

WALK = """
from engine.faults import reach
for step in ("stored", "posted", "posted", "told"):
    print(step, flush=True)
    reach(step)
"""


def walk(setting: str | None) -> tuple[int, list[str]]:
    environment = {name: value for name, value in os.environ.items() if name != faults.VARIABLE}
    if setting is not None:
        environment[faults.VARIABLE] = setting
    done = subprocess.run(
        [sys.executable, "-c", WALK], env=environment, capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    return done.returncode, done.stdout.split()


@pytest.mark.parametrize("setting", [None, "", "elsewhere", "posted:3"])
def test_nothing_dies_unless_the_point_is_reached_that_often(setting: str | None) -> None:
    assert walk(setting) == (0, ["stored", "posted", "posted", "told"])


@pytest.mark.parametrize(
    ("setting", "came_to"), [("stored", ["stored"]), ("posted:2", ["stored", "posted", "posted"])]
)
def test_the_process_is_killed_at_the_point(setting: str, came_to: list[str]) -> None:
    assert walk(setting) == (-signal.SIGKILL, came_to)
