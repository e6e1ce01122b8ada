"""Keeps a workspace from one run to the next: channels, messages, threads and files, in one JSON file.

Open forms, whispered messages and statuses belong to a run and are not kept.
"""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from dataclasses import asdict
from pathlib import Path
from typing import Any

from bot.workspace.clock import Timer
from bot.workspace.errors import WorkspaceError
from bot.workspace.model import Change, Channel, File, Json
from bot.workspace.state import State

SAVE_SECONDS = 0.5
"""How much of a run is lost at most when the process is killed."""
_KEPT_KINDS = frozenset({"message", "message_changed", "message_deleted", "reaction", "member", "channel"})


class MemoryUnreadable(WorkspaceError):
    """What the local workspace kept cannot be read; remove its file to begin with an empty workspace."""


class Memory:
    """Follows a state and writes it down soon after each change.

    Args:
        path: the file; it need not be there yet, its folder does.
        state: a fresh state, which takes over what the file has.

    Raises:
        MemoryUnreadable: the file is no memory of a workspace.
    """

    def __init__(self, path: Path, state: State) -> None:
        self._path = path
        self._state = state
        self._due: Timer | None = None
        if path.exists():
            self._recall()
        state.observers.append(self._changed)

    def save(self) -> None:
        """Write everything down now."""
        if self._due is not None:
            self._due.cancel()
            self._due = None
        # Renamed into place whole: a process killed while writing leaves the old file.
        fresh = self._path.with_suffix(".new")
        fresh.write_text(json.dumps(_state(self._state)), encoding="utf-8")
        fresh.replace(self._path)

    def _changed(self, change: Change) -> None:
        # A burst of changes is one write, as the whole workspace is written each time.
        if change.kind in _KEPT_KINDS and self._due is None:
            self._due = self._state.clock.call_later(SAVE_SECONDS, self.save)

    def _recall(self) -> None:
        try:
            kept = json.loads(self._path.read_text(encoding="utf-8"))
            channels = [_read_channel(channel) for channel in kept["channels"]]
            files = [_read_file(file) for file in kept["files"]]
            last = {
                channel: (int(second), int(count)) for channel, (second, count) in kept["last_ts"].items()
            }
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise MemoryUnreadable(
                f"What the local workspace kept in {self._path} cannot be read; remove that file to begin "
                "with an empty workspace."
            ) from error
        self._state.channels |= {channel.id: channel for channel in channels}
        # A ts is the key of a message: one given again would replace a message of the earlier run.
        self._state.last_ts |= last
        for file in files:
            self._state.files.put(file)


def _state(state: State) -> Json:
    return {
        "channels": [_channel(channel) for channel in state.channels.values()],
        "files": [_file(file) for file in state.files.whole()],
        "last_ts": state.last_ts,
    }


def _channel(channel: Channel) -> Json:
    return asdict(channel) | {"members": sorted(channel.members), "deleted": sorted(channel.deleted)}


def _read_channel(kept: dict[str, Any]) -> Channel:
    return Channel(**kept | {"members": set(kept["members"]), "deleted": set(kept["deleted"])})


def _file(file: File) -> Json:
    return asdict(file) | {"content": b64encode(file.content or b"").decode("ascii")}


def _read_file(kept: dict[str, Any]) -> File:
    return File(**kept | {"content": b64decode(kept["content"])})
