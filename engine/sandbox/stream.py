"""One process inside a container with its streams in our hands."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import struct
import threading
from typing import Any

from docker.api.client import APIClient

STDOUT, STDERR = 1, 2
_HEADER = struct.Struct(">BxxxI")


class ExecStream:
    """An attached exec. Blocking; used from a thread.

    It reads through the HTTP response's buffer and not from the raw socket, which can miss the first bytes
    (docker-py issue 3332). Whoever opens one reads it to its end or closes it: a stream that nobody reads,
    with a killed process behind it, blocks the engine's calls for the whole container.
    """

    def __init__(
        self, api: APIClient, container: str, argv: list[str], *, user: str = "", stdin: bool = False
    ) -> None:
        created = api.exec_create(container, argv, user=user, stdin=stdin)["Id"]
        client: Any = api
        self._response = client._post_json(
            client._url("/exec/{0}/start", created),
            # No terminal: it would merge the two streams and change line ends.
            data={"Tty": False, "Detach": False},
            headers={"Connection": "Upgrade", "Upgrade": "tcp"},
            stream=True,
        )
        client._raise_for_status(self._response)
        self._file = self._response.raw._fp.fp
        # The SDK has no public way to the buffer and the socket of an exec at once.
        self._socket: socket.socket = self._file.raw._sock
        # The SDK's own time limit would cut a command that is silent for a minute.
        self.set_timeout(None)

    def set_timeout(self, seconds: float | None) -> None:
        """How long one read or write may take; None waits for ever."""
        self._socket.settimeout(seconds)

    def write(self, data: bytes) -> None:
        """Send to the process's standard input. Raises `OSError`."""
        self._socket.sendall(data)

    def read(self) -> tuple[int, bytes] | None:
        """The next piece as (`STDOUT` or `STDERR`, bytes); None at the end. Raises `OSError`."""
        header = self._file.read(_HEADER.size)
        if len(header) < _HEADER.size:
            return None
        number, size = _HEADER.unpack(header)
        return number, self._file.read(size)

    def hang_up(self) -> None:
        """Wake a reader in another thread; that reader closes."""
        with contextlib.suppress(OSError):
            # Closing alone does not wake a thread that is already blocked in a read.
            self._socket.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Let go of the connection; the process goes on. For the thread that reads."""
        self.hang_up()
        self._response.close()
        self._file.close()
        self._socket.close()


class Feed:
    """Brings a process's standard output to the event loop, through a thread that always reads on."""

    def __init__(self, stream: ExecStream) -> None:
        self._stream = stream
        self._loop = asyncio.get_running_loop()
        self._queue: asyncio.Queue[bytes | None] = asyncio.Queue()
        # A thread of its own: a feed lasts as long as its command and would use up the pool's.
        threading.Thread(target=self._pump, name="sandbox-feed", daemon=True).start()

    async def next(self, deadline: float) -> bytes | None:
        """The next piece, `b""` after `wake`, None at the end. Raises `TimeoutError` at `deadline`."""
        async with asyncio.timeout_at(deadline):
            return await self._queue.get()

    def wake(self) -> None:
        """Make whoever waits in `next` look up."""
        self._queue.put_nowait(b"")

    def close(self) -> None:
        """Stop listening; the process goes on."""
        self._stream.hang_up()

    def _pump(self) -> None:
        try:
            while piece := self._stream.read():
                if piece[0] == STDOUT:
                    self._put(piece[1])
        except (OSError, ValueError):
            # A broken connection looks like an end here; whoever waits asks the engine which it was.
            pass
        finally:
            self._stream.close()
            self._put(None)

    def _put(self, data: bytes | None) -> None:
        # The loop may be gone while a command that nobody waits for still talks.
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._queue.put_nowait, data)
