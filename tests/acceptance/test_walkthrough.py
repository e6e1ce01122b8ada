"""`revalid walkthrough`: the real bot, protocol, sandbox and lab, from import to verdict."""

from __future__ import annotations

import re

import docker
import pytest

from bot.walkthrough import play as walkthrough
from bot.walkthrough.errors import NotAsExpected
from bot.walkthrough.stage import Stage
from bot.workspace.model import Json

pytestmark = pytest.mark.docker


def left_over() -> list[str]:
    """Containers of any walkthrough that are still there."""
    client = docker.from_env()
    try:
        return [one.name for one in client.containers.list(all=True) if "revalid-walk-" in (one.name or "")]
    finally:
        client.close()


async def test_three_retests_come_to_their_verdicts_and_read_like_threads(lab: str) -> None:
    told: list[str] = []
    await walkthrough.play(told.append)
    text = "\n".join(told)
    wanted = (
        "▶ Alice types in #retests: /revalid retest F-1",
        "☐ vulnerable.lab.example.com:8080 (Tick only if authorised: private address)",
        "▶ Alice ticks vulnerable.lab.example.com:8080, chooses Start now",
        "Sandbox ready. Its network lock is proven",
        "🟡 C-1 waits for your decision",
        "[Approve] [Edit] [Reject]",
        "▶ Alice presses [Approve]",
        "⬛ C-1 ran · exit 0",
        "Egremont Russet",
        "I would try this next:",
        "  │ Alice Okafor\n  │     go on",
        "⬛ C-3 ran · exit 0",
        "grace@example.com",
        "🔴 I recommend: still open",
        "▶ Alice types in #retests: /revalid conclude still_open",
        "🔴 Verdict: still open  by @Alice Okafor",
        "🔴 F-1 is still open: SQL injection in the fruit search",
        "🏁 concluded: still open",
        "✅ I recommend: fixed",
        "✅ Verdict: fixed  by @Alice Okafor",
        "✅ F-9 is fixed: Path traversal",
        "🔴 AUTO-RUN IS ON.",
        "Approved by Auto-run without asking",
        "🔴 Verdict: still open  by the agent",
        "3 verdicts: everything fits.",
        "No sandbox is left.",
        "The walkthrough went as it should",
    )
    places = [text.index(words) for words in wanted]
    assert places == sorted(places)
    table = re.findall(r"^(R-\d)\s+(F-\d+)\s+(still open|fixed)\s+(Alice|the agent)", text, re.MULTILINE)
    assert table == [
        ("R-1", "F-1", "still open", "Alice"),
        ("R-2", "F-9", "fixed", "Alice"),
        ("R-3", "F-22", "still open", "the agent"),
    ]
    assert left_over() == []


async def test_what_goes_wrong_is_an_error_and_leaves_nothing(
    lab: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bot refuses a button while the first sandbox is up."""

    async def refused(stage: Stage, message: Json, label: str, action: str) -> None:
        assert await stage.practice.bot.engine.sandboxes.list()
        raise NotAsExpected(f"The bot did not take the button {label}.")

    monkeypatch.setattr(Stage, "press", refused)
    with pytest.raises(NotAsExpected, match="button Approve"):
        await walkthrough.play(lambda _: None)
    assert left_over() == []
