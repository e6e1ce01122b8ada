"""Requests, results and findings for the agent's tests."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from engine.agent.models import RecordedSource
from engine.agent.patience import Patience
from engine.agent.port import (
    Mode,
    NotRun,
    OutputPiece,
    Proposed,
    Ran,
    TurnReply,
    TurnRequest,
)
from engine.agent.pydantic_agent import PydanticAgent
from engine.agent.scripted_model import Reply, ScriptedModel
from engine.errors import NotFound
from engine.findings.model import Finding, Matcher, RecordedStep

OK = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
HOME = "curl -sS -i http://shop.example.com/"
PROOF = "curl -sS -i 'http://shop.example.com/guide?file=../../etc/passwd'"
SHOWS_PASSWD = Matcher(type="regex", part="body", values=("root:[^:]*:0:0:",))
STATUS_200 = Matcher(type="status", values=("200",))
ALIVE = RecordedStep(
    command=HOME, matchers=(Matcher(type="word", part="body", values=("Orchard",)),), condition="and"
)
TRAVERSAL = RecordedStep(command=PROOF, matchers=(STATUS_200, SHOWS_PASSWD), condition="and")


def finding(**changes: Any) -> Finding:
    values: dict[str, Any] = {
        "format": "manual",
        "ref": "T-1",
        "title": "Path traversal",
        "replay": (TRAVERSAL,),
        "control": (ALIVE,),
    }
    return Finding(**(values | changes))


def request(**changes: Any) -> TurnRequest:
    values: dict[str, Any] = {
        "session_id": 7,
        "finding": finding(),
        "goal": ("See whether it is still there.",),
        "scope": ("shop.example.com:80",),
        "mode": Mode.guided,
        "history": b"[]",
        "answered": None,
    }
    return TurnRequest(**(values | changes))


def ran(proposed: Proposed, stdout: str = "", **changes: Any) -> Ran:
    values: dict[str, Any] = {
        "tool_call_id": proposed.tool_call_id,
        "command_id": 1,
        "command": proposed.command,
        "edited": False,
        "outcome": "exited",
        "exit_code": 0,
        "elapsed_seconds": 0.2,
        "stdout": stdout,
        "stderr": "",
        "stdout_bytes": len(stdout.encode()),
        "stderr_bytes": 0,
    }
    return Ran(**(values | changes))


async def no_output(session_id: int, command_id: int, offset: int) -> OutputPiece:
    raise NotFound(f"Session {session_id} has no command {command_id} (offset {offset}).")


async def at_once(_seconds: float) -> None:
    """Waits without waiting."""


IMPATIENT = Patience(sleep=at_once)


def scripted(*replies: Reply, **changes: Any) -> tuple[PydanticAgent, ScriptedModel]:
    source = ScriptedModel(replies, **changes)
    return PydanticAgent(source=source, read_output=no_output, patience=IMPATIENT), source


@dataclass
class Thread:
    """A session with recorded steps as an operator sees it; a fresh agent takes each turn from bytes."""

    finding: Finding
    outputs: Mapping[str, str | Mapping[str, Any]]
    """Per command: what it prints, or the whole result."""
    mode: Mode = Mode.guided
    kept: dict[int, bytes] = field(default_factory=dict)
    history: bytes = b"[]"
    commands: list[str] = field(default_factory=list)
    last: TurnReply | None = None

    async def turn(self, *messages: str, answered: Ran | NotRun | None = None, **changes: Any) -> TurnReply:
        agent = PydanticAgent(source=RecordedSource(), read_output=self._read)
        self.last = await agent.take_turn(
            request(
                finding=self.finding,
                mode=self.mode,
                history=self.history,
                answered=answered,
                messages=messages,
                **changes,
            )
        )
        self.history = self.last.history
        return self.last

    @property
    def proposed(self) -> Proposed:
        assert self.last is not None
        assert isinstance(self.last.output, Proposed), self.last.output
        return self.last.output

    async def approve(self, **changes: Any) -> TurnReply:
        """Run the proposal and give the model its result."""
        proposed = self.proposed
        self.commands.append(proposed.command)
        result = self.outputs[proposed.command]
        values = {"stdout": result} if isinstance(result, str) else result
        return await self.turn(answered=ran(proposed, command_id=len(self.commands), **{**values, **changes}))

    async def not_run(self, kind: str, *messages: str) -> TurnReply:
        answer = NotRun(tool_call_id=self.proposed.tool_call_id, reason="", kind=kind)  # type: ignore[arg-type]
        return await self.turn(*messages, answered=answer)

    async def run_all(self, *messages: str) -> TurnReply:
        """Start, and approve whatever is proposed until the agent hands back."""
        reply = await self.turn(*messages)
        while isinstance(reply.output, Proposed):
            reply = await self.approve()
        return reply

    async def _read(self, session_id: int, command_id: int, offset: int) -> OutputPiece:
        assert session_id == 7
        data = self.kept[command_id]
        piece = data[offset : offset + 4001]
        following = offset + len(piece)
        return OutputPiece(
            text=piece.decode(errors="replace"),
            next_offset=following if following < len(data) else None,
            total=len(data),
        )
