"""Every error a person can meet, as one tree.

RevalidError
├── ActionRefused            an action that the session's state does not allow
├── NotFound                 no such finding, session, proposal or verdict
├── FindingsError            a findings file that cannot be taken
├── ScopeError               a scope that cannot be used
├── SandboxError             the sandbox or the engine behind it
│   ├── EngineUnavailable
│   ├── ImageMissing
│   ├── LockNotProven
│   ├── EngineDiskFull
│   ├── NetworksExhausted
│   ├── SandboxLost
│   │   └── SandboxOutOfMemory
│   └── CommandNotStarted
├── ModelError               the language model did not answer
├── StoreError               the database
│   └── RevisionConflict
└── SettingsError            a setting that is missing or wrong

The docstring of a class is the sentence a person reads; a detail given at the raise replaces it.
"""

from __future__ import annotations

import inspect


class RevalidError(Exception):
    """Something went wrong inside Revalid."""

    def __init__(self, message: str | None = None) -> None:
        super().__init__(message or inspect.getdoc(type(self)) or type(self).__name__)

    @property
    def sentence(self) -> str:
        """What to tell a person: what is wrong, where, and what to do."""
        return str(self)


class ActionRefused(RevalidError):
    """That is not possible in the session's present state."""


class NotFound(RevalidError):
    """There is no such thing here; check the number."""


class FindingsError(RevalidError):
    """This file cannot be read as findings."""


class ScopeError(RevalidError):
    """This scope cannot be used; name a host with a port, such as app.example.com:443."""


class SandboxError(RevalidError):
    """The sandbox failed; reply in the thread to try again."""


class EngineUnavailable(SandboxError):
    """The Docker engine does not answer; start it and reply in the thread to try again."""


class ImageMissing(SandboxError):
    """The sandbox image is not there; run `make images` and reply in the thread to try again."""


class EngineDiskFull(SandboxError):
    """The Docker engine's disk is full; make room (`docker system df`) and reply in the thread."""


class NetworksExhausted(SandboxError):
    """The Docker engine has no network left to give; run `docker network prune` and reply in the thread."""


class LockNotProven(SandboxError):
    """The sandbox's network lock could not be proven, so nothing was run."""


class SandboxLost(SandboxError):
    """The sandbox is gone; the next message builds a new one."""


class SandboxOutOfMemory(SandboxLost):
    """The sandbox ran out of memory and is gone with all that ran; the next message builds a new one."""


class CommandNotStarted(SandboxError):
    """The command could not be started; nothing ran."""


class ModelError(RevalidError):
    """The language model did not answer; reply in the thread to try again."""


class StoreError(RevalidError):
    """The database did not answer."""


class RevisionConflict(StoreError):
    """Somebody else changed this session at the same moment; nothing was changed, try again."""


class SettingsError(RevalidError):
    """A setting is missing or wrong; `revalid doctor` says which."""
