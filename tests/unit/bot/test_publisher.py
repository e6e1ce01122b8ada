"""The publisher behind the real engine, in front of a Slack in memory."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass

import pytest

from bot.blocks.ids import Action
from bot.memory_slack import MemorySlack, Posted
from bot.pacing import Pacing
from bot.patience import Patience, Timing
from bot.publisher import Publisher
from bot.slack import SlackBusy, SlackError, SlackRefused, SlackUnreachable
from bot.store.migrate import migrate_bot
from bot.store.places import Place
from engine.agent.scripted import Step
from engine.errors import SandboxError
from engine.lifecycle import Input, State
from engine.sandbox.port import Denied
from engine.sandbox.scripted import Answer as Does
from tests.unit.bot.blocks.samples import HOSTILE, assert_inert, buttons, words
from tests.unit.engine.retest.desk import Desk, desk, determine, propose, say


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Waits of seconds, in a tenth of the time."""
    monkeypatch.setattr("bot.thread.EDITS_APART", 0.2)
    monkeypatch.setattr("bot.thread.TICK", 0.05)
    monkeypatch.setattr("bot.publisher.PAUSE", 0.01)


async def at_once(_seconds: float) -> None:
    await asyncio.sleep(0)


@dataclass
class Bench:
    desk: Desk
    slack: MemorySlack
    publisher: Publisher
    place: Place

    @property
    def replies(self) -> list[str]:
        """What a person reads in the thread, root left out."""
        assert self.place.thread_ts is not None
        return [words(posted.message) for posted in self.slack.thread(self.place.thread_ts)]

    @property
    def root(self) -> Posted:
        assert self.place.thread_ts is not None
        return self.slack.messages[self.place.thread_ts]

    def reply(self, containing: str) -> Posted | None:
        assert self.place.thread_ts is not None
        found = (p for p in self.slack.thread(self.place.thread_ts) if containing in words(p.message))
        return next(found, None)

    async def until(self, holds: Callable[[], bool]) -> None:
        """Wait for Slack to show something; asked again after every call of it."""
        async with asyncio.timeout(8):
            while True:
                self.slack.changed.clear()
                if holds():
                    return
                await self.slack.changed.wait()

    async def until_reply(self, containing: str) -> Posted:
        await self.until(lambda: self.reply(containing) is not None)
        found = self.reply(containing)
        assert found is not None
        return found

    async def settled(self) -> None:
        """Wait until every event is shown."""
        session = await self.desk.session()
        posts = self.publisher._posts
        async with asyncio.timeout(8):
            while (await posts.cursor(session.id)).event < session.events:
                pass

    async def reborn(self) -> None:
        await self.publisher.close()
        self.publisher = publisher_of(self.desk, self.slack)
        await self.publisher.start()


def publisher_of(made: Desk, slack: MemorySlack) -> Publisher:
    timing = Timing(patience=Patience(first=0.05))
    return Publisher(made.retests, slack, made.db, pacing=Pacing(sleep=at_once), timing=timing)


@asynccontextmanager
async def bench(*script: Step) -> AsyncIterator[Bench]:
    async with desk(script) as made:
        await migrate_bot(made.db)
        slack = MemorySlack()
        publisher = publisher_of(made, slack)
        await publisher.start()
        place = await publisher.place(made.session_id, "T1", "C1")
        running = Bench(made, slack, publisher, place)
        try:
            yield running
        finally:
            await running.publisher.close()


def failing(*errors: SlackError) -> deque[SlackError]:
    return deque(errors)


def order(replies: Iterable[str], *parts: str) -> bool:
    """Whether the parts stand in replies of their own, in this order."""
    left = iter(replies)
    return all(any(part in reply for reply in left) for part in parts)


async def test_a_placed_session_has_its_root_card_before_anything_happens() -> None:
    async with bench() as b:
        assert "F-1  SQL injection in search" in words(b.root.message)
        assert b.root.thread_ts is None
        assert await b.publisher.place_of(1) == b.place
        assert b.place.thread_ts is not None
        assert await b.publisher.session_at("T1", "C1", b.place.thread_ts) == 1


async def test_a_guided_command_shows_on_one_card_from_proposal_to_result() -> None:
    async with bench(propose("id"), say("Root, so it is *open*.")) as b:
        await b.desk.message("go")
        card = await b.until_reply("C-1 waits for your decision")
        assert Action.approve in buttons(card.message)

        await b.desk.approve()
        await b.until_reply("Root, so it is open.")

        assert "C-1 ran · exit 0" in words(card.message)
        assert "Approved by ALICE" not in words(card.message)
        assert "ok" in words(card.message)
        assert Action.approve not in buttons(card.message)
        assert order(b.replies, "Sandbox ready", "C-1 ran", "Root, so it is open.")
        assert len(b.replies) == 3


async def test_the_root_follows_the_state() -> None:
    async with bench(say("Your turn.")) as b:
        assert "not started" in words(b.root.message)
        await b.desk.message("go")
        await b.until(lambda: "your turn" in words(b.root.message))


async def test_long_output_is_whole_in_a_file_and_cut_on_the_card() -> None:
    data = b"".join(b"line %06d\n" % number for number in range(250_000))
    async with bench(propose("seq"), say("Long.")) as b:
        b.desk.answers["seq"] = Does(stdout=data)
        await b.desk.message("go")
        await b.desk.approve()
        await b.until_reply("Long.")

        assert [(file.name, file.content) for file in b.slack.files] == [("C-1-stdout.txt", data)]
        card = b.reply("C-1 ran")
        assert card is not None
        assert "line 000000" in words(card.message)
        assert "line 249999" in words(card.message)


async def test_a_running_command_shows_what_it_has_written_and_loses_it_at_the_end() -> None:
    async with bench(propose("slow"), say("Done.")) as b:
        b.desk.answers["slow"] = Does(stdout=b"so far so good", hang=True)
        await b.desk.message("go")
        await b.desk.approve()
        card = await b.until_reply("C-1 is running")
        await b.until(lambda: "so far so good" in words(card.message))
        assert Action.kill in buttons(card.message)

        b.desk.sandboxes.release(1)
        await b.until_reply("Done.")
        assert "C-1 ran" in words(card.message)
        assert Action.kill not in buttons(card.message)


async def test_a_status_shows_what_is_in_flight_and_is_cleared() -> None:
    async with bench(say("Done.")) as b:
        b.desk.agent.hang()
        await b.desk.message("go")
        await b.until(lambda: any("is thinking" in status for status in b.slack.statuses))
        b.desk.agent.release()
        await b.until_reply("Done.")
        await b.until(lambda: "your turn" in words(b.root.message))

        assert not any(b.slack.status.values())


async def test_a_workspace_without_statuses_is_asked_once() -> None:
    async with bench(say("One."), say("Two.")) as b:
        refusals = b.slack.failures["set_status"] = failing(*[SlackRefused("unknown_method")] * 9)
        for said in ("One.", "Two."):
            b.desk.agent.hang()
            await b.desk.message("go")
            await b.until(lambda: "the agent is thinking" in words(b.root.message))
            b.desk.agent.release()
            await b.until_reply(said)

        assert len(refusals) == 8


async def test_a_restart_posts_nothing_twice_and_misses_nothing() -> None:
    async with bench(propose("id"), say("Done.")) as b:
        await b.desk.message("go")
        await b.until_reply("C-1 waits")
        before = list(b.slack.messages)
        await b.publisher.close()

        await b.desk.approve()
        await b.desk.until_state(State.awaiting_operator)
        await b.reborn()
        await b.until_reply("Done.")
        await b.settled()

        assert list(b.slack.messages)[: len(before)] == before
        assert len(b.slack.messages) == len(before) + 1
        assert b.reply("C-1 ran") is not None


async def test_a_restart_in_the_middle_of_a_post_goes_on_with_that_event() -> None:
    async with bench(say("First."), say("Second.")) as b:
        await b.desk.message("go")
        await b.until_reply("First.")
        await b.publisher.close()
        await b.desk.message("on")
        await b.desk.until_event("agent_said", 2)
        b.slack.failures["post"] = failing(SlackUnreachable())
        await b.reborn()
        await b.until_reply("Second.")

        assert order(b.replies, "First.", "Second.")
        assert len([reply for reply in b.replies if "Second." in reply]) == 1


async def test_a_429_delays_and_keeps_the_order() -> None:
    async with bench(propose("id"), say("Done.")) as b:
        b.slack.failures["post"] = failing(SlackBusy(0.01), SlackBusy(0.01))
        b.slack.failures["update"] = failing(SlackBusy(0.01))
        await b.desk.message("go")
        await b.desk.approve()
        await b.until_reply("Done.")

        assert order(b.replies, "Sandbox ready", "C-1", "Done.")
        assert len(b.replies) == 3


@pytest.mark.parametrize("code", ["message_not_found", "block_mismatch", "edit_window_closed"])
async def test_a_card_that_cannot_be_edited_is_posted_anew(code: str) -> None:
    async with bench(propose("id"), say("Done.")) as b:
        await b.desk.message("go")
        await b.until_reply("C-1 waits")
        await b.until(lambda: "waiting for a decision" in words(b.root.message))
        b.slack.failures["update"] = failing(SlackRefused(code))
        await b.desk.approve()
        await b.until_reply("Done.")

        cards = [reply for reply in b.replies if reply.startswith("🟡 C-1") or "C-1 ran" in reply]
        assert len(cards) == 2


@pytest.mark.parametrize("code", ["invalid_blocks", "msg_too_long", "msg_blocks_too_long"])
async def test_what_slack_does_not_take_is_shown_smaller(code: str) -> None:
    async with bench(say("First."), propose("id")) as b:
        await b.desk.message("go")
        await b.until_reply("First.")
        b.slack.failures["post"] = failing(SlackRefused(code))
        await b.desk.message("on")
        card = await b.until_reply("C-1 waits for your decision")

        assert len([block for block in card.message.blocks if block["type"] == "rich_text"]) == 1
        assert Action.approve in buttons(card.message)
        await b.settled()


async def test_what_slack_takes_in_no_way_is_said_and_in_a_file_and_stops_nothing() -> None:
    async with bench(say("First."), say("Second.")) as b:
        await b.desk.message("go")
        await b.until_reply("First.")
        b.slack.failures["post"] = failing(*[SlackRefused("invalid_blocks")] * 2)
        await b.desk.message("on")
        await b.until_reply("Slack could not show event")
        await b.settled()

        assert [file.content for file in b.slack.files] == [b"Second."]


async def test_an_event_that_cannot_be_drawn_is_said_and_stops_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with bench(say("First."), say("Second.")) as b:
        await b.desk.message("go")
        await b.until_reply("First.")

        def broken(_text: str) -> bool:
            raise ValueError

        with monkeypatch.context() as patched:
            patched.setattr("bot.blocks.said.too_long", broken)
            await b.desk.message("on")
            await b.until_reply("Slack could not show event")
        await b.settled()


async def test_a_file_that_slack_refuses_is_missed_aloud() -> None:
    async with bench(propose("seq"), say("Done.")) as b:
        b.desk.answers["seq"] = Does(stdout=b"x" * 9000)
        b.slack.failures["upload"] = failing(SlackRefused("missing_scope"))
        await b.desk.message("go")
        await b.desk.approve()
        await b.until_reply("Done.")

        assert b.reply("Slack did not take the file C-1-stdout.txt (missing_scope)") is not None


async def test_a_channel_that_refuses_is_told_to_whoever_placed_the_session() -> None:
    async with desk([]) as made:
        await migrate_bot(made.db)
        slack = MemorySlack(failures={"post": failing(SlackRefused("not_in_channel"))})
        publisher = publisher_of(made, slack)
        with pytest.raises(SlackRefused):
            await publisher.place(made.session_id, "T1", "C1")

        placed = await publisher.place(made.session_id, "T1", "C1")
        assert placed.thread_ts is not None
        assert len(slack.messages) == 1
        await publisher.close()


async def test_two_placings_at_once_post_one_root() -> None:
    async with desk([]) as made:
        await migrate_bot(made.db)
        slack = MemorySlack()
        publisher = publisher_of(made, slack)
        await publisher.start()
        places = await asyncio.gather(*(publisher.place(made.session_id, "T1", "C1") for _ in range(3)))

        assert len({place.thread_ts for place in places}) == 1
        assert len(slack.messages) == 1
        await publisher.close()


async def test_a_verdict_is_in_the_thread_and_in_the_channel_and_reopen_takes_the_line_back() -> None:
    async with bench(determine("still_open")) as b:
        await b.desk.message("go")
        card = await b.until_reply("I recommend: still open")
        assert Action.conclude_as in buttons(card.message)

        await b.desk.ask(Input.conclude, status="still_open", text="It is open.")
        await b.until(lambda: "concluded: still open" in words(b.root.message))
        await b.settled()
        assert Action.conclude_as not in buttons(card.message)
        assert b.reply("Verdict: still open") is not None
        line = next(p for p in b.slack.messages.values() if "F-1 is still open" in words(p.message))
        assert line.thread_ts is None
        assert Action.reopen in buttons(b.root.message)

        await b.desk.ask(Input.reopen)
        await b.until(lambda: "is being retested again" in words(line.message))


async def test_a_restart_opens_a_thread_of_its_own_linked_both_ways() -> None:
    async with bench() as b:
        answer = await b.desk.ask(Input.restart)
        assert answer.fresh is not None
        await b.until(lambda: "Restarted as <" in words(b.root.message))

        fresh = await b.publisher.place_of(answer.fresh.id)
        assert fresh is not None
        assert fresh.channel == "C1"
        assert fresh.thread_ts is not None
        assert "Restarted from <" in words(b.slack.messages[fresh.thread_ts].message)
        assert b.reply("Restarted by") is not None


async def test_auto_run_is_announced_and_stays_on_the_card() -> None:
    async with bench() as b:
        await b.desk.ask(Input.auto_on)
        await b.until_reply("AUTO-RUN IS ON")
        await b.until(lambda: "AUTO-RUN IS ON" in words(b.root.message))
        await b.desk.ask(Input.auto_off)
        await b.until_reply("Auto-run is off")


async def test_a_sandbox_that_fails_is_told_and_is_no_evidence() -> None:
    async with bench() as b:
        b.desk.sandboxes.fail_create = SandboxError("The engine is away; start it.")
        await b.desk.message("go")
        failed = await b.until_reply("The sandbox failed.")

        assert "The engine is away; start it." in words(failed.message)
        assert "it is not evidence" in words(failed.message)


async def test_hostile_commands_and_output_reach_nobody() -> None:
    async with bench(propose("curl"), say(HOSTILE)) as b:
        b.desk.answers["curl"] = Does(
            stdout=HOSTILE.encode(),
            stderr=HOSTILE.encode(),
            denied=(Denied(address="203.0.113.20", port=80, protocol="tcp", packets=1),),
        )
        await b.desk.message("go")
        await b.desk.approve()
        await b.desk.until_state(State.awaiting_operator)
        await b.settled()

        assert b.reply("203.0.113.20:80/tcp") is not None
        for posted in b.slack.messages.values():
            assert_inert(posted.message)


async def test_a_session_that_does_not_live_in_slack_is_left_alone() -> None:
    async with bench(say("Done.")) as b:
        posted = len(b.slack.messages)
        await b.desk.open()
        await b.desk.message("go")
        await b.desk.until_state(State.awaiting_operator)

        assert await b.publisher.place_of(b.desk.session_id) is None
        assert len(b.slack.messages) == posted


async def test_posts_say_which_event_they_show() -> None:
    async with bench(say("Done.")) as b:
        await b.desk.message("go")
        posted = await b.until_reply("Done.")

        assert posted.metadata is not None
        payload = posted.metadata["event_payload"]
        recorded = await b.desk.retests.events(b.desk.session_id, after=payload["event"] - 1, limit=1)
        assert recorded[0].event.kind == "agent_said"
        assert payload["slot"] == f"event:{payload['event']}"
