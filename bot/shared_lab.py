"""The practice lab for as long as somebody on this machine uses it: a demo, a walkthrough, tests.

Each user holds a lock on one file; who leaves and could lock it alone is the last. The lock goes with its
process, so that one that was killed keeps no lab up.
"""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import gettempdir

from bot.lab import start_lab, stop_lab

LOCK = Path(gettempdir()) / "revalid-lab.lock"


@contextmanager
def shared_lab(docker_url: str | None = None) -> Iterator[None]:
    """The lab is up within the block, and goes after it unless another user is left.

    Raises what `start_lab` does.
    """
    with suppress(FileExistsError):
        LOCK.touch(mode=0o644, exist_ok=False)
    # Reading is enough to lock, so that users of other accounts can take part.
    with LOCK.open("rb") as lock:
        # Before starting, so that whoever leaves meanwhile does not take it down.
        fcntl.flock(lock, fcntl.LOCK_SH)
        try:
            start_lab(docker_url)
            yield
        finally:
            fcntl.flock(lock, fcntl.LOCK_UN)
            with suppress(BlockingIOError):
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                stop_lab(docker_url)
