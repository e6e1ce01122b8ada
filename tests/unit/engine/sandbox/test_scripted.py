"""What a test can make the scripted sandboxes do, beyond what every sandbox does."""

from __future__ import annotations

import asyncio

import pytest

from engine.errors import EngineUnavailable, LockNotProven, SandboxLost, ScopeError
from engine.sandbox.port import Command, Denied, Handle, Outcome
from engine.sandbox.scripted import Answer, ScriptedSandboxes
from engine.scope import Pinned


def command(number: int, text: str) -> Command:
    return Command(id=number, text=text, timeout_seconds=30)


async def started(sandboxes: ScriptedSandboxes, text: str) -> asyncio.Task[Outcome]:
    handle = await sandboxes.create(1, Pinned())

    async def outcome() -> Outcome:
        return (await sandboxes.run(handle, command(1, text))).outcome

    task = asyncio.create_task(outcome())
    await sandboxes.until_running(1)
    return task


async def test_a_script_can_be_a_function_of_the_command() -> None:
    refused = Denied(address="203.0.113.7", port=80, protocol="tcp", packets=1)
    sandboxes = ScriptedSandboxes(lambda text: Answer(stdout=text.upper().encode(), denied=(refused,)))
    handle = await sandboxes.create(1, Pinned())
    result = await sandboxes.run(handle, command(1, "hello"))
    assert (result.stdout, result.denied) == (b"HELLO", (refused,))
    await sandboxes.run(handle, command(2, "hello"))
    assert sandboxes.times("hello") == 2
    assert [ran.id for ran in sandboxes.executed] == [1, 2]


async def test_a_hanging_command_ends_as_the_test_says() -> None:
    script = {"hang": Answer(hang=True)}
    for end, outcome in (
        (ScriptedSandboxes.release, Outcome.exited),
        (ScriptedSandboxes.time_out, Outcome.timed_out),
        (ScriptedSandboxes.flood, Outcome.output_limit),
        (ScriptedSandboxes.lose, Outcome.lost),
    ):
        sandboxes = ScriptedSandboxes(script)
        running = await started(sandboxes, "hang")
        assert not running.done()
        end(sandboxes, 1)
        assert await running is outcome


async def test_failures_can_be_asked_for() -> None:
    sandboxes = ScriptedSandboxes(names={"app.example.com": ("203.0.113.5",)})
    sandboxes.fail_create = EngineUnavailable()
    with pytest.raises(EngineUnavailable):
        await sandboxes.create(1, Pinned())
    assert await sandboxes.list() == ()
    sandboxes.fail_create = None
    handle = await sandboxes.create(1, Pinned())
    sandboxes.fail_run = LockNotProven()
    with pytest.raises(LockNotProven):
        await sandboxes.run(handle, command(1, "true"))
    assert sandboxes.executed == []
    assert await sandboxes.resolve("app.example.com") == ("203.0.113.5",)
    with pytest.raises(ScopeError):
        await sandboxes.resolve("other.example.com")


async def test_a_lost_sandbox_stays_lost_until_a_new_one_is_made() -> None:
    sandboxes = ScriptedSandboxes({"true": Answer()})
    handle = await sandboxes.create(1, Pinned())
    sandboxes.lose(1)
    with pytest.raises(SandboxLost):
        await sandboxes.run(handle, command(1, "true"))
    assert [listed.session_id for listed in await sandboxes.list()] == [1]
    new: Handle = await sandboxes.create(1, Pinned())
    assert (await sandboxes.run(new, command(1, "true"))).outcome is Outcome.exited
    assert sandboxes.created == 2
