from __future__ import annotations

import asyncio
import errno
import hashlib
import os
from pathlib import Path

import pytest

from engine.errors import StoreError
from engine.store.errors import OutputMissing, StoreFull, StoreReadOnly
from engine.store.outputs import FileOutputs, MemoryOutputs, Outputs

DATA = bytes(range(256)) * 40


def files_under(root: Path) -> list[Path]:
    return [path for path in root.rglob("*") if path.is_file()]


@pytest.fixture(params=["file", "memory"])
def outputs(request: pytest.FixtureRequest, tmp_path: Path) -> Outputs:
    return FileOutputs(tmp_path / "outputs") if request.param == "file" else MemoryOutputs()


async def test_bytes_come_back_by_their_hash(outputs: Outputs) -> None:
    digest = await outputs.put(DATA)
    assert digest == hashlib.sha256(DATA).hexdigest()
    assert await outputs.read(digest) == DATA
    assert await outputs.size(digest) == len(DATA)


@pytest.mark.parametrize(
    ("offset", "limit", "piece"),
    [(0, 3, b"\x00\x01\x02"), (254, 4, b"\xfe\xff\x00\x01"), (len(DATA) - 1, 10, b"\xff"), (10**6, 5, b"")],
)
async def test_a_piece_can_be_read(outputs: Outputs, offset: int, limit: int, piece: bytes) -> None:
    assert await outputs.read(await outputs.put(DATA), offset, limit) == piece


async def test_nothing_is_an_output_too(outputs: Outputs) -> None:
    digest = await outputs.put(b"")
    assert (await outputs.read(digest), await outputs.size(digest)) == (b"", 0)


@pytest.mark.parametrize("digest", ["0" * 64, "../../etc/passwd", "", "0" * 63 + "/"])
async def test_what_is_not_there_is_said(outputs: Outputs, digest: str) -> None:
    with pytest.raises(OutputMissing, match="restore its folder from a backup"):
        await outputs.read(digest)
    with pytest.raises(OutputMissing):
        await outputs.size(digest)


async def test_the_same_bytes_are_kept_once(tmp_path: Path) -> None:
    outputs = FileOutputs(tmp_path)
    digests = await asyncio.gather(*(outputs.put(DATA) for _ in range(8)))
    assert files_under(tmp_path) == [tmp_path / digests[0][:2] / digests[0][2:4] / digests[0]]


async def test_a_file_cut_short_is_written_again(tmp_path: Path) -> None:
    outputs = FileOutputs(tmp_path)
    digest = await outputs.put(DATA)
    (tmp_path / digest[:2] / digest[2:4] / digest).write_bytes(DATA[:5])
    await outputs.put(DATA)
    assert await outputs.read(digest) == DATA


@pytest.mark.parametrize(
    ("number", "error"),
    [(errno.ENOSPC, StoreFull), (errno.EROFS, StoreReadOnly), (errno.EIO, StoreError)],
)
async def test_a_failing_disk_is_named_and_leaves_no_half_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, error: type[StoreError]
) -> None:
    def fail(_handle: int) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(error) as caught:
        await FileOutputs(tmp_path).put(DATA)
    assert type(caught.value) is error
    assert files_under(tmp_path) == []


async def test_a_folder_in_place_of_a_file_is_an_error_not_a_crash(tmp_path: Path) -> None:
    (tmp_path / "00" / "00" / ("0" * 64)).mkdir(parents=True)
    with pytest.raises(StoreError):
        await FileOutputs(tmp_path).read("0" * 64)


async def test_a_root_that_is_a_file_is_an_error_not_a_crash(tmp_path: Path) -> None:
    (tmp_path / "outputs").write_bytes(b"")
    with pytest.raises(StoreError):
        await FileOutputs(tmp_path / "outputs").size("0" * 64)
