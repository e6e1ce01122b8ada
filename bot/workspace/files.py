"""Uploaded files: the two steps of files upload v2, and the file object."""

from __future__ import annotations

import mimetypes
from pathlib import PurePosixPath

from bot.workspace.clock import Clock
from bot.workspace.errors import ApiError
from bot.workspace.ids import Ids
from bot.workspace.model import File, Json

# The machine's own table of these differs from one system to the next.
TEXT_TYPES = {
    ".json": "application/json",
    ".jsonl": "application/x-ndjson",
    ".log": "text/plain",
    ".md": "text/markdown",
    ".nessus": "text/xml",
    ".txt": "text/plain",
}
PREVIEW_CHARS = 1200


class FileStore:
    """All files of the workspace, in memory."""

    def __init__(self, ids: Ids, clock: Clock) -> None:
        self._ids = ids
        self._clock = clock
        self._files: dict[str, File] = {}
        self._upload_slots: dict[str, str] = {}

    def reserve(self, name: str, length: int, user: str, snippet_type: str = "") -> tuple[File, str]:
        """A new file without bytes, and the one-time slot its bytes are to be sent to."""
        file = File(
            id=self._ids.next("F"),
            name=name,
            title=name,
            user=user,
            created=int(self._clock.now()),
            length=length,
            mimetype=guess_mimetype(name),
            snippet_type=snippet_type,
        )
        slot = self._ids.uuid("upload")
        self._files[file.id] = file
        self._upload_slots[slot] = file.id
        return file, slot

    def receive(self, slot: str, content: bytes) -> File:
        """The bytes for a slot; raises ApiError ``invalid_upload`` for a wrong slot or length."""
        file = self._files.get(self._upload_slots.get(slot, ""))
        # Slack holds an upload to the length it was announced with.
        if file is None or len(content) != file.length:
            raise ApiError("invalid_upload", status=400)
        # An upload address is good for one upload.
        del self._upload_slots[slot]
        file.content = content
        return file

    def add(self, name: str, content: bytes, user: str) -> File:
        """Both steps at once, as a person's client does."""
        _, slot = self.reserve(name, len(content), user)
        return self.receive(slot, content)

    def put(self, file: File) -> None:
        """A file of an earlier run."""
        self._files[file.id] = file

    def whole(self) -> list[File]:
        """Every file whose bytes arrived."""
        return [file for file in self._files.values() if file.content is not None]

    def get(self, file_id: str) -> File:
        """A file whose bytes arrived; raises ApiError ``file_not_found``."""
        file = self._files.get(file_id)
        if file is None or file.content is None:
            raise ApiError("file_not_found")
        return file


def guess_mimetype(name: str) -> str:
    """The media type by the file's name."""
    suffix = PurePosixPath(name).suffix.lower()
    return TEXT_TYPES.get(suffix) or mimetypes.guess_type(name)[0] or "application/octet-stream"


def is_text(file: File) -> bool:
    """Whether a preview of it can be read."""
    return file.mimetype.startswith("text/") or file.mimetype in TEXT_TYPES.values()


def file_object(file: File, base_url: str) -> Json:
    """The file object of ``files.info`` and of messages."""
    content = file.content or b""
    body: Json = {
        "id": file.id,
        "name": file.name,
        "title": file.title,
        "mimetype": file.mimetype,
        "filetype": file.snippet_type or PurePosixPath(file.name).suffix.lstrip(".") or "binary",
        "user": file.user,
        "created": file.created,
        "timestamp": file.created,
        "size": len(content),
        "mode": "snippet" if is_text(file) else "hosted",
        "is_external": False,
        "url_private": f"{base_url}/files-pri/{file.id}/{file.name}",
        "url_private_download": f"{base_url}/files-pri/{file.id}/download/{file.name}",
        "shares": {"public": file.shares} if file.shares else {},
        "channels": list(file.shares),
    }
    if is_text(file):
        # A name that ends in .txt promises nothing about the bytes.
        text = content.decode("utf-8", "replace")
        body |= {
            "preview": text[:PREVIEW_CHARS],
            "preview_is_truncated": len(text) > PREVIEW_CHARS,
            "lines": text.count("\n") + 1,
        }
    return body
