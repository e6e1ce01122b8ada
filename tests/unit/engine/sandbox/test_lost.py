"""How a sandbox that is gone is told apart: by what the engine says of its first process."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import pytest
from docker.api.client import APIClient

from engine.errors import SandboxLost, SandboxOutOfMemory
from engine.sandbox.engine_client import EngineClient
from engine.sandbox.follower import require_running


class Engine:
    """An engine that knows one container."""

    def __init__(self, **state: object) -> None:
        self._state = state

    async def call(self, work: Callable[[APIClient], Any]) -> Any:
        return work(cast("APIClient", self))

    def inspect_container(self, _container: str) -> dict[str, object]:
        return {"State": self._state}


@pytest.mark.parametrize(
    ("killed_by_kernel", "code", "expected"),
    [(True, 137, SandboxOutOfMemory), (True, 143, SandboxLost), (False, 137, SandboxLost)],
)
async def test_a_sandbox_that_the_kernel_ended_is_out_of_memory(
    killed_by_kernel: bool, code: int, expected: type[SandboxLost]
) -> None:
    engine = cast("EngineClient", Engine(Running=False, OOMKilled=killed_by_kernel, ExitCode=code))
    with pytest.raises(SandboxLost) as caught:
        await require_running(engine, "abc")
    assert type(caught.value) is expected
    assert "next message builds a new one" in caught.value.sentence


async def test_a_kill_inside_of_a_sandbox_that_runs_is_none_of_its_own() -> None:
    await require_running(cast("EngineClient", Engine(Running=True, OOMKilled=True, ExitCode=0)), "abc")
