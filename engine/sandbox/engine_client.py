"""The Docker engine behind threads of our own: every call bounded in time, every failure one of ours."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import docker
from docker.api.client import APIClient
from docker.errors import APIError, DockerException, ImageNotFound, NotFound
from requests.exceptions import RequestException

from engine.errors import (
    EngineDiskFull,
    EngineUnavailable,
    ImageMissing,
    NetworksExhausted,
    SandboxError,
    SandboxLost,
)

T = TypeVar("T")

# As many pooled connections as threads, or they would wait for each other in silence.
_THREADS = 32
_CONFLICT = 409
_SAID: dict[str, type[SandboxError]] = {
    "no space left on device": EngineDiskFull,
    "non-overlapping ipv4 address pool": NetworksExhausted,
    "address pools have been fully subnetted": NetworksExhausted,
}
"""What the engine says of troubles that have no code of their own; the sentences of different versions."""


class EngineClient:
    """Runs blocking calls of the Docker SDK off the event loop.

    `base_url` is a Docker address such as `unix:///run/docker.sock`; None takes `DOCKER_HOST` or the current
    context. `timeout` is in seconds and holds for each call.
    """

    def __init__(self, base_url: str | None = None, *, timeout: int = 60) -> None:
        self._base_url = base_url
        self._timeout = timeout
        # A hung engine must not eat the threads that everything else in the process shares.
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="docker")
        self._connecting = threading.Lock()
        self._client: docker.DockerClient | None = None

    async def call(self, work: Callable[[APIClient], T]) -> T:
        """Run `work` in a thread, to its end even when the caller gives up. Raises `SandboxError` kinds."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, self._guarded, work)

    async def off_loop(self, work: Callable[[], T]) -> T:
        """Run something that blocks but is no engine call in the same threads."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, work)

    async def execute(self, container: str, argv: list[str], *, user: str) -> tuple[int, str]:
        """Run a short helper to its end; its exit code and what it said, both streams together."""

        def work(api: APIClient) -> tuple[int, str]:
            started = api.exec_create(container, argv, user=user)["Id"]
            output = bytes(api.exec_start(started))
            return int(api.exec_inspect(started)["ExitCode"]), output.decode(errors="replace").strip()

        return await self.call(work)

    def close(self) -> None:
        """Let go of the engine without waiting for it."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        if self._client is not None:
            self._client.close()

    def _guarded(self, work: Callable[[APIClient], T]) -> T:
        try:
            return work(self._connected())
        except (DockerException, RequestException, OSError) as error:
            raise explain(error) from error

    # At the first call and not before, so that everything that needs no sandbox works without Docker.
    def _connected(self) -> APIClient:
        with self._connecting:
            if self._client is None:
                if self._base_url:
                    self._client = docker.DockerClient(
                        base_url=self._base_url, timeout=self._timeout, max_pool_size=_THREADS
                    )
                else:
                    self._client = docker.from_env(timeout=self._timeout, max_pool_size=_THREADS)
            return self._client.api


def explain(error: Exception) -> SandboxError:
    """The error of ours that says what an error of the SDK means to a person."""
    if isinstance(error, APIError):
        # The engine tells these apart in English sentences only, not by codes.
        said = str(error.explanation or error)
        if isinstance(error, ImageNotFound) or "no such image" in said.lower():
            return ImageMissing()
        # A missing exec counts as well: a restarted engine has forgotten it.
        if isinstance(error, NotFound) and ("container" in said.lower() or "exec" in said.lower()):
            return SandboxLost()
        if error.status_code == _CONFLICT and "is not running" in said:
            return SandboxLost()
        meaning = next((kind for words, kind in _SAID.items() if words in said.lower()), None)
        return meaning() if meaning else SandboxError(f"The Docker engine refused: {said}.")
    if isinstance(error, RequestException | OSError | DockerException):
        return EngineUnavailable()
    return SandboxError(f"The sandbox failed: {error}.")
