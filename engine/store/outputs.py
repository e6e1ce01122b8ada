"""Keeps what commands wrote, whole, by the SHA-256 of the bytes."""

from __future__ import annotations

import asyncio
import hashlib
import os
import re
import tempfile
import threading
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

from engine.store.errors import OutputMissing, from_os

# A digest becomes a path, so nothing else may pass for one.
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

    async def drop(self, digest: str, before: datetime) -> bool:
        """Remove what nobody kept since a moment; whether it was there and is gone."""
        ...


class FileOutputs:
    """Outputs as files `root/ab/cd/abcd…`, each on the disk before it has its name."""

    def __init__(self, root: Path) -> None:
        self._root = root
        # Between finding that bytes are kept already and saying so, nobody may drop them.
        self._naming = threading.Lock()

    async def put(self, data: bytes) -> str:
        """See `Outputs`."""
        return await asyncio.to_thread(self._put, data)

    async def read(self, digest: str, offset: int = 0, limit: int | None = None) -> bytes:
        """See `Outputs`."""
        return await asyncio.to_thread(self._read, digest, offset, limit)

    async def size(self, digest: str) -> int:
        """See `Outputs`."""
        return await asyncio.to_thread(self._size, digest)

    async def drop(self, digest: str, before: datetime) -> bool:
        """See `Outputs`."""
        return await asyncio.to_thread(self._drop, digest, before)

    def _path(self, digest: str) -> Path:
        if not _DIGEST.fullmatch(digest):
            raise OutputMissing
        # Two levels keep every folder small however many outputs there are.
        return self._root / digest[:2] / digest[2:4] / digest

    def _put(self, data: bytes) -> str:
        digest = hashlib.sha256(data).hexdigest()
        path = self._path(digest)
        try:
            if not self._kept(path, len(data)):
                self._write(path, data)
        except OSError as error:
            raise from_os(error) from error
        return digest

    def _kept(self, path: Path, size: int) -> bool:
        with self._naming:
            # A file of another size is damaged, by a failing disk say, and is written anew.
            if not path.exists() or path.stat().st_size != size:
                return False
            # Its age is that of the last use: retention looks at it when it drops.
            path.touch()
            return True

    def _drop(self, digest: str, before: datetime) -> bool:
        path = self._path(digest)
        try:
            with self._naming:
                if path.stat().st_mtime >= before.timestamp():
                    return False
                path.unlink()
        except FileNotFoundError:
            return False
        except OSError as error:
            raise from_os(error) from error
        return True

    def _write(self, path: Path, data: bytes) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        # In the same folder, because a rename is only atomic within one file system.
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=".new-")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
                file.flush()
                # A name without its bytes after a power cut would pass for kept evidence.
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
        self._since: dict[str, datetime] = {}

    async def put(self, data: bytes) -> str:
        """See `Outputs`."""
        digest = hashlib.sha256(data).hexdigest()
        self._kept[digest] = bytes(data)
        self._since[digest] = datetime.now(UTC)
        return digest

    async def read(self, digest: str, offset: int = 0, limit: int | None = None) -> bytes:
        """See `Outputs`."""
        data = self._get(digest)
        return data[offset:] if limit is None else data[offset : offset + limit]

    async def size(self, digest: str) -> int:
        """See `Outputs`."""
        return len(self._get(digest))

    async def drop(self, digest: str, before: datetime) -> bool:
        """See `Outputs`."""
        if digest not in self._kept or self._since[digest] >= before:
            return False
        del self._kept[digest]
        return True

    def _get(self, digest: str) -> bytes:
        try:
            return self._kept[digest]
        except KeyError:
            raise OutputMissing from None
