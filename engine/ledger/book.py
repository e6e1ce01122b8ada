"""One transaction of one session: what is read for it, what it changes, what it will say happened."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Unpack

from sqlalchemy.ext.asyncio import AsyncSession

from engine.agent.port import Proposed
from engine.approval import digest_of
from engine.events import AGENT, AnyEvent, CommandProposed, StateChanged
from engine.lifecycle import Activity, Effect, Input, Situation
from engine.reports import TurnDone
from engine.sandbox.port import Handle
from engine.store import commands, events, sessions
from engine.views import Ask, CommandState, CommandView, SessionView

WAITING = frozenset({CommandState.proposed, CommandState.held})


@dataclass(kw_only=True)
class Ledger:
    """The steps of a move read what they are about from here and leave changes and events in it."""

    tx: AsyncSession
    view: SessionView
    """As it was before."""
    handle: Handle | None
    """The sandbox as it was before."""
    notices: tuple[str, ...]
    """What the agent is to be told with its next turn."""
    at: datetime
    actor: str
    effects: tuple[Effect, ...] = ()
    ask: Ask | None = None
    turn: TurnDone | None = None
    command: CommandView | None = None
    """The proposal that this is about."""
    proof: tuple[CommandView, ...] = ()
    """The session's commands, oldest first."""
    replay: frozenset[str] = frozenset()
    """The commands of the finding's original proof."""
    control: frozenset[str] = frozenset()
    """The finding's own commands that show the target alive."""
    changes: sessions.Change = field(default_factory=sessions.Change)
    """Columns of the session to store."""
    pending: list[tuple[str, AnyEvent]] = field(default_factory=list)
    queued: frozenset[int] = frozenset()
    """The messages that wait for the agent; only read for what is about one."""
    fresh: SessionView | None = None
    message_id: int | None = None

    @property
    def asked(self) -> Ask:
        """What a person asked; only rows for people's inputs have steps that read it."""
        if self.ask is None:
            raise RuntimeError("this step belongs to something a person asks")
        return self.ask

    @property
    def finished(self) -> TurnDone:
        """The turn that ended; only its rows have steps that read it."""
        if self.turn is None:
            raise RuntimeError("this step belongs to the end of a turn")
        return self.turn

    @property
    def dying(self) -> tuple[int, ...]:
        """The commands to end: the one that Kill names, else what runs, else what is about to."""
        running = tuple(command.id for command in self.view.running)
        if self.ask is None or self.ask.given is not Input.kill:
            return running
        if self.ask.command_id is not None:
            return (self.ask.command_id,)
        return running or tuple(one.id for one in self.proof if one.state is CommandState.approved)

    def note(self, event: AnyEvent, actor: str | None = None) -> None:
        """Append an event when the move is written."""
        self.pending.append((actor or self.actor, event))

    def tell_agent(self, notice: str) -> None:
        """Have the agent told at its next turn, each thing once."""
        self.notices = (*(one for one in self.notices if one != notice), notice)
        self.changes["notices"] = self.notices

    async def propose(self, proposed: Proposed) -> None:
        """Give a proposal of the agent its row; the steps that follow say what becomes of it."""
        digest = digest_of(proposed.command, proposed.timeout_seconds, self.view.scope)
        self.command = await commands.insert(
            self.tx,
            session_id=self.view.id,
            origin="agent",
            text=proposed.command,
            rationale=proposed.rationale,
            said=proposed.said,
            timeout_seconds=proposed.timeout_seconds,
            digest=digest,
            state=CommandState.proposed,
            tool_call_id=proposed.tool_call_id,
            at=self.at,
        )
        if Effect.post_advice not in self.effects:
            event = CommandProposed(
                command_id=self.command.id,
                command=proposed.command,
                rationale=proposed.rationale,
                timeout_seconds=proposed.timeout_seconds,
                digest=digest,
                said=proposed.said,
            )
            self.note(event, AGENT)

    async def move_command(
        self, expected: frozenset[CommandState], to: CommandState, **changes: Unpack[commands.Change]
    ) -> CommandView:
        """Change the proposal's row, which was read in this very transaction."""
        if self.command is None:
            raise RuntimeError("this step is about a proposal, and there is none")
        moved = await commands.move(self.tx, self.command.id, expected, to, **changes)
        if moved is None:
            raise RuntimeError(f"C-{self.command.id} is not {' or '.join(sorted(expected))}")
        self.command = moved
        return moved

    async def settle(self, after: Situation) -> SessionView:
        """Store the situation and everything noted, under one revision check.

        Raises:
            RevisionConflict: The session changed since it was read.
        """
        if after.state is not self.view.state:
            self.note(StateChanged(before=self.view.state, after=after.state))
        if after.activity is Activity.nothing:
            self.changes["working_since"] = None
        elif self.view.situation.activity is Activity.nothing:
            self.changes["working_since"] = self.at
        view = await sessions.change(self.tx, self.view, situation=after, **self.changes)
        told = await events.append_all(self.tx, view.id, self.pending, self.at)
        return replace(view, events=view.events + len(told))


Step = Callable[[Ledger], Awaitable[None]]
