"""What every kind of sandbox must do, held against the Docker one and its scripted twin."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from engine.errors import CommandNotStarted, SandboxLost, ScopeError
from engine.sandbox.docker_sandboxes import DockerSandboxes
from engine.sandbox.port import Command, Handle, Outcome, Sandboxes
from engine.sandbox.scripted import Answer, ScriptedSandboxes
from tests.integration.sandbox.conftest import NOWHERE

BOTH = "echo out; echo err >&2; exit 3"
HANGING = "echo begun; sleep 600"
SCRIPT = {
    BOTH: Answer(stdout=b"out\n", stderr=b"err\n", exit_code=3),
    HANGING: Answer(stdout=b"begun\n", hang=True),
    "echo again": Answer(stdout=b"again\n"),
}


@pytest.fixture(params=["scripted", pytest.param("docker", marks=pytest.mark.docker)])
async def any_sandboxes(request: pytest.FixtureRequest) -> AsyncIterator[Sandboxes]:
    if request.param == "docker":
        yield DockerSandboxes(instance=request.getfixturevalue("instance"))
        return
    yield ScriptedSandboxes(SCRIPT)


@pytest.fixture
async def sandboxes(any_sandboxes: Sandboxes) -> AsyncIterator[Sandboxes]:
    yield any_sandboxes
    for listed in await any_sandboxes.list():
        await any_sandboxes.remove(listed.session_id)
    await any_sandboxes.close()


@pytest.fixture
async def handle(sandboxes: Sandboxes) -> Handle:
    return await sandboxes.create(7, NOWHERE)


def command(number: int, text: str, seconds: int = 30) -> Command:
    return Command(id=number, text=text, timeout_seconds=seconds)


class Watcher:
    """Waits for a command's first words and keeps all of them."""

    def __init__(self) -> None:
        self.heard = {"stdout": b"", "stderr": b""}
        self.begun = asyncio.Event()

    def __call__(self, stream: str, data: bytes) -> None:
        self.heard[stream] += data
        self.begun.set()


async def test_both_streams_and_the_exit_code_come_back_and_are_streamed(
    sandboxes: Sandboxes, handle: Handle
) -> None:
    watcher = Watcher()
    result = await sandboxes.run(handle, command(1, BOTH), watcher)
    assert (result.outcome, result.exit_code) == (Outcome.exited, 3)
    assert (result.stdout, result.stderr) == (b"out\n", b"err\n")
    assert watcher.heard == {"stdout": b"out\n", "stderr": b"err\n"}


async def test_an_unknown_command_says_so_as_a_shell_does(sandboxes: Sandboxes, handle: Handle) -> None:
    result = await sandboxes.run(handle, command(1, "nosuchtool"))
    assert result.exit_code == 127
    assert result.stderr == b"bash: line 1: nosuchtool: command not found\n"


async def test_one_command_id_never_runs_twice(sandboxes: Sandboxes, handle: Handle) -> None:
    await sandboxes.run(handle, command(1, "echo again"))
    with pytest.raises(CommandNotStarted, match="not run twice"):
        await sandboxes.run(handle, command(1, "echo again"))
    assert (await sandboxes.attach(handle, command(1, "echo again"))).stdout == b"again\n"


async def test_a_second_command_waits_for_nobody_and_is_refused(sandboxes: Sandboxes, handle: Handle) -> None:
    watcher = Watcher()
    first = asyncio.create_task(sandboxes.run(handle, command(1, HANGING), watcher))
    await watcher.begun.wait()
    with pytest.raises(CommandNotStarted, match="still running"):
        await sandboxes.run(handle, command(2, "echo again"))
    await sandboxes.kill(handle, 1)
    assert (await first).outcome is Outcome.killed
    assert (await sandboxes.run(handle, command(3, "echo again"))).stdout == b"again\n"


async def test_kill_ends_the_command_and_keeps_what_it_wrote(sandboxes: Sandboxes, handle: Handle) -> None:
    watcher = Watcher()
    running = asyncio.create_task(sandboxes.run(handle, command(1, HANGING), watcher))
    await watcher.begun.wait()
    await sandboxes.kill(handle, 2)
    assert not running.done()
    await sandboxes.kill(handle, 1)
    result = await running
    assert (result.outcome, result.exit_code, result.stdout) == (Outcome.killed, None, b"begun\n")


async def test_a_time_limit_ends_the_command(sandboxes: Sandboxes, handle: Handle) -> None:
    watcher = Watcher()
    running = asyncio.create_task(sandboxes.run(handle, command(1, HANGING, seconds=1), watcher))
    await watcher.begun.wait()
    if isinstance(sandboxes, ScriptedSandboxes):
        sandboxes.time_out(1)
    result = await running
    assert (result.outcome, result.exit_code, result.stdout) == (Outcome.timed_out, None, b"begun\n")


async def test_giving_up_the_wait_leaves_the_command_running_for_attach(
    sandboxes: Sandboxes, handle: Handle
) -> None:
    watcher = Watcher()
    running = asyncio.create_task(sandboxes.run(handle, command(1, HANGING), watcher))
    await watcher.begun.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    second = Watcher()
    attached = asyncio.create_task(sandboxes.attach(handle, command(1, HANGING), second))
    await second.begun.wait()
    assert not attached.done()
    await sandboxes.kill(handle, 1)
    result = await attached
    assert (result.outcome, result.stdout) == (Outcome.killed, b"begun\n")


async def test_attach_tells_a_finished_command_from_one_that_never_was(
    sandboxes: Sandboxes, handle: Handle
) -> None:
    finished = await sandboxes.run(handle, command(1, BOTH))
    again = await sandboxes.attach(handle, command(1, BOTH))
    assert (again.exit_code, again.stdout, again.stderr) == (3, finished.stdout, finished.stderr)
    assert (await sandboxes.attach(handle, command(2, BOTH))).outcome is Outcome.lost


async def test_a_removed_sandbox_is_lost_to_everyone(sandboxes: Sandboxes, handle: Handle) -> None:
    await sandboxes.verify(handle)
    assert [listed.session_id for listed in await sandboxes.list()] == [7]
    await sandboxes.remove(7)
    await sandboxes.remove(7)
    assert await sandboxes.list() == ()
    with pytest.raises(SandboxLost):
        await sandboxes.verify(handle)
    with pytest.raises(SandboxLost):
        await sandboxes.run(handle, command(1, BOTH))
    with pytest.raises(SandboxLost):
        await sandboxes.kill(handle, 1)
    assert (await sandboxes.attach(handle, command(1, BOTH))).outcome is Outcome.lost


async def test_removing_a_sandbox_ends_the_wait_for_its_command(sandboxes: Sandboxes, handle: Handle) -> None:
    watcher = Watcher()
    running = asyncio.create_task(sandboxes.run(handle, command(1, HANGING), watcher))
    await watcher.begun.wait()
    await sandboxes.remove(7)
    result = await running
    assert (result.outcome, result.stdout) == (Outcome.lost, b"begun\n")


async def test_a_new_sandbox_of_a_session_replaces_the_old_one(sandboxes: Sandboxes, handle: Handle) -> None:
    new = await sandboxes.create(7, NOWHERE)
    assert len(await sandboxes.list()) == 1
    await sandboxes.verify(new)
    with pytest.raises(SandboxLost):
        await sandboxes.verify(handle)


async def test_addresses_resolve_to_themselves_and_unknown_names_do_not(sandboxes: Sandboxes) -> None:
    assert await sandboxes.resolve("203.0.113.9") == ("203.0.113.9",)
    assert await sandboxes.resolve("2001:DB8::9") == ("2001:db8::9",)
    with pytest.raises(ScopeError, match=r"nobody\.invalid"):
        await sandboxes.resolve("nobody.invalid")
