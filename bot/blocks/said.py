"""What the thread is told: the agent's words, and short notices of ours."""

from __future__ import annotations

from bot.blocks import inert, prose, rich, told
from bot.blocks.amounts import clock
from bot.blocks.ids import Action, Ref, encode, of_command
from bot.blocks.message import Json, Message
from bot.blocks.parts import actions, button, context
from bot.blocks.state import VERDICT_MARK, VERDICT_WORDS
from engine import events
from engine.events import Recorded
from engine.views import CommandView

_MOST_PAGES = 3
_MOST_LINES = 20


def agent_said(text: str) -> list[Message]:
    """The agent's prose, as one message or several; empty prose is none."""
    return [Message(text="The agent says something", blocks=blocks) for blocks in prose.pages(text)]


def too_long(text: str) -> bool:
    """Whether prose wants a file instead of a row of messages."""
    return len(text) > prose.LONGEST or len(prose.pages(text)) > _MOST_PAGES


def agent_said_in_file(text: str, file_name: str) -> Message:
    """The beginning of very long prose; the whole is in a file."""
    note = rich.block(rich.section(rich.text(f"… the whole is in {file_name} below.", italic=True)))
    return Message(text="The agent says something", blocks=[*prose.pages(text)[0], note])


def advice(event: events.CommandAdvised) -> Message:
    """What the agent would run next; not a gate, so no buttons."""
    parts: list[Json] = []
    if event.ran:
        # Written out before it is put on one line, which would drop what does not show.
        ran = inert.line(inert.visible(event.ran), 200)
        parts.append(rich.section("I ran ", rich.code(ran), ". I would try this next:"))
    else:
        parts.append(rich.section("I would try this next:"))
    parts.append(rich.preformatted(inert.clip(inert.visible(event.command), prose.PART)))
    if why := inert.clip(inert.plain(event.rationale).strip(), 1200):
        parts.append(rich.section(rich.bold("Why: "), why))
    return Message(
        text="The agent says what it would try next",
        blocks=[*prose.beginning(event.said), *prose.blocks(parts)],
    )


def recommendation(
    recorded: Recorded, event: events.DeterminationRecommended, *, stands: bool = True
) -> Message:
    """A verdict for the operator to confirm. Once it no longer `stands` it has no button."""
    words = VERDICT_WORDS[event.status]
    lead = rich.section(rich.bold(f"{VERDICT_MARK[event.status]} I recommend: {words}"))
    blocks = [rich.block(lead), *prose.beginning(event.rationale)]
    proof = [
        f"{label} {_commands(ids)}"
        for label, ids in (("Proof", event.evidence), ("Control", event.control))
        if ids
    ]
    if proof:
        blocks.append(context("  ·  ".join(proof)))
    if event.missing:
        wants = [rich.section(inert.line(want, 300)) for want in event.missing]
        blocks.append(rich.block(rich.section(rich.bold("Still missing")), rich.some(wants, _MOST_LINES)))
    # Whoever clicked an old recommendation would record what the agent no longer says.
    if stands:
        value = encode(Ref(session_id=recorded.session_id, event=recorded.number))
        blocks.append(actions(button(Action.conclude_as, f"Conclude: {words}", value, style="primary")))
    return Message(text=f"The agent recommends: {words}", blocks=blocks)


def _commands(ids: tuple[int, ...]) -> str:
    return ", ".join(f"C-{number}" for number in ids[:_MOST_LINES])


def goal_changed(event: events.GoalChanged, actor: str) -> Message:
    """The operator's new steps."""
    how = " drafted anew for " if event.regenerated else " changed by "
    lead = rich.section(rich.bold("Goal"), how, rich.person(actor))
    steps = [rich.section(inert.line(step, 300)) for step in event.goal]
    parts = (
        [lead, rich.some(steps, _MOST_LINES, ordered=True)]
        if steps
        else [lead, rich.section("It is empty now.")]
    )
    return Message(text="The goal has changed", blocks=[rich.block(*parts)])


def sandbox_ready(event: events.SandboxReady) -> Message:
    """The sandbox is up, and what it can reach."""
    words = (
        "A new sandbox is ready; files and logins of the one before are gone."
        if event.rebuilt
        else "Sandbox ready."
    )
    places = [rich.section(rich.code(inert.line(pin, 300))) for pin in event.pinned]
    parts = [rich.section(rich.bold(words), " Its network lock is proven; it reaches this and nothing else:")]
    parts += [rich.some(places, _MOST_LINES)] if places else []
    return Message(text="The sandbox is ready", blocks=[rich.block(*parts)])


def failure(what: str, sentence: str, *, evidence: bool = True, retry: Recorded | None = None) -> Message:
    """Something of ours did not work. `evidence`: say that it proves nothing about the target.

    `retry` is the failure's event while the session still waits where it failed: it has a button then.
    """
    note = " This says nothing about the target; it is not evidence." if evidence else ""
    words = told.section(sentence)["elements"]
    blocks = [rich.block(rich.section(rich.bold(f"⚠️ {what} "), *words, rich.bold(note)))]
    if retry is not None:
        value = encode(Ref(session_id=retry.session_id, event=retry.number))
        blocks.append(actions(button(Action.retry, "Retry", value)))
    return Message(text=what, blocks=blocks)


def notice(words: str, *, text: str) -> Message:
    """One small line of ours, given as mrkdwn."""
    return Message(text=text, blocks=[context(words)])


def auto_run(*, on: bool, actor: str) -> Message:
    """The gate changed hands; on is loud."""
    who = rich.person(actor)
    if not on:
        part = rich.section(
            rich.bold("Auto-run is off."),
            " The next command waits for a decision. ",
            who,
            " took the gate back.",
        )
        return Message(text="Auto-run is off", blocks=[rich.block(part)])
    part = rich.section(
        rich.bold("🔴 AUTO-RUN IS ON."),
        " The agent's commands run without asking, and it may conclude by itself. Turned on by ",
        who,
        ". Stop or Auto-run off on the card above takes the gate back.",
    )
    return Message(text="Auto-run is on", blocks=[rich.block(part)])


def verdict_withdrawn(recorded: Recorded, status: str) -> Message:
    """Reopened: the verdict is kept but no longer stands."""
    words = status.replace("_", " ")
    return notice(
        f"↩️ Reopened by {rich.mention(recorded.actor)} {clock(recorded.at)}. The verdict *{words}* is "
        "withdrawn and kept on record. A reply here starts the session again, in a new sandbox.",
        text="The session was reopened",
    )


def message_queued(command: CommandView | None) -> Message:
    """To the sender only: their message waits, at an open gate or for the turn in flight."""
    if command is None:
        part = rich.section("Your message is queued; the agent reads it at its next step.")
        return Message(text="Your message is queued", blocks=[rich.block(part)])
    part = rich.section(
        f"Your message is queued. C-{command.id} still waits for a decision; the message goes along with it. "
        "Or set the command aside, unrun, and the agent reads your message now."
    )
    send = button(Action.send_now, "Set the command aside and send now", of_command(command))
    return Message(text="Your message is queued", blocks=[rich.block(part), actions(send)])
