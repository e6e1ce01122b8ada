"""Commands that behave badly, and what of one command reaches the next."""

from __future__ import annotations

import asyncio

import docker
import pytest

from engine.errors import CommandNotStarted
from engine.sandbox.docker_sandboxes import DockerSandboxes
from engine.sandbox.port import Limits, Outcome
from tests.integration.sandbox.conftest import NOWHERE, Box

pytestmark = pytest.mark.docker

DAEMON = """python3 -c '
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        time.sleep(600)
    os._exit(0)
os.wait()'"""


def processes(engine: docker.DockerClient, box: Box) -> list[str]:
    """What the commands' user is running; what is dead and only not reaped yet runs no more."""
    top = engine.containers.get(box.handle.sandbox_id).top(ps_args="-eo pid,uid,stat,args")
    return [args for _, uid, state, args in top["Processes"] or () if uid == "10001" and state[0] != "Z"]


@pytest.mark.parametrize(
    "text",
    ["sleep 600", "trap '' TERM INT HUP; sleep 600; sleep 600", "sleep 600 | cat", f"{DAEMON}; sleep 600"],
)
async def test_a_time_limit_ends_everything_the_command_started(
    box: Box, engine: docker.DockerClient, text: str
) -> None:
    result = await box.run(text, seconds=1)
    assert (result.outcome, result.exit_code) == (Outcome.timed_out, None)
    assert 0.9 < result.elapsed_seconds < 2.5
    assert processes(engine, box) == []


@pytest.mark.parametrize(
    "text",
    [
        "sleep 600 & echo done",
        "setsid nohup sleep 600 & echo done",
        "(setsid sleep 600 > /dev/null 2>&1 &); echo done",
        f"{DAEMON}; echo done",
    ],
)
async def test_nothing_outlives_the_command_that_started_it(
    box: Box, engine: docker.DockerClient, text: str
) -> None:
    result = await box.run(text)
    assert (result.outcome, result.exit_code, result.stdout) == (Outcome.exited, 0, b"done\n")
    assert result.elapsed_seconds < 5
    assert processes(engine, box) == []


async def test_a_flood_is_cut_at_the_limit(instance: str) -> None:
    sandboxes = DockerSandboxes(instance=instance, limits=Limits(output=100_000))
    box = Box(sandboxes, await sandboxes.create(1, NOWHERE))
    try:
        result = await box.run("echo first; yes")
        assert (result.outcome, result.exit_code) == (Outcome.output_limit, None)
        assert result.stdout.startswith(b"first\ny\ny\n")
        assert len(result.stdout) == 100_000
        just_fits = await box.run("head -c 60000 /dev/zero; head -c 40000 /dev/zero >&2")
        assert (just_fits.outcome, just_fits.exit_code) == (Outcome.exited, 0)
        too_much = await box.run("head -c 60000 /dev/zero; head -c 40001 /dev/zero >&2")
        assert too_much.outcome is Outcome.output_limit
        assert len(too_much.stdout) + len(too_much.stderr) == 100_000
    finally:
        await sandboxes.remove(1)
        await sandboxes.close()


async def test_a_fork_bomb_ends_with_its_time_limit(box: Box, engine: docker.DockerClient) -> None:
    result = await box.run("bomb() { bomb | bomb & }; bomb; sleep 600", seconds=2)
    assert result.outcome is Outcome.timed_out
    assert processes(engine, box) == []
    assert (await box.run("echo fine")).stdout == b"fine\n"


async def test_running_out_of_memory_is_told_apart_from_a_kill(instance: str) -> None:
    sandboxes = DockerSandboxes(instance=instance, limits=Limits(memory=96 << 20))
    box = Box(sandboxes, await sandboxes.create(1, NOWHERE))
    try:
        greedy = await box.run("python3 -c 'bytearray(1 << 30)'")
        assert (greedy.outcome, greedy.exit_code, greedy.out_of_memory) == (Outcome.exited, 137, True)
        killed = await box.run("kill -9 $$")
        assert (killed.outcome, killed.exit_code, killed.out_of_memory) == (Outcome.exited, 137, False)
    finally:
        await sandboxes.remove(1)
        await sandboxes.close()


async def test_binary_output_comes_back_unchanged(box: Box) -> None:
    everything = bytes(range(256)) * 300
    text = "python3 -c 'import sys; sys.stdout.buffer.write(bytes(range(256)) * 300)'"
    assert (await box.run(text)).stdout == everything


async def test_the_bytes_that_were_approved_are_the_bytes_that_run(box: Box) -> None:
    assert (await box.run("printf '%s' 'a\\b'\t\"$'ü\\n\"\n# end\\\n")).stdout == "a\\b$'ü\\n".encode()
    long = "echo " + "ü" * 200_000 + " | wc -m"
    assert (await box.run(long)).stdout == b"200001\n"
    with pytest.raises(CommandNotStarted, match="NUL"):
        await box.run("echo a\0b")
    with pytest.raises(CommandNotStarted, match="1 MiB"):
        await box.run("#" * (1 << 20) + "#")


async def test_directory_and_environment_carry_over(box: Box) -> None:
    await box.run("mkdir 'a dir'; cd 'a dir'; export TOKEN='two words'; lost=1; exit 4")
    seen = await box.run('pwd; echo "$TOKEN/$lost"')
    assert seen.stdout == b"/scratch/a dir\ntwo words/\n"
    await box.run("cd /; export TOKEN=other; sleep 600", seconds=1)
    await box.run("cd /; export TOKEN=other; kill -9 $$")
    assert (await box.run('pwd; echo "$TOKEN"')).stdout == b"/scratch/a dir\ntwo words\n"
    await box.run("rm -r '/scratch/a dir'")
    assert (await box.run("pwd")).stdout == b"/scratch\n"


async def test_a_script_that_reopens_its_output_loses_nothing(box: Box) -> None:
    result = await box.run("echo one; echo two > /dev/stdout; echo three >&2; echo four > /dev/stderr")
    assert (result.stdout, result.stderr) == (b"one\ntwo\n", b"three\nfour\n")


async def test_a_command_that_kills_its_watcher_is_ended(box: Box, engine: docker.DockerClient) -> None:
    result = await box.run("(trap '' PIPE; setsid sleep 600 & sleep 0.3); kill -9 $PPID; sleep 600")
    assert (result.outcome, result.exit_code) == (Outcome.killed, None)
    assert processes(engine, box) == []


async def test_a_watcher_that_was_stopped_does_not_stop_a_kill(box: Box, engine: docker.DockerClient) -> None:
    begun = asyncio.Event()
    command = box.command("echo begun; sleep 0.1; kill -STOP $PPID; echo stopped >> /dev/null; sleep 600")
    running = asyncio.create_task(box.sandboxes.run(box.handle, command, lambda *_: begun.set()))
    await begun.wait()
    await box.sandboxes.kill(box.handle, command.id)
    assert (await running).outcome is Outcome.killed
    assert processes(engine, box) == []


async def test_scratch_and_processes_are_limited(box: Box) -> None:
    filled = await box.run("head -c 100M /dev/zero > /scratch/big; stat -c %s /scratch/big")
    assert filled.stdout.strip() == str(64 << 20).encode()
    assert (
        await box.run("cat /sys/fs/cgroup/pids/pids.max /sys/fs/cgroup/pids.max 2>/dev/null")
    ).stdout == b"256\n"
