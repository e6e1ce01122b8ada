"""One async worker per session: everything that happens to it goes through here, one thing at a time.

What people ask and what tasks report queue in one mailbox; each is decided by `lifecycle` and written by
`ledger` in one transaction. What takes long runs as a task beside the mailbox, so that Stop, Kill and
Conclude are never kept waiting, and reports back into it. A report of something that was called off
meanwhile changes nothing.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

import structlog
from sqlalchemy.ext.asyncio import AsyncSession

from engine.answers import done
from engine.errors import StoreError
from engine.faults import reach
from engine.ledger import Ledger, write
from engine.lifecycle import LIVE, Activity, Effect, Input, Move, Refusal, State, decide
from engine.means import Means
from engine.reporting import instead_of, take_report
from engine.reports import (
    CommandEnd,
    CommandLost,
    GoalDrafted,
    LeftoversRemoved,
    Provisioned,
    ProvisionFailed,
    Report,
    SandboxGone,
    SandboxMissing,
    TurnDone,
    TurnLost,
)
from engine.requests import ABOUT_A_MESSAGE, meant, problem_with, start_operator_command, undecidable
from engine.sandbox.port import Handle
from engine.store import asked, commands, findings, messages, sessions
from engine.tasks import Tasks, Wanted
from engine.views import IN_FLIGHT, Answer, Ask, CommandState, SessionView

log = structlog.get_logger()

_ABOUT_A_COMMAND = frozenset(
    {
        Input.approve,
        Input.edit,
        Input.reject,
        Input.set_aside,
        Input.kill,
        Input.run_again,
        Input.mark_not_run,
    }
)
_ENDS = frozenset({Input.conclude, Input.end, Input.restart})
_NEEDS_PROOF = _ENDS | {Input.conclude_again, Input.kill}
_NAMES: Mapping[type[Report], str] = {
    Provisioned: "sandbox",
    ProvisionFailed: "failure of the sandbox",
    TurnDone: "turn",
    TurnLost: "failure of the turn",
    CommandEnd: "result",
    CommandLost: "loss",
    GoalDrafted: "goal",
    SandboxGone: "removal",
    SandboxMissing: "absence",
    LeftoversRemoved: "removal of leftovers",
}
"""What a report is called in the names of fault points."""
_TASKS_ONLY = frozenset({Input.kill, Input.goal_regenerate})
"""What leaves nothing behind but a task, so that it is done again when it is asked again."""
SHUTTING_DOWN = "Revalid is shutting down; try again in a moment."
TRIES = 5
"""How often a turn is written before it counts as lost; what cannot be had again is tried for ever."""
FIRST_PAUSE = 0.2
LONGEST_PAUSE = 10.0
"""Seconds before a report is written again to a database that did not answer."""


@dataclass(frozen=True, kw_only=True)
class _Letter:
    content: Ask | Report
    answer: asyncio.Future[Answer] | None = None
    wanted: Wanted = field(default_factory=Wanted)
    tries: int = 0


class Worker:
    """The mailbox of one session and its tasks. Keeps nothing that the database does not have."""

    def __init__(self, session_id: int, means: Means) -> None:
        self.session_id = session_id
        self._means = means
        self._tasks = Tasks(session_id, means, self._post)
        self._mailbox: deque[_Letter] = deque()
        self._drain: asyncio.Task[None] | None = None
        self._closed = False
        self._recovering = False

    @property
    def idle(self) -> bool:
        """Nothing waits and nothing is under way, so that a new worker would do as well."""
        drained = self._drain is None or self._drain.done()
        return drained and not self._recovering and not self._mailbox and self._tasks.idle

    async def ask(self, ask: Ask) -> Answer:
        """Have something done for a person; answers when it is done or refused.

        Raises:
            NotFound: There is no such session.
            StoreError: The database did not answer; nothing was changed.
        """
        answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._put(_Letter(content=ask, answer=answer))
        return await answer

    async def recover(self) -> None:
        """Go on with what a process before this one left in flight."""
        # Whoever took this worker for idle meanwhile would give the session a second one.
        self._recovering = True
        try:
            await self._recover()
        finally:
            self._recovering = False

    async def _recover(self) -> None:
        async with self._means.db.read() as tx:
            view = await sessions.load(tx, self.session_id)
            handle = (await sessions.details(tx, self.session_id)).handle
            states = IN_FLIGHT | {CommandState.approved}
            unfinished = await commands.in_states(tx, (self.session_id,), states)
        if view.situation.activity is Activity.provisioning:
            # The agent's waits for its sandbox and runs once that is there.
            unfinished = tuple(one for one in unfinished if one.origin == "operator" or one.started)
        # What runs already goes before what waits for it.
        for command in sorted(unfinished, key=lambda one: one.state not in IN_FLIGHT):
            self._tasks.run(command.id, again=command.state in IN_FLIGHT)
        if view.state is State.idle or view.state not in LIVE:
            if handle is not None:
                self._tasks.tear_down(handle, tuple(command.id for command in unfinished), known=True)
        elif view.situation.activity is Activity.provisioning:
            self._tasks.provision()
        elif view.situation.activity is Activity.turn:
            self._tasks.think()

    def check_sandbox(self, handle: Handle) -> None:
        """Have the session told when its sandbox is gone."""
        if not self._closed:
            self._tasks.check_sandbox(handle)

    def remove_leftovers(self) -> None:
        """Remove what is left of sandboxes of the session, if it does not need it."""
        if not self._closed:
            self._tasks.remove_leftovers()

    async def close(self) -> None:
        """Finish what is being written and call the tasks off; running commands go on by themselves."""
        self._closed = True
        if self._drain is not None:
            await self._drain
        await self._tasks.close()

    def _post(self, report: Report) -> None:
        self._put(_Letter(content=report, wanted=self._tasks.wanted))

    def _put(self, letter: _Letter) -> None:
        if self._closed:
            if letter.answer is not None:
                letter.answer.set_exception(StoreError(SHUTTING_DOWN))
            return
        self._mailbox.append(letter)
        if self._drain is None or self._drain.done():
            self._drain = asyncio.create_task(self._work())

    async def _work(self) -> None:
        while self._mailbox:
            letter = self._mailbox.popleft()
            if isinstance(letter.content, Ask):
                await self._answer(letter.content, letter.answer)
            elif not self._void(letter):
                await self._settle(letter, letter.content)

    def _void(self, letter: _Letter) -> bool:
        wanted = self._tasks.wanted
        if isinstance(letter.content, TurnDone | TurnLost):
            return letter.wanted.turn != wanted.turn
        if isinstance(letter.content, Provisioned | ProvisionFailed):
            return letter.wanted.build != wanted.build
        return False

    async def _answer(self, ask: Ask, answer: asyncio.Future[Answer] | None) -> None:
        try:
            result = await self._take(ask)
        except Exception as error:
            # Whatever it is belongs to the person who asked.
            if answer is not None and not answer.done():
                answer.set_exception(error)
            return
        if answer is not None and not answer.done():
            answer.set_result(result)

    async def _take(self, ask: Ask) -> Answer:
        key = "" if ask.given in _TASKS_ONLY else ask.key
        async with self._means.db.begin() as tx:
            if known := await asked.recall(tx, key):
                return await self._same_again(tx, known)
            book = await self._open(tx, actor=ask.by, ask=ask)
            before = book.view
            reason = undecidable(book)
            book.ask = ask = meant(book)
            move = decide(before.situation, ask.given)
            reason = reason or (move.reason if isinstance(move, Refusal) else problem_with(book))
            if reason or isinstance(move, Refusal):
                await asked.keep(tx, key, {"done": False, "sentence": reason or ""}, book.at)
                return Answer(done=False, sentence=reason or "", session=before)
            operators = await start_operator_command(book) if ask.given is Input.operator_command else None
            view = await write(book, move)
            sentence = done(before.situation, view.situation, ask.given)
            fresh = book.fresh.id if book.fresh else None
            kept: asked.Kept = {
                "done": True,
                "sentence": sentence,
                "fresh": fresh,
                "message": book.message_id,
            }
            await asked.keep(tx, key, kept, book.at)
            reach("input decided")
        reach("input stored")
        self._launch(book, move, view, operators)
        return Answer(
            done=True, sentence=sentence, session=view, fresh=book.fresh, message_id=book.message_id
        )

    async def _same_again(self, tx: AsyncSession, known: asked.Kept) -> Answer:
        fresh = known.get("fresh")
        return Answer(
            done=known["done"],
            sentence=known["sentence"],
            session=await sessions.load(tx, self.session_id),
            fresh=await sessions.load(tx, fresh) if fresh is not None else None,
            message_id=known.get("message"),
        )

    async def _settle(self, letter: _Letter, report: Report) -> None:
        """Write a report. Whatever goes wrong, another one follows, so that no session waits for ever."""
        try:
            async with self._means.db.begin() as tx:
                book = await self._open(tx, actor="system")
                book.turn = report if isinstance(report, TurnDone) else None
                move, view = await take_report(book, report)
                reach(f"{_NAMES[type(report)]} about to be stored")
        except StoreError as error:
            log.warning("report_not_stored", session=self.session_id, tries=letter.tries, error=str(error))
            self._tasks.spawn(self._put_later(replace(letter, tries=letter.tries + 1)))
        except Exception:
            log.exception("report_not_taken", session=self.session_id)
            self._put_instead(letter, report)
        else:
            reach(f"{_NAMES[type(report)]} stored")
            self._launch(book, move, view, None)

    async def _put_later(self, letter: _Letter) -> None:
        if isinstance(letter.content, TurnDone) and letter.tries == TRIES:
            self._put_instead(letter, letter.content)
            return
        await asyncio.sleep(min(FIRST_PAUSE * 2**letter.tries, LONGEST_PAUSE))
        self._put(letter)

    def _put_instead(self, letter: _Letter, report: Report) -> None:
        other = instead_of(report)
        if other is not None:
            self._put(replace(letter, content=other, tries=0))

    async def _open(self, tx: AsyncSession, *, actor: str, ask: Ask | None = None) -> Ledger:
        """Read what the input is about."""
        view, details = await sessions.read(tx, self.session_id)
        book = Ledger(
            tx=tx,
            view=view,
            handle=details.handle,
            notices=details.notices,
            at=datetime.now(UTC),
            actor=actor,
            ask=ask,
            command=view.waiting,
        )
        if ask is not None and ask.given in _ABOUT_A_COMMAND and ask.command_id is not None:
            book.command = await commands.load(tx, ask.command_id)
        if ask is not None and ask.given in ABOUT_A_MESSAGE:
            book.queued = frozenset(one.id for one in await messages.queued(tx, self.session_id))
        if ask is None or ask.given in _NEEDS_PROOF:
            book.proof = await commands.of_session(tx, self.session_id)
            finding = (await findings.load(tx, view.finding_id)).finding
            book.replay = frozenset(step.command for step in finding.replay)
            book.control = frozenset(step.command for step in finding.control)
        return book

    def _launch(self, book: Ledger, move: Move | None, view: SessionView, operators: int | None) -> None:
        """Start what the move asks for, now that it is stored."""
        effects = move.effects if move is not None else ()
        if Effect.cancel_turn in effects:
            self._tasks.stop_thinking()
        if Effect.provision in effects or Effect.run_turn in effects:
            if view.situation.activity is Activity.provisioning:
                self._tasks.provision()
            else:
                self._tasks.think()
        if Effect.execute in effects and book.command is not None:
            self._tasks.run(book.command.id)
        if operators is not None:
            self._tasks.run(operators)
        if Effect.draft_goal in effects and book.ask is not None:
            self._tasks.draft_goal(book.ask.by)
        if Effect.remove_sandbox in effects:
            building = book.view.situation.activity is Activity.provisioning
            known = building or book.handle is not None
            self._tasks.tear_down(book.handle, book.dying, known=known)
        elif Effect.kill_command in effects and book.handle is not None:
            self._tasks.kill(book.handle, book.dying)
        self._means.feed.touch(self.session_id)
        if book.fresh is not None:
            self._means.feed.touch(book.fresh.id)
