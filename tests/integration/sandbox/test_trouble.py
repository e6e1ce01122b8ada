"""What goes wrong with the engine, a gateway or a sandbox has its own name, and the next sandbox works."""

from __future__ import annotations

import docker
import pytest

from engine.errors import SandboxLost
from engine.sandbox.port import Outcome
from tests.integration.sandbox.conftest import NOWHERE, Box

pytestmark = pytest.mark.docker


async def test_a_gateway_that_was_killed_is_a_lost_sandbox_and_a_new_one_has_none_of_its_files(
    box: Box, engine: docker.DockerClient
) -> None:
    await box.run("touch /scratch/mine")
    engine.containers.get(box.handle.gateway_id).kill()
    with pytest.raises(SandboxLost):
        await box.run("true")
    again = Box(box.sandboxes, await box.sandboxes.create(1, NOWHERE), next_id=box.next_id)
    assert (await again.run("ls /scratch")).stdout == b""


async def test_a_sandbox_that_the_engine_stopped_is_lost_between_commands(
    box: Box, engine: docker.DockerClient
) -> None:
    engine.containers.get(box.handle.sandbox_id).stop(timeout=0)
    with pytest.raises(SandboxLost):
        await box.sandboxes.verify(box.handle)
    with pytest.raises(SandboxLost):
        await box.run("true")


async def test_a_full_scratch_volume_is_a_result_like_any_other(box: Box) -> None:
    full = await box.run("head -c 200M /dev/zero > /scratch/full")
    assert (full.outcome, full.exit_code) == (Outcome.exited, 1)
    assert b"No space left on device" in full.stderr
    assert (await box.run("rm /scratch/full && echo on")).stdout == b"on\n"
