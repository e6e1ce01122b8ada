"""Values to draw, and what to look for in what is drawn."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from bot.blocks.message import Json, Message
from bot.limits import check_message, check_view
from engine.events import AnyEvent, Recorded
from engine.findings.model import Endpoint, Finding, Severity
from engine.lifecycle import Activity, Situation, State
from engine.scope import Pin, Pinned, Scope, Target
from engine.views import CommandState, CommandView, FindingView, SessionView, VerdictView

NOON = datetime(2026, 11, 30, 12, 3, tzinfo=UTC)
ALICE, BEN = "T1:U1ALICE", "T1:U2BEN"
HOSTILE = (
    "<!channel> <@U2BEN> <#C1> <https://evil.example.com|click> @here &lt;!here&gt; ```\n"
    "*bold* \u202etxt.exe\u202c \x1b[31mred\x1b[0m \u200b\x00 [a](javascript:x) ![i](https://evil.example.com/p)"
)


def command(state: CommandState = CommandState.proposed, **changes: Any) -> CommandView:
    """A proposal of the agent, in any state."""
    made = CommandView(
        id=7,
        session_id=42,
        origin="agent",
        text="curl -sS -i http://shop.example.com:8080/search?q=%27",
        rationale="The report says that a quote breaks the query.",
        said="I will send the recorded request again.",
        timeout_seconds=60,
        digest="3f9a1c2e4b50" + "0" * 52,
        state=state,
        edited_from=None,
        decided_by=None,
        reason="",
        tool_call_id="call-1",
        told=False,
        outcome=None,
        exit_code=None,
        elapsed_seconds=None,
        stdout_sha256=None,
        stderr_sha256=None,
        stdout_bytes=0,
        stderr_bytes=0,
        denied=(),
        created=NOON,
        started=None,
        ended=None,
    )
    return replace(made, **changes)


def ended(state: CommandState = CommandState.finished, **changes: Any) -> CommandView:
    """A command that a person approved and that came to an end."""
    facts: dict[str, Any] = {
        "decided_by": ALICE,
        "outcome": "exited" if state is CommandState.finished else str(state),
        "exit_code": 0 if state is CommandState.finished else None,
        "elapsed_seconds": 1.25,
        "started": NOON,
        "ended": NOON + timedelta(seconds=2),
        "stdout_sha256": "a" * 64,
        "stderr_sha256": "b" * 64,
    }
    return command(state, **(facts | changes))


def session(state: State = State.idle, **changes: Any) -> SessionView:
    """A session of Alice's, in any state."""
    situation = Situation(state=state, activity=Activity.turn if state is State.working else Activity.nothing)
    made = SessionView(
        id=42,
        finding_id=12,
        title="SQL injection in search",
        severity="high",
        situation=situation,
        revision=1,
        operator=ALICE,
        others=(),
        goal=("Send the recorded request", "Compare the answer"),
        scope=Scope(targets=(Target(host="shop.example.com", ports=(8080,)),)),
        pinned=Pinned(pins=(Pin(host="shop.example.com", addresses=("203.0.113.10",), ports=(8080,)),)),
        restarted_from=None,
        restarted_as=None,
        verdict=None,
        waiting=None,
        running=(),
        working_since=NOON if state is State.working else None,
        created=NOON,
        events=1,
    )
    return replace(made, **changes)


def verdict(**changes: Any) -> VerdictView:
    """A verdict of Alice's."""
    made = VerdictView(
        id=5,
        finding_id=12,
        session_id=42,
        status="still_open",
        reason="operator_conclusion",
        rationale="The quote still breaks the query.",
        by=ALICE,
        supersedes=None,
        withdrawn_by=None,
        exhibits=(),
        at=NOON,
    )
    return replace(made, **changes)


def finding(**changes: Any) -> FindingView:
    """An imported finding."""
    facts: dict[str, Any] = {
        "format": "manual",
        "ref": "1",
        "title": "SQL injection in search",
        "severity": Severity.high,
        "endpoints": (Endpoint(scheme="http", host="shop.example.com", port=8080, path="/search"),),
    }
    found = Finding(**(facts | changes))
    return FindingView(id=12, finding=found, imported_by=ALICE, imported=NOON, verdict=None)


def recorded(event: AnyEvent, number: int = 17, actor: str = ALICE) -> Recorded:
    """An event as the transcript has it."""
    return Recorded(
        session_id=42, number=number, at=NOON, actor=actor, event=event, previous="0" * 64, hash="1" * 64
    )


def nodes(value: object) -> Iterator[Json]:
    """Every object in a message or a view."""
    if isinstance(value, dict):
        yield value
        for inner in value.values():
            yield from nodes(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from nodes(inner)


def words(shown: Message | Json) -> str:
    """All text that a person reads, in order."""
    blocks = shown.blocks if isinstance(shown, Message) else shown["blocks"]
    return "\n".join(
        "".join(_own_words(node) for node in nodes(block) if isinstance(node.get("text"), str))
        for block in blocks
    )


def _own_words(node: Json) -> str:
    return str(node["text"]) if node.get("type") in ("text", "mrkdwn", "plain_text") else ""


def buttons(shown: Message | Json) -> dict[str, Json]:
    """Every button by its action id."""
    blocks = shown.blocks if isinstance(shown, Message) else shown["blocks"]
    return {node["action_id"]: node for node in nodes(blocks) if node.get("type") == "button"}


def assert_shows(message: Message) -> None:
    """Slack takes the message."""
    assert [str(problem) for problem in check_message({"text": message.text, "blocks": message.blocks})] == []


def assert_opens(view: Json) -> None:
    """Slack takes the form."""
    assert [str(problem) for problem in check_view(view)] == []


def assert_inert(shown: Message | Json) -> None:
    """Nothing that somebody else wrote mentions, links, acts or hides anything."""
    text = shown.text if isinstance(shown, Message) else ""
    blocks = shown.blocks if isinstance(shown, Message) else shown["blocks"]
    assert "evil" not in text
    for node in nodes(blocks):
        assert node.get("type") not in ("link", "broadcast", "usergroup", "channel", "markdown", "image")
        assert node.get("user_id") in (None, "U1ALICE")
        if node.get("type") == "mrkdwn":
            assert "<!" not in node["text"], node
            assert "<@U2BEN>" not in node["text"], node
            assert "<https://evil" not in node["text"], node
        for value in node.values():
            assert not isinstance(value, str) or not set(value) & set("\u202e\u202c\u200b\x00\x1b"), node
