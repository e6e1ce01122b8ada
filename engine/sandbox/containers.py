"""How a gateway, a sandbox and its volumes are made: every hardening option in one place."""

from __future__ import annotations

from dataclasses import dataclass
from secrets import token_hex

from docker.api.client import APIClient
from docker.types import LogConfig, Ulimit

from engine.sandbox.firewall import address_of
from engine.sandbox.labels import Labels, Role
from engine.sandbox.port import Limits
from engine.scope import Pinned

# Three users, since a command is ended by killing all of its user's processes and may try the same.
AGENT = "10001:10001"
"""Commands run as this user."""
WATCHER = "10002:10002"
"""Whoever follows a command's output; a command cannot signal it."""
_PID_ONE = "10000:10000"

# Docker's own resolver would carry any name out, so what it forwards to does not exist.
_DEAD_RESOLVER = "198.51.100.254"
_MEBIBYTE = 1 << 20
# Empty files take memory but no bytes of a size limit: without this they alone fill the container's.
_INODES = 20_000


@dataclass(frozen=True, kw_only=True)
class Plan:
    """One sandbox before it exists."""

    session_id: int
    labels: Labels
    limits: Limits
    gateway_image: str
    sandbox_image: str
    token: str

    @classmethod
    def make(
        cls, session_id: int, labels: Labels, limits: Limits, *, gateway_image: str, sandbox_image: str
    ) -> Plan:
        """A plan whose names were never used before."""
        return cls(
            session_id=session_id,
            labels=labels,
            limits=limits,
            gateway_image=gateway_image,
            sandbox_image=sandbox_image,
            token=token_hex(4),
        )

    def name(self, part: str) -> str:
        """The name of one part, readable in `docker ps`."""
        return f"{self.labels.instance}-{self.session_id}-{self.token}-{part}"

    def create_gateway(self, api: APIClient, pinned: Pinned, network: str) -> str:
        """The gateway's id; not started."""
        host = api.create_host_config(
            network_mode=network,
            cap_drop=["ALL"],
            # The only container with a capability, and no command ever runs in it.
            cap_add=["NET_ADMIN"],
            security_opt=["no-new-privileges:true"],
            read_only=True,
            pids_limit=32,
            # nft builds a whole ruleset in memory: a large one was killed for it at 32 MiB.
            mem_limit=128 * _MEBIBYTE,
            memswap_limit=128 * _MEBIBYTE,
            dns=[_DEAD_RESOLVER],
            # With the default options every failing look-up would take twenty seconds.
            dns_opt=["timeout:1", "attempts:1"],
            extra_hosts=[f"{name}:{address}" for name, address in _names(pinned)],
            # ping without any capability
            sysctls={"net.ipv4.ping_group_range": "0 65535"},
            # Nothing of a session is written to the disk of the engine's host.
            log_config=LogConfig(type="none"),
        )
        created = api.create_container(
            self.gateway_image,
            name=self.name("gateway"),
            labels=self.labels.of(self.session_id, Role.gateway),
            host_config=host,
        )
        return str(created["Id"])

    def create_volume(self, api: APIClient, part: str, size: int, options: str) -> str:
        """A volume in memory for the commands' user, limited in bytes and in files."""
        # A tmpfs volume and not a size limit of the root, which most storage drivers of Docker refuse.
        settings = f"size={size},nr_inodes={_INODES},uid=10001,gid=10001,nosuid,nodev,{options}"
        created = api.create_volume(
            self.name(part),
            driver="local",
            driver_opts={"type": "tmpfs", "device": "tmpfs", "o": settings},
            labels=self.labels.of(self.session_id, Role.volume),
        )
        return str(created["Name"])

    def create_sandbox(self, api: APIClient, gateway_id: str) -> str:
        """The sandbox's id; not started. It lives in the gateway's network namespace and cannot change it."""
        scratch = self.create_volume(api, "scratch", self.limits.scratch, "mode=0750")
        spool = self.create_volume(api, "spool", self.limits.spool, "mode=0755,noexec")
        host = api.create_host_config(
            # No restart policy: a sandbox that comes back by itself could join a namespace without rules.
            network_mode=f"container:{gateway_id}",
            # NET_RAW above all: a raw packet socket sends past the output rules of the gateway.
            cap_drop=["ALL"],
            security_opt=["no-new-privileges:true"],
            read_only=True,
            ipc_mode="private",
            # Without it nobody reaps what a killed command leaves behind, and its dead count as processes.
            init=True,
            pids_limit=self.limits.processes,
            mem_limit=self.limits.memory,
            # Equal to the memory means: no swap, which would let a command take the host's.
            memswap_limit=self.limits.memory,
            nano_cpus=int(self.limits.cores * 1e9),
            shm_size=16 * _MEBIBYTE,
            # A core file would hold whatever secrets the dead tool had in memory.
            ulimits=[Ulimit(name="core", soft=0, hard=0), Ulimit(name="nofile", soft=4096, hard=4096)],
            tmpfs={
                "/tmp": f"rw,nosuid,nodev,exec,size=64m,nr_inodes={_INODES},mode=1777",  # noqa: S108
                "/home/agent": f"rw,nosuid,nodev,size=16m,nr_inodes={_INODES},uid=10001,gid=10001,mode=700",
            },
            binds={scratch: {"bind": "/scratch", "mode": "rw"}, spool: {"bind": "/spool", "mode": "rw"}},
            log_config=LogConfig(type="none"),
        )
        created = api.create_container(
            self.sandbox_image,
            command=["sleep", "infinity"],
            name=self.name("sandbox"),
            # The kill that ends a command reaches every process of its user, so the first one has another.
            user=_PID_ONE,
            working_dir="/scratch",
            environment={"HOME": "/home/agent", "TERM": "dumb"},
            labels=self.labels.of(self.session_id, Role.sandbox),
            host_config=host,
        )
        return str(created["Id"])


def _names(pinned: Pinned) -> list[tuple[str, str]]:
    pairs = [(pin.host, str(address_of(address))) for pin in pinned.pins for address in pin.addresses]
    return [(host, address) for host, address in pairs if host != address]
