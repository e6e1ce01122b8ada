"""The demo: everything on one machine, until whoever started it has seen enough."""

from __future__ import annotations

import fcntl
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from aiohttp import ClientSession

from bot.blocks.amounts import count
from bot.connected import model_words
from bot.practice import BOT_TOKEN, CHANNEL, Practice, practice
from bot.signals import told_to_stop
from bot.slack import WebSlack, web_client
from bot.welcome import welcome
from engine.errors import SettingsError

INSTANCE = "revalid-demo"
PORTS = 20
"""How many ports are tried, from the wanted one on."""
HIGHEST_PORT = 65535


class DemoRunning(SettingsError):
    """The demo is running in this folder already; open its page, or give another folder."""


class NoPortFree(SettingsError):
    """No port for the demo's page is free; name another one with --port."""


async def run_demo(folder: Path, port: int, tell: Callable[[str], None]) -> None:
    """Run until Ctrl+C or a TERM signal. Raises `RevalidError` kinds."""
    with _alone(folder):
        tell("Starting the practice lab, the local workspace and the bot …")
        free = free_port(port)
        with told_to_stop() as stopped:
            async with practice(folder, instance=INSTANCE, port=free, remembers=True) as up:
                await _welcome(up)
                tell(_told(up))
                await stopped.wait()
                tell("\nStopping; the next run goes on where this one is now.")
    tell("Stopped. The sandboxes are removed, the data is kept.")


def free_port(wanted: int) -> int:
    """The wanted port, or the first free one after it. Raises `NoPortFree`."""
    for port in range(wanted, min(wanted + PORTS, HIGHEST_PORT + 1)):
        with socket.socket() as probe:
            # As the server will, or a port that was just left would count as taken.
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise NoPortFree(f"No port from {wanted} to {wanted + PORTS - 1} is free; name another one with --port.")


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Two bots on one database would both go on with its sessions."""
    folder.mkdir(parents=True, exist_ok=True)
    # A lock goes with its process; a file that merely exists would outlive one that was killed.
    with (folder / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise DemoRunning(
                f"The demo is running in {folder} already; open its page, or give another --folder."
            ) from error
        yield


async def _welcome(up: Practice) -> None:
    """The first message of a new channel. A channel that has one already is left alone."""
    channel = up.server.hub.state.channel(CHANNEL)
    if channel.messages:
        return
    async with ClientSession() as session:
        slack = WebSlack(web_client(BOT_TOKEN, up.server.api_url, session))
        await slack.post(channel=channel.id, message=welcome(up.samples), thread_ts=None, metadata=None)


def _told(up: Practice) -> str:
    return f"""
The demo is up:  {up.server.url}

Open it in a browser; you are one of its people, in #{CHANNEL}. Try this first:

  /revalid retest F-1    in the form tick the host, choose Start now, and open the retest
  Approve                in the thread, and look at what the command put out
  go on                  as your reply; approve the next command too
  Conclude               with the button, and find the verdict in the channel

{count(up.samples, "sample finding")}; `/revalid findings` lists them, `/revalid help` the rest.
Model: {model_words(up.settings)}.   Data: {up.settings.outputs.parent}

Ctrl+C stops it."""
