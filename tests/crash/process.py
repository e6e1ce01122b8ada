"""`revalid serve` as a process of its own, which a test can have killed at a point."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path

from bot.practice import APP_TOKEN, BOT_TOKEN
from engine import faults

UP = b"Revalid is up"
LONGEST_LINE = 1 << 24
SERVE = "from bot.cli import main; main()"


class Serving:
    """One process; `fault` names the point at which it kills itself."""

    def __init__(self, folder: Path, api_url: str, instance: str, network: str) -> None:
        self._folder = folder
        self._settings = {
            "SLACK_BOT_TOKEN": BOT_TOKEN,
            "SLACK_APP_TOKEN": APP_TOKEN,
            "SLACK_API_URL": api_url,
            "REVALID_DATABASE_URL": f"sqlite+aiosqlite:///{folder / 'revalid.db'}",
            "REVALID_OUTPUTS": str(folder / "outputs"),
            "REVALID_INSTANCE": instance,
            "REVALID_TARGET_NETWORKS": network,
            "REVALID_MODEL": "recorded",
            "REVALID_LOG_LEVEL": "debug",
        }
        self._lines: list[str] = []
        self._logged = asyncio.Condition()
        self._reading: list[asyncio.Task[None]] = []
        self._process: asyncio.subprocess.Process | None = None
        self.deaths = 0

    @property
    def log(self) -> str:
        """The end of what the processes so far have said of their own."""
        own = [line for line in self._lines if " DEBUG " not in line and '"level": "debug"' not in line]
        return "".join(own[-40:])

    async def logs(self, *words: str) -> str:
        """The first line of the log with all the words, once it is there."""
        async with self._logged:
            await self._logged.wait_for(lambda: self._line(words))
        return self._line(words)

    def _line(self, words: tuple[str, ...]) -> str:
        return next((line for line in self._lines if all(word in line for word in words)), "")

    async def _read(self, log: asyncio.StreamReader) -> None:
        async for line in log:
            self._lines.append(line.decode())
            async with self._logged:
                self._logged.notify_all()

    async def start(self, fault: str = "") -> None:
        """Start and wait until it is up, or dead already."""
        kept = {
            name: os.environ[name]
            for name in ("PATH", "HOME", "DOCKER_HOST", "PYTHONPATH")
            if name in os.environ
        }
        self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-c",
            SERVE,
            "serve",
            env={**kept, **self._settings, faults.VARIABLE: fault},
            cwd=self._folder,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            limit=LONGEST_LINE,
        )
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        self._reading.append(asyncio.create_task(self._read(self._process.stderr)))
        line = await self._process.stdout.readline()
        assert line.startswith(UP) or (fault and not line), (line, self.log)

    async def dies(self) -> None:
        """Wait until it was killed; any other end is a mistake."""
        assert self._process is not None
        code = await self._process.wait()
        assert code == -signal.SIGKILL, (code, self.log)
        self.deaths += 1

    async def stop(self) -> None:
        """End it as an administrator does. Raises `TimeoutError` when it does not go."""
        assert self._process is not None
        self._process.send_signal(signal.SIGTERM)
        async with asyncio.timeout(30):
            code = await self._process.wait()
        assert code == 0, (code, self.log)

    async def close(self) -> None:
        """Whatever the test came to, leave nothing running."""
        if self._process is not None and self._process.returncode is None:
            self._process.kill()
            await self._process.wait()
        await asyncio.gather(*self._reading)
