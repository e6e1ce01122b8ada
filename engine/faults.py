"""Named points at which a test has the process die, as a power cut would. They do nothing otherwise.

`REVALID_FAULT=command claimed` in the environment kills the process with SIGKILL when it first comes to that
point, `REVALID_FAULT=message posted:3` when it comes there for the third time. What has to hold after each of
them is in docs/reference/crash-matrix.md.
"""

from __future__ import annotations

import os
import signal

VARIABLE = "REVALID_FAULT"


class Fault:
    """One point to die at. An empty setting arms nothing."""

    def __init__(self, setting: str) -> None:
        self._point, _, times = setting.partition(":")
        self._left = int(times or 1)

    def reach(self, point: str) -> None:
        """Die here if this is the point and the time."""
        if point != self._point:
            return
        self._left -= 1
        if self._left == 0:
            os.kill(os.getpid(), signal.SIGKILL)


_armed = Fault(os.environ[VARIABLE]) if os.environ.get(VARIABLE) else None


def reach(point: str) -> None:
    """The process has come to this point."""
    if _armed is not None:
        _armed.reach(point)
