"""Keeps what commands wrote, whole, by the SHA-256 of the bytes."""

from __future__ import annotations

import asyncio
import hashlib
import os
import re
import tempfile
from pathlib import Path
from typing import Protocol

from engine.store.errors import OutputMissing, from_os

_DIGEST = re.compile(r"[0-9a-f]{64}")


class Outputs(Protocol):
    """A content-addressed store. Raises `OutputMissing` for a digest it does not have, else `StoreError`."""

    async def put(self, data: bytes) -> str:
        """Keep the bytes for good; their SHA-256 in hexadecimal digits. The same bytes are kept once."""
        ...

    async def read(self, digest: str, offset: int = 0, limit: int | None = None) -> bytes:
        """At most `limit` bytes from byte `offset` on; to the end without a limit."""
        ...

    async def size(self, digest: str) -> int:
        """How many bytes there are."""
        ...


class FileOutputs:
    """Outputs as files `root/ab/cd/abcd…`, each on the disk before it has its name."""

    def __init__(self, root: Path) -> None:
        self._root = root

    async def put(self, data: bytes) -> str:
        """See `Outputs`."""
        return await asyncio.to_thread(self._put, data)

    async def read(self, digest: str, offset: int = 0, limit: int | None = None) -> bytes:
        """See `Outputs`."""
        return await asyncio.to_thread(self._read, digest, offset, limit)

    async def size(self, digest: str) -> int:
        """See `Outputs`."""
        return await asyncio.to_thread(self._size, digest)

    def _path(self, digest: str) -> Path:
        if not _DIGEST.fullmatch(digest):
            raise OutputMissing
        return self._root / digest[:2] / digest[2:4] / digest

    def _put(self, data: bytes) -> str:
        digest = hashlib.sha256(data).hexdigest()
        path = self._path(digest)
        try:
            if not (path.exists() and path.stat().st_size == len(data)):
                self._write(path, data)
        except OSError as error:
            raise from_os(error) from error
        return digest

    def _write(self, path: Path, data: bytes) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=".new-")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            Path(name).replace(path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
        # The name is on the disk only once its folder, and the folders made for it, are.
        for folder in (path.parent, path.parent.parent, self._root):
            _sync_folder(folder)

    def _read(self, digest: str, offset: int, limit: int | None) -> bytes:
        try:
            with self._path(digest).open("rb") as file:
                file.seek(offset)
                return file.read(-1 if limit is None else limit)
        except FileNotFoundError as error:
            raise OutputMissing from error
        except OSError as error:
            raise from_os(error) from error

    def _size(self, digest: str) -> int:
        try:
            return self._path(digest).stat().st_size
        except FileNotFoundError as error:
            raise OutputMissing from error
        except OSError as error:
            raise from_os(error) from error


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


class MemoryOutputs:
    """The in-memory twin."""

    def __init__(self) -> None:
        self._kept: dict[str, bytes] = {}

    async def put(self, data: bytes) -> str:
        """See `Outputs`."""
        digest = hashlib.sha256(data).hexdigest()
        self._kept[digest] = bytes(data)
        return digest

    async def read(self, digest: str, offset: int = 0, limit: int | None = None) -> bytes:
        """See `Outputs`."""
        data = self._get(digest)
        return data[offset:] if limit is None else data[offset : offset + limit]

    async def size(self, digest: str) -> int:
        """See `Outputs`."""
        return len(self._get(digest))

    def _get(self, digest: str) -> bytes:
        try:
            return self._kept[digest]
        except KeyError:
            raise OutputMissing from None
