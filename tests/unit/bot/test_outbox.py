"""Each event once in its thread, whatever Slack answers and whenever the process dies."""

from __future__ import annotations

import asyncio

import pytest

from bot.blocks.ids import Action
from bot.memory_slack import MemorySlack
from bot.pacing import Pacing
from bot.patience import Patience, Timing
from bot.publisher import Publisher
from bot.slack import SlackRefused, SlackUnreachable
from bot.store.migrate import migrate_bot
from bot.store.posts import Post, Posts
from bot.troubles import PARKED, UNREACHABLE
from engine.agent.scripted import Step
from engine.errors import StoreError
from engine.lifecycle import Input, State
from engine.sandbox.scripted import Answer as Does
from tests.unit.bot.blocks.samples import buttons, words
from tests.unit.bot.test_publisher import _quick, at_once, bench, failing, order, publisher_of
from tests.unit.engine.retest.desk import Desk, desk, determine, propose, say

__all__ = ["_quick"]

EVERYTHING: tuple[Step, ...] = (propose("seq"), determine("still_open"))


@pytest.mark.parametrize("nth", range(1, 8))
async def test_a_lost_answer_to_any_post_doubles_nothing(nth: int) -> None:
    """The n-th message is taken, and nobody hears of it: sandbox, card, recommendation, verdict …"""
    async with bench(*EVERYTHING) as b:
        b.desk.answers["seq"] = Does(stdout=b"x" * 9000)
        taken = 0
        answer = b.slack._answer

        def lose(method: str) -> None:
            nonlocal taken
            taken += method == "post"
            if method == "post" and taken == nth:
                raise SlackUnreachable
            answer(method)

        b.slack._answer = lose  # type: ignore[method-assign]
        await b.desk.message("go")
        await b.desk.approve()
        await b.until_reply("I recommend: still open")
        await b.desk.ask(Input.conclude, status="still_open", text="Seen.")
        await b.until(lambda: "concluded: still open" in words(b.root.message))
        await b.settled()

        slots = [
            posted.metadata["event_payload"]["slot"]
            for posted in b.slack.messages.values()
            if posted.metadata
        ]
        assert len(slots) == len(set(slots))
        assert order(b.replies, "Sandbox ready", "C-1 ran", "I recommend", "Verdict: still open")
        assert len(b.slack.files) == 1


async def test_a_lost_answer_to_an_upload_doubles_nothing() -> None:
    async with bench(propose("seq"), say("Done.")) as b:
        b.desk.answers["seq"] = Does(stdout=b"x" * 9000)
        b.slack.lost["upload"] = failing(SlackUnreachable())
        await b.desk.message("go")
        await b.desk.approve()
        await b.until_reply("Done.")

        assert [file.name for file in b.slack.files] == ["C-1-stdout.txt"]


@pytest.mark.parametrize("slot", ["root", "event:", "command:", "file:"])
async def test_a_death_between_post_and_remembering_doubles_nothing(
    slot: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    remember = Posts.remember

    async def forgetful(posts: Posts, session_id: int, post: Post) -> None:
        if post.slot.startswith(slot):
            raise StoreError("The process is as good as dead.")
        await remember(posts, session_id, post)

    async with desk([propose("seq"), say("Done.")]) as made:
        await migrate_bot(made.db)
        made.answers["seq"] = Does(stdout=b"x" * 9000)
        slack = MemorySlack()
        # Once is enough: what dies does not try again.
        timing = Timing(patience=Patience(first=600.0, longest=600.0))
        first = Publisher(made.retests, slack, made.db, pacing=Pacing(sleep=at_once), timing=timing)
        await first.start()
        if slot != "root":
            await first.place(made.session_id, "T1", "C1")
        monkeypatch.setattr(Posts, "remember", forgetful)
        if slot == "root":
            with pytest.raises(StoreError):
                await first.place(made.session_id, "T1", "C1")
        await made.message("go")
        await made.approve()
        await made.until_state(State.awaiting_operator)
        await first.close()
        monkeypatch.undo()

        second = publisher_of(made, slack)
        await second.start()
        await _until_shown(made, second)
        await second.close()

        texts = [words(posted.message) for posted in slack.messages.values()]
        for part in ("SQL injection in search", "Sandbox ready", "C-1 ran", "Done."):
            assert len([text for text in texts if part in text]) == 1, part
        assert len(slack.files) == 1


async def test_what_is_in_doubt_and_not_there_is_posted() -> None:
    async with bench(say("First."), say("Second.")) as b:
        await b.desk.message("go")
        await b.until_reply("First.")
        b.slack.failures["post"] = failing(SlackUnreachable(), SlackUnreachable())
        await b.desk.message("on")
        await b.until_reply("Second.")

        assert b.slack.calls.count("ours") == 2


async def test_nothing_is_looked_up_without_a_doubt() -> None:
    async with bench(*EVERYTHING) as b:
        await b.desk.message("go")
        await b.desk.approve()
        await b.until_reply("I recommend")

        assert "ours" not in b.slack.calls


async def test_the_session_goes_on_without_slack_and_the_thread_catches_up_in_order() -> None:
    async with bench(say("One."), say("Two."), say("Three.")) as b:
        b.slack.away = SlackUnreachable()
        for number in range(1, 4):
            await b.desk.message("go")
            await b.desk.until_event("agent_said", number)
        assert b.replies == []

        b.slack.away = None
        await b.until_reply("Three.")
        assert order(b.replies, "Sandbox ready", "One.", "Two.", "Three.")
        assert len(b.replies) == 4


async def test_an_hour_without_slack_costs_few_tries_and_spreads_them() -> None:
    """With half of chance each wait is three quarters of its length."""
    waits: list[float] = []
    gone_for = 0.0
    up = asyncio.Event()
    slack = MemorySlack()

    async def sleep(seconds: float) -> None:
        nonlocal gone_for
        await asyncio.sleep(0)
        if slack.away is not None:
            waits.append(seconds)
            gone_for += seconds
            if gone_for >= 3600:
                slack.away = None
                up.set()

    async with desk([say("One.")]) as made:
        await migrate_bot(made.db)
        timing = Timing(sleep=sleep, chance=lambda: 0.5, patience=Patience())
        publisher = Publisher(made.retests, slack, made.db, pacing=Pacing(sleep=sleep), timing=timing)
        await publisher.start()
        await publisher.place(made.session_id, "T1", "C1")
        slack.away = SlackUnreachable()
        await made.message("go")
        await up.wait()
        await made.until_event("agent_said", 1)
        await _until_shown(made, publisher)
        await publisher.close()

    tries = [wait for wait in waits if wait >= 0.75]
    assert tries[:7] == [0.75, 1.5, 3.0, 6.0, 12.0, 24.0, 45.0]
    assert len(tries) < 100


@pytest.mark.parametrize("code", sorted(PARKED))
async def test_what_only_a_person_can_mend_parks_the_thread_and_is_told(code: str) -> None:
    async with bench(say("One.")) as b:
        b.slack.away = SlackRefused(code)
        await b.desk.message("go")
        await b.desk.until_event("agent_said", 1)
        posts = b.publisher._posts
        async with asyncio.timeout(8):
            while not (told := await posts.troubles()):
                pass
        assert [(trouble.session_id, trouble.code) for trouble in told] == [(1, code)]

        b.slack.away = None
        await b.reborn()
        await b.until_reply("One.")
        async with asyncio.timeout(8):
            while await posts.troubles():
                pass


async def test_a_lost_call_now_and_then_is_no_trouble() -> None:
    async with bench(say("One.")) as b:
        b.slack.failures["post"] = failing(SlackUnreachable())
        await b.desk.message("go")
        await b.until_reply("One.")
        await b.settled()
        assert UNREACHABLE not in b.publisher._troubles.values()


@pytest.mark.parametrize("noticed", ["by a reply that strays", "by an edit"])
async def test_a_deleted_root_moves_the_session_under_a_new_one(noticed: str) -> None:
    async with bench(propose("id"), say("Done.")) as b:
        b.desk.answers["id"] = Does(hang=True)
        await b.desk.message("go")
        await b.until_reply("C-1 waits")
        await b.until(lambda: "waiting for a decision" in words(b.root.message))
        assert b.place.thread_ts is not None
        old = b.place.thread_ts
        await b.slack.delete(channel="C1", ts=old)
        await b.desk.ask(Input.stop if noticed == "by an edit" else Input.auto_on)
        await b.until(lambda: any("goes on here" in words(p.message) for p in b.slack.messages.values()))
        async with asyncio.timeout(8):
            while (place := await b.publisher.place_of(1)) is None or place.thread_ts == old:
                pass
        b.place = place
        card = await b.until_reply("C-1")

        assert "SQL injection in search" in words(b.root.message)
        assert await b.publisher.session_at("T1", "C1", str(place.thread_ts)) == 1
        strays = [p for p in b.slack.messages.values() if p.thread_ts is None]
        assert len(strays) == 1
        if noticed == "by an edit":
            assert Action.reject not in buttons(card.message)


@pytest.mark.parametrize("code", ["edit_window_closed", "cant_update_message", "block_mismatch"])
async def test_a_root_that_cannot_be_edited_has_a_twin_in_the_thread(code: str) -> None:
    async with bench(say("Done.")) as b:
        b.slack.failures["update"] = failing(SlackRefused(code))
        await b.desk.message("go")
        await b.until_reply("SQL injection in search")
        await b.until_reply("Done.")

        assert len([p for p in b.slack.messages.values() if p.thread_ts is None]) == 1


async def test_the_time_of_a_decision_survives_a_restart() -> None:
    async with bench(propose("slow"), say("Done.")) as b:
        b.desk.answers["slow"] = Does(hang=True)
        await b.desk.message("go")
        await b.desk.approve()
        card = await b.until_reply("C-1 is running")
        await b.settled()
        await b.reborn()
        thread = b.publisher._thread(b.place)
        b.desk.sandboxes.release(1)
        await b.until_reply("Done.")

        decided = next(
            each for each in await b.desk.retests.events(1) if each.event.kind == "command_approved"
        )
        assert thread._decided == {1: decided.at}
        assert "C-1 ran" in words(card.message)


async def test_a_card_is_only_said_to_be_shown_once_it_is() -> None:
    async with bench(propose("id")) as b:
        b.slack.away = SlackUnreachable()
        await b.desk.message("go")
        await b.desk.until_state(State.awaiting_command)
        assert not await b.publisher.shows(1, 1)
        b.slack.away = None
        await b.until_reply("C-1 waits")
        await b.settled()
        assert await b.publisher.shows(1, 1)


async def _until_shown(made: Desk, publisher: Publisher) -> None:
    session = await made.session()
    async with asyncio.timeout(8):
        while (await publisher._posts.cursor(session.id)).event < session.events:
            pass
