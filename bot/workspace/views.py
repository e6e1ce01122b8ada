"""Modals: one stack per person, with hashes, updates and pushes."""

from __future__ import annotations

from bot.workspace.errors import ApiError
from bot.workspace.ids import Ids
from bot.workspace.model import Json
from bot.workspace.naming import name_blocks

# Slack's own limit of a stack.
MOST_VIEWS = 3


class ViewStacks:
    """The open modals of every person; the last of a stack is the one on top."""

    def __init__(self, ids: Ids) -> None:
        self._ids = ids
        self.stacks: dict[str, list[Json]] = {}
        self.homes: dict[str, Json] = {}

    def stack(self, user: str) -> list[Json]:
        """The open views of one person, bottom first."""
        return self.stacks.setdefault(user, [])

    def open(self, user: str, view: Json, frame: Json) -> Json:
        """A new stack with one view; `frame` holds the keys that the workspace adds."""
        opened = self._framed(view, frame)
        self.stacks[user] = [opened]
        return opened

    def push(self, user: str, view: Json, frame: Json) -> Json:
        """One more view on top; raises ApiError ``push_limit_reached`` beyond three."""
        stack = self.stack(user)
        if len(stack) >= MOST_VIEWS:
            raise ApiError("push_limit_reached")
        below = stack[-1] if stack else None
        pushed = self._framed(view, frame)
        if below is not None:
            pushed |= {"root_view_id": below["root_view_id"], "previous_view_id": below["id"]}
        stack.append(pushed)
        return pushed

    def update(self, view_id: str, view: Json, view_hash: str | None = None) -> tuple[str, Json]:
        """New content for an open view; raises ApiError ``not_found`` or ``hash_conflict``."""
        user, current = self.find(view_id)
        # The app rendered something older than what the person now sees.
        if view_hash is not None and view_hash != current["hash"]:
            raise ApiError("hash_conflict")
        kept = (
            "id",
            "team_id",
            "root_view_id",
            "previous_view_id",
            "app_id",
            "bot_id",
            "app_installed_team_id",
        )
        frame = {key: current[key] for key in kept}
        updated = self._framed(view, frame) | {"root_view_id": current["root_view_id"], "id": current["id"]}
        stack = self.stacks[user]
        stack[stack.index(current)] = updated
        return user, updated

    def find(self, view_id: str) -> tuple[str, Json]:
        """Whose open view that is, and the view; by id or external id."""
        for user, stack in self.stacks.items():
            for view in stack:
                if view_id in (view["id"], view.get("external_id") or None):
                    return user, view
        raise ApiError("not_found")

    def close(self, user: str, view_id: str) -> None:
        """Close one view and what lies on top of it."""
        stack = self.stack(user)
        index = next((i for i, view in enumerate(stack) if view["id"] == view_id), len(stack))
        del stack[index:]

    def _framed(self, view: Json, frame: Json) -> Json:
        view_id = self._ids.next("V")
        framed: Json = {
            "private_metadata": "",
            "callback_id": "",
            "external_id": "",
            "clear_on_close": False,
            "notify_on_close": False,
            "submit": None,
            "close": None,
            "root_view_id": view_id,
            "previous_view_id": None,
            "state": {"values": {}},
            **view,
            # After the app's keys: no app may say whose view it is.
            **frame,
            "hash": self._ids.next("hash."),
        }
        framed.setdefault("id", view_id)
        name_blocks(framed["blocks"], self._ids)
        return framed
