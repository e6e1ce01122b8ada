"""Making, losing and removing sandboxes; a bot that dies in between."""

from __future__ import annotations

import asyncio
import io
import os
import subprocess
import sys
from collections.abc import Iterator

import docker
import pytest

from engine.errors import (
    CommandNotStarted,
    EngineUnavailable,
    ImageMissing,
    LockNotProven,
    SandboxError,
    SandboxLost,
)
from engine.sandbox.docker_sandboxes import DockerSandboxes
from engine.sandbox.port import Handle, Outcome
from engine.sandbox.runner import Runner
from tests.integration.sandbox.conftest import NOWHERE, Box, traces

pytestmark = pytest.mark.docker

LEAKY = b'FROM revalid-sandbox\nRUN printf "#!/bin/sh\\necho 0\\nexit 1\\n" > /opt/revalid/canary\n'

BOT = """
import asyncio, os, sys
from engine.sandbox.docker_sandboxes import DockerSandboxes
from engine.sandbox.port import Command
from engine.scope import Pinned

async def main():
    sandboxes = DockerSandboxes(instance=sys.argv[1])
    handle = await sandboxes.create(1, Pinned())
    print(handle.gateway_id, handle.sandbox_id, flush=True)
    text = "echo begun; read -t 1 < /dev/zero; sleep 1; echo over"
    command = Command(id=1, text=text, timeout_seconds=30)
    await sandboxes.run(handle, command, lambda *_: os.kill(os.getpid(), 9))

asyncio.run(main())
"""


@pytest.fixture
def leaky_image(engine: docker.DockerClient) -> Iterator[str]:
    """A sandbox image whose canary always gets out."""
    image, _ = engine.images.build(fileobj=io.BytesIO(LEAKY), tag="revalid-test-leaky", rm=True)
    yield "revalid-test-leaky"
    engine.images.remove(str(image.id), force=True)


def something_appears(engine: docker.DockerClient, instance: str) -> None:
    while not traces(engine, instance):
        pass


async def creation_fails(sandboxes: DockerSandboxes, expected: type[SandboxError]) -> SandboxError:
    try:
        with pytest.raises(expected) as caught:
            await sandboxes.create(1, NOWHERE)
        return caught.value
    finally:
        await sandboxes.close()


async def test_a_lock_that_is_not_proven_leaves_nothing(
    instance: str, leaky_image: str, engine: docker.DockerClient
) -> None:
    error = await creation_fails(DockerSandboxes(instance=instance, sandbox_image=leaky_image), LockNotProven)
    assert "198.51.100.7:9 was not refused" in error.sentence
    assert traces(engine, instance) == []


async def test_a_gateway_that_does_not_answer_leaves_nothing(
    instance: str, engine: docker.DockerClient
) -> None:
    await creation_fails(DockerSandboxes(instance=instance, gateway_image="revalid-sandbox"), LockNotProven)
    assert traces(engine, instance) == []


@pytest.mark.parametrize(
    ("sandbox_image", "gateway_image"),
    [("revalid-sandbox", "revalid-no-such-image"), ("revalid-no-such-image", "revalid-gateway")],
)
async def test_a_missing_image_is_named_and_leaves_nothing(
    instance: str, sandbox_image: str, gateway_image: str, engine: docker.DockerClient
) -> None:
    sandboxes = DockerSandboxes(instance=instance, sandbox_image=sandbox_image, gateway_image=gateway_image)
    assert "make images" in (await creation_fails(sandboxes, ImageMissing)).sentence
    assert traces(engine, instance) == []


async def test_an_engine_that_is_not_there_is_said_to_be_so() -> None:
    sandboxes = DockerSandboxes(base_url="tcp://127.0.0.1:9")
    handle = Handle(session_id=1, gateway_id="g", sandbox_id="s", pinned=NOWHERE)
    with pytest.raises(EngineUnavailable):
        await sandboxes.list()
    with pytest.raises(EngineUnavailable):
        await sandboxes.verify(handle)
    with pytest.raises(CommandNotStarted, match=r"does not answer.* Nothing ran"):
        await Box(sandboxes, handle).run("true")
    await creation_fails(sandboxes, EngineUnavailable)


async def test_giving_up_on_a_creation_leaves_nothing(
    sandboxes: DockerSandboxes, engine: docker.DockerClient, instance: str
) -> None:
    creating = asyncio.create_task(sandboxes.create(1, NOWHERE))
    await asyncio.to_thread(something_appears, engine, instance)
    creating.cancel()
    with pytest.raises(asyncio.CancelledError):
        await creating
    assert traces(engine, instance) == []


async def test_several_sandboxes_at_once_share_a_network_that_goes_with_the_last(
    sandboxes: DockerSandboxes, engine: docker.DockerClient, instance: str
) -> None:
    handles = await asyncio.gather(*(sandboxes.create(number, NOWHERE) for number in (1, 2, 3)))
    shared = {"label": f"revalid.instance={instance}"}
    assert len(engine.networks.list(filters=shared)) == 1
    assert [listed.session_id for listed in await sandboxes.list()] == [1, 2, 3]
    await asyncio.gather(sandboxes.remove(1), sandboxes.remove(1), sandboxes.remove(2))
    await sandboxes.verify(handles[2])
    await sandboxes.remove(3)
    assert traces(engine, instance) == []


async def test_a_sandbox_that_never_started_is_listed_and_removed(
    sandboxes: DockerSandboxes, engine: docker.DockerClient, instance: str
) -> None:
    labels = {"revalid.instance": instance, "revalid.session": "9", "revalid.role": "gateway"}
    engine.containers.create("revalid-gateway", labels=labels)
    assert [listed.session_id for listed in await sandboxes.list()] == [9]
    await sandboxes.remove(9)
    assert traces(engine, instance) == []


async def test_a_command_survives_the_bot_and_is_told_whole_to_the_next(
    sandboxes: DockerSandboxes, instance: str
) -> None:
    died = await asyncio.to_thread(
        subprocess.run, [sys.executable, "-c", BOT, instance], capture_output=True, cwd=os.curdir, check=False
    )
    assert died.returncode == -9, died.stderr
    gateway_id, sandbox_id = died.stdout.decode().split()
    handle = Handle(session_id=1, gateway_id=gateway_id, sandbox_id=sandbox_id, pinned=NOWHERE)
    await sandboxes.verify(handle)
    box = Box(sandboxes, handle, next_id=0)
    result = await sandboxes.attach(handle, box.command("as before"))
    assert (result.outcome, result.exit_code, result.stdout) == (Outcome.exited, 0, b"begun\nover\n")
    assert (await box.run("echo on")).stdout == b"on\n"


async def test_a_sandbox_that_dies_under_a_command_is_lost_with_what_it_said(
    box: Box, engine: docker.DockerClient
) -> None:
    begun = asyncio.Event()
    running = asyncio.create_task(box.run("echo begun; sleep 600", sink=lambda *_: begun.set()))
    await begun.wait()
    engine.containers.get(box.handle.sandbox_id).kill()
    result = await running
    assert (result.outcome, result.exit_code, result.stdout) == (Outcome.lost, None, b"begun\n")
    with pytest.raises(SandboxLost):
        await box.sandboxes.verify(box.handle)
    with pytest.raises(SandboxLost):
        await box.run("true")


async def test_a_follower_that_breaks_off_is_replaced_and_repeats_nothing(
    box: Box, engine: docker.DockerClient
) -> None:
    heard: list[bytes] = []
    begun = asyncio.Event()

    def sink(_stream: str, data: bytes) -> None:
        heard.append(data)
        begun.set()

    command = box.command("echo begun; until [ -e /tmp/go ]; do sleep 0.05; done; echo over")
    running = asyncio.create_task(box.sandboxes.run(box.handle, command, sink))
    await begun.wait()
    sandbox = engine.containers.get(box.handle.sandbox_id)
    sandbox.exec_run(["kill", "-9", "-1"], user="10002")
    sandbox.exec_run(["touch", "/tmp/go"], user="10001")
    assert (await running).stdout == b"begun\nover\n" == b"".join(heard)


async def test_a_start_that_failed_half_way_can_never_happen_later(
    box: Box, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = box.command("touch /scratch/ran")
    prepare = Runner.prepare

    async def spoil(runner: Runner, handle: Handle, wanted: object) -> object:
        prepared = await prepare(runner, handle, command)
        object.__setattr__(prepared, "exec_id", "0" * 64)
        return prepared

    monkeypatch.setattr(Runner, "prepare", spoil)
    with pytest.raises(CommandNotStarted, match="nothing ran"):
        await box.sandboxes.run(box.handle, command)
    monkeypatch.undo()
    with pytest.raises(CommandNotStarted, match="not run twice"):
        await box.sandboxes.run(box.handle, command)
    assert (await box.run("ls /scratch")).stdout == b""
