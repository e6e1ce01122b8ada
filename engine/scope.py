"""Which `host:port` a sandbox may reach: parse, resolve, match."""

from __future__ import annotations

from enum import StrEnum

from pydantic import BaseModel, ConfigDict


class Danger(StrEnum):
    """Why a target needs an explicit yes from a person."""

    third_party = "third_party"
    private = "private"
    loopback = "loopback"
    link_local = "link_local"
    metadata = "metadata"
    wildcard = "wildcard"


class Target(BaseModel):
    """One host with its ports, as a person confirmed it. No ports means that they are still to be named."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    host: str
    """A lower-case name or address, IPv6 without brackets."""
    ports: tuple[int, ...] = ()
    accepted: frozenset[Danger] = frozenset()
    """The dangers that the person said yes to."""


class Scope(BaseModel):
    """All targets of a session."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    targets: tuple[Target, ...] = ()


class Pin(BaseModel):
    """A target with the addresses it resolved to when the sandbox was built."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    host: str
    addresses: tuple[str, ...]
    ports: tuple[int, ...]


class Pinned(BaseModel):
    """A scope ready for the firewall."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    pins: tuple[Pin, ...] = ()
