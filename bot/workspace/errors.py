"""How the workspace says no: to the app as Slack does, to a script in a sentence."""

from __future__ import annotations

from bot.workspace.model import Json
from engine.errors import RevalidError


class ApiError(Exception):
    """An answer of the Web API with ``ok: false``.

    Attributes:
        error: Slack's error code.
        extra: further keys of the answer, such as ``needed`` or ``response_metadata``.
        status: HTTP status; Slack answers most errors with 200.
        headers: HTTP headers, such as ``Retry-After``.
    """

    def __init__(
        self,
        error: str,
        extra: Json | None = None,
        *,
        status: int = 200,
        headers: dict[str, str] | None = None,
    ) -> None:
        super().__init__(error)
        self.error = error
        self.extra = extra or {}
        self.status = status
        self.headers = headers or {}

    @property
    def answer(self) -> Json:
        """The JSON body."""
        return {"ok": False, "error": self.error, **self.extra}


class AppTimedOut(Exception):
    """The app did not acknowledge within three seconds."""


class AppUnreachable(Exception):
    """No socket of the app is open."""


class WorkspaceError(RevalidError):
    """The local workspace refused that; the words after the colon are Slack's error code."""


class NotSeen(WorkspaceError):
    """What was waited for did not happen in the local workspace in time."""
