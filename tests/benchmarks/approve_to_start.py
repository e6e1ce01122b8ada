"""How long after Approve a command starts, beyond a bare `docker exec` of the same command.

Run with a Docker engine and the images there: `python -m tests.benchmarks.approve_to_start`. The command
prints its own start time, so both sides are measured to the same instant, in one run, in turns.
"""

from __future__ import annotations

import asyncio
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

from bot.lab import NETWORK
from bot.shared_lab import shared_lab
from engine.agent.port import Proposed, TurnRequest
from engine.agent.scripted import ScriptedAgent
from engine.findings.model import Finding
from engine.lifecycle import Input, State
from engine.retest import Retests
from engine.sandbox.docker_sandboxes import DockerSandboxes
from engine.scope import Danger, Scope, Target
from engine.store.database import Database
from engine.store.outputs import FileOutputs
from engine.views import Ask, SessionView

ROUNDS = 30
COMMAND = "date +%s%N"
WHO = "T1:U1"
SCOPE = Scope(
    targets=(Target(host="vulnerable.lab.example.com", ports=(8080,), accepted=frozenset({Danger.private})),)
)


def _propose(request: TurnRequest) -> Proposed:
    return Proposed(
        tool_call_id=f"call-{len(request.history)}", command=COMMAND, rationale="clock", timeout_seconds=10
    )


async def _rested(retests: Retests, session_id: int) -> SessionView:
    watch = retests.feed.watch()
    while (view := await retests.session(session_id)).state in {State.idle, State.working}:
        await watch.next()
    retests.feed.unwatch(watch)
    return view


async def _approve_once(retests: Retests, session_id: int) -> float:
    """Seconds from asking to the command's own first instruction."""
    await retests.ask(session_id, Ask(given=Input.message, by=WHO, text="go"))
    view = await _rested(retests, session_id)
    assert view.waiting is not None
    asked = time.time_ns()
    await retests.ask(session_id, Ask(given=Input.approve, by=WHO, command_id=view.waiting.id))
    await _rested(retests, session_id)
    command = await retests.command(view.waiting.id)
    started = int(await retests.output(command.stdout_sha256 or ""))
    return (started - asked) / 1e9


def _bare_once(container: str) -> float:
    asked = time.time_ns()
    argv = ["docker", "exec", "--user", "10001:10001", container, "bash", "-c", COMMAND]
    started = int(subprocess.run(argv, capture_output=True, check=True).stdout)
    return (started - asked) / 1e9


async def main() -> None:
    """Measure and print the medians and their difference."""
    with shared_lab():
        await _measure()


async def _measure() -> None:
    sandboxes = DockerSandboxes(instance="benchmark", networks=(NETWORK,))
    try:
        with tempfile.TemporaryDirectory() as folder:
            db = await Database.open(f"sqlite+aiosqlite:///{Path(folder) / 'revalid.db'}")
            outputs = FileOutputs(Path(folder) / "outputs")
            retests = Retests(db=db, outputs=outputs, sandboxes=sandboxes, agent=ScriptedAgent(_propose))
            found = await retests.import_findings([Finding(format="manual", ref="1", title="clock")], WHO)
            session = await retests.open(finding_id=found.new[0].id, by=WHO, goal=(), scope=SCOPE)
            await retests.ask(session.id, Ask(given=Input.start, by=WHO))
            await _rested(retests, session.id)
            async with db.read() as tx:
                from engine.store import sessions

                handle = (await sessions.details(tx, session.id)).handle
            assert handle is not None
            approved, bare = [], []
            for _ in range(ROUNDS):
                approved.append(await _approve_once(retests, session.id))
                bare.append(await asyncio.to_thread(_bare_once, handle.sandbox_id))
            ours, theirs = statistics.median(approved), statistics.median(bare)
            print(f"approve to start  {ours * 1e3:6.1f} ms   (median of {ROUNDS})")
            print(f"bare docker exec  {theirs * 1e3:6.1f} ms")
            print(f"beyond            {(ours - theirs) * 1e3:6.1f} ms, {ours / theirs:.2f} times")
            await retests.close()
            await db.close()
    finally:
        for left in await sandboxes.list():
            await sandboxes.remove(left.session_id)
        await sandboxes.close()


if __name__ == "__main__":
    asyncio.run(main())
