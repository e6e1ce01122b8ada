"""The three retests: guided to `still_open`, guided to `fixed`, and one under Auto-run."""

from __future__ import annotations

from bot.blocks.ids import Action, Callback, Field
from bot.blocks.opening import START_LATER, START_NOW
from bot.walkthrough.errors import NotAsExpected
from bot.walkthrough.stage import Stage, ticks
from bot.workspace.model import Json
from engine.events import AGENT
from engine.views import SessionView, Status

STILL_OPEN = "SQL injection in the fruit search of vulnerable.lab.example.com"
FIXED = "Path traversal in the growing guides of fixed.lab.example.com"
AUTO = "Example Orchard (vulnerable.lab.example.com) - Invoices of other customers by their number"


async def still_open(stage: Stage) -> SessionView:
    """Approve control and proof on the vulnerable host, and conclude with words in the channel."""
    root = await _open(stage, STILL_OPEN, start=True)
    await _approve(stage, root)
    await stage.reply(root, "I would try this next")
    await stage.say(root, "go on")
    await _approve(stage, root)
    await stage.reply(root, "I recommend: still open")
    await stage.slash("conclude still_open the search still reads the customers")
    await stage.whisper("The verdict is recorded")
    return await _over(stage, root, "still_open", "still open")


async def fixed(stage: Stage) -> SessionView:
    """The same on the repaired host, concluded by the recommendation's button and its form."""
    root = await _open(stage, FIXED, start=True)
    await _approve(stage, root)
    await stage.reply(root, "I would try this next")
    await stage.say(root, "yes, run it")
    await _approve(stage, root)
    recommended = await stage.reply(root, "I recommend: fixed")
    await stage.press(recommended, "Conclude: fixed", Action.conclude_as)
    form = await stage.form(Callback.conclude)
    await stage.submit(form, {}, "presses [Record verdict]")
    return await _over(stage, root, "fixed", "fixed")


async def auto_run(stage: Stage) -> SessionView:
    """The operator hands over the gate and the agent goes through to its own verdict."""
    root = await _open(stage, AUTO, start=False)
    await stage.press(root, "Auto-run on", Action.auto_on)
    await stage.reply(root, "AUTO-RUN IS ON")
    await stage.say(root, "start")
    session = await _over(stage, root, "still_open", "still open")
    if session.verdict is None or session.verdict.by != AGENT:
        raise NotAsExpected(f"R-{session.id} should have been concluded by the agent.")
    return session


async def _open(stage: Stage, title: str, *, start: bool) -> Json:
    number = await _number(stage, title)
    await stage.slash(f"retest F-{number}")
    form = await stage.form(Callback.retest)
    values, said = ticks(form)
    choice, name = (START_NOW, "Start now") if start else (START_LATER, "Only open the thread")
    words = f"ticks {' and '.join(said)}, chooses {name}, and presses [{form['submit']['text']}]"
    await stage.submit(form, {**values, Field.start: choice}, words)
    return await stage.in_channel(f"F-{number}  {title}")


async def _number(stage: Stage, title: str) -> int:
    found = await stage.practice.bot.engine.retests.findings(title)
    if len(found) != 1:
        raise NotAsExpected(
            f"The sample findings should have {title!r} once, but have it {len(found)} times."
        )
    return found[0].id


async def _approve(stage: Stage, root: Json) -> None:
    proposal = await stage.reply(root, "waits for your decision")
    await stage.press(proposal, "Approve", Action.approve)
    await stage.becomes(root, proposal, " ran ")


async def _over(stage: Stage, root: Json, status: Status, words: str) -> SessionView:
    """The verdict in the thread and in the channel, and in the database."""
    await stage.reply(root, f"Verdict: {words}")
    session = await stage.session()
    await stage.in_channel(f"F-{session.finding_id} is {words}")
    await stage.card(root, f"concluded: {words}")
    verdict = (await stage.session()).verdict
    if verdict is None or verdict.status != status:
        came_to = verdict.status if verdict else "no verdict"
        raise NotAsExpected(f"R-{session.id} should be {status} and is {came_to}.")
    return await stage.session()
