"""`revalid demo`: what a newcomer finds, and what is there the next time."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from bot import demo
from bot.demo import DemoRunning, NoPortFree, free_port, run_demo
from bot.limits import check_message
from bot.welcome import welcome
from bot.workspace.client import Workspace, render_text

ANYWHERE = 18000


@pytest.fixture
def _by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not the sandboxes of a demo that somebody runs on this machine, and no model of theirs."""
    monkeypatch.setattr(demo, "INSTANCE", f"revalid-demo-{os.getpid()}")
    for name in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OLLAMA_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


@asynccontextmanager
async def running(folder: Path, told: list[str]) -> AsyncIterator[Workspace]:
    """The demo until the end of the block, as seen by its people."""
    up = asyncio.Event()

    def tell(words: str) -> None:
        told.append(words)
        if "http://" in words:
            up.set()

    task = asyncio.create_task(run_demo(folder, ANYWHERE, tell))
    waiting = asyncio.create_task(up.wait())
    await asyncio.wait({task, waiting}, return_when=asyncio.FIRST_COMPLETED)
    if task.done():
        waiting.cancel()
        await task
    address = re.search(r"http://\S+", told[-1])
    assert address is not None
    async with Workspace(address[0]) as workspace:
        yield workspace
    os.kill(os.getpid(), signal.SIGINT)
    await task


@pytest.mark.docker
@pytest.mark.usefixtures("lab", "_by_itself")
async def test_a_newcomer_is_told_what_to_do_and_the_next_run_goes_on(tmp_path: Path) -> None:
    told: list[str] = []
    async with running(tmp_path, told) as workspace:
        assert "/revalid retest F-1" in told[-1]
        assert "36 sample findings" in told[-1]
        with pytest.raises(DemoRunning):
            await run_demo(tmp_path, ANYWHERE, told.append)
        (first,) = await workspace.messages("retests")
        assert workspace.names[first["user"]] == "Revalid"
        assert "`/revalid retest F-1`" in render_text(first, workspace.names)
        alice = await workspace.person("alice")
        await alice.slash("retests", "/revalid", "findings of vulnerable.lab")
        answer = await workspace.until(lambda: workspace.ephemerals(alice))
        assert "*F-1*  SQL injection in the fruit search of vulnerable.lab" in render_text(answer[-1])
        await alice.say("retests", "see you tomorrow")
    assert "data is kept" in told[-1]

    async with running(tmp_path, told) as workspace:
        texts = [render_text(message) for message in await workspace.messages("retests")]
        assert [text.splitlines()[0] for text in texts] == ["Welcome to Revalid", "see you tomorrow"]
        alice = await workspace.person("alice")
        await alice.slash("retests", "/revalid", "findings")
        assert await workspace.until(lambda: workspace.ephemerals(alice))


def test_the_first_message_is_one_that_slack_takes() -> None:
    message = welcome(36)
    assert not check_message({"text": message.text, "blocks": message.blocks})


def test_the_next_port_is_taken_when_the_wanted_one_is_not_free() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert port < free_port(port) < port + demo.PORTS


def test_no_free_port_is_said_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demo, "PORTS", 1)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(NoPortFree) as told:
            free_port(taken.getsockname()[1])
    assert "--port" in told.value.sentence
