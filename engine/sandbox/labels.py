"""How everything that belongs to this installation is marked and found again."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum

_INSTANCE = "revalid.instance"
_SESSION = "revalid.session"
_ROLE = "revalid.role"
_CREATED = "revalid.created"


class Role(StrEnum):
    """What a container or volume is for, in the order in which a session's are removed."""

    sandbox = "sandbox"
    gateway = "gateway"
    volume = "volume"


@dataclass(frozen=True)
class Labels:
    """The labels of one installation; two of them on one engine never touch each other's."""

    instance: str

    def of(self, session_id: int, role: Role) -> dict[str, str]:
        """What to put on a new thing."""
        return {
            _INSTANCE: self.instance,
            _SESSION: str(session_id),
            _ROLE: role,
            _CREATED: datetime.now(UTC).isoformat(timespec="seconds"),
        }

    def shared(self) -> dict[str, str]:
        """What to put on a thing that belongs to no session."""
        return {_INSTANCE: self.instance}

    def filter_shared(self) -> dict[str, list[str]]:
        """The engine's filter for what belongs to no session."""
        return {"label": [f"{_INSTANCE}={self.instance}"]}

    def filter(self, session_id: int | None = None) -> dict[str, list[str]]:
        """The engine's filter for everything of one session, or of all."""
        wanted = [f"{_INSTANCE}={self.instance}"]
        wanted.append(_SESSION if session_id is None else f"{_SESSION}={session_id}")
        return {"label": wanted}


def session_of(labels: dict[str, str] | None) -> int:
    """The session a labelled thing belongs to."""
    return int((labels or {})[_SESSION])


def role_of(labels: dict[str, str] | None) -> Role:
    """What a labelled thing is for."""
    return Role((labels or {})[_ROLE])


def created_of(labels: dict[str, str] | None) -> str:
    """When a labelled thing was made, ISO 8601 in UTC."""
    return (labels or {}).get(_CREATED, "")
