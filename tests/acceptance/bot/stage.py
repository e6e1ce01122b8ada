"""What tests of the bot do over and over, as people would."""

from __future__ import annotations

import asyncio
import json
from collections import deque
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from bot.app import Bot
from bot.pacing import Pacing
from bot.workspace.client import Person, Workspace, render_text
from bot.workspace.installed_app import InstalledApp
from bot.workspace.server import WorkspaceServer
from engine.agent.port import Proposed, TurnOutput
from engine.agent.scripted import ScriptedAgent
from engine.findings.read import read_findings
from engine.sandbox.scripted import ScriptedSandboxes

MANIFEST = Path(__file__).parents[3] / "deploy" / "manifest.yaml"
CHANNEL = "C0RETESTS"
FINDINGS = json.dumps(
    {
        "findings": [
            {
                "title": "SQL injection in the search",
                "severity": "High",
                "endpoints": ["https://app.example.com:443/search", "http://intranet.example.com:8080/"],
            },
            {"title": "Open redirect at login", "severity": "Low", "endpoints": ["https://app.example.com/"]},
        ]
    }
).encode()


def installed() -> InstalledApp:
    """The app as the manifest has it, in the local workspace."""
    manifest = yaml.safe_load(MANIFEST.read_text(encoding="utf-8"))
    return InstalledApp.from_manifest(manifest, bot_token="xoxb-local", app_token="xapp-local")


class StillClock:
    """Time that passes only by being waited for, so that pacing costs none."""

    now = 0.0

    def pacing(self) -> Pacing:
        return Pacing(monotonic=lambda: self.now, sleep=self._sleep)

    async def _sleep(self, seconds: float) -> None:
        self.now += seconds
        await asyncio.sleep(0)


def proposal(
    command: str, *, call: str = "call-1", why: str = "It shows whether the proof works."
) -> Proposed:
    """The agent wants to run a command."""
    return Proposed(tool_call_id=call, command=command, rationale=why, timeout_seconds=30)


@dataclass(kw_only=True)
class Stage:
    """The workspace with its people, and what stands behind the bot."""

    server: WorkspaceServer
    workspace: Workspace
    people: dict[str, Person]
    bot: Bot
    steps: deque[TurnOutput | Exception]
    sandboxes: ScriptedSandboxes
    agent: ScriptedAgent

    @property
    def alice(self) -> Person:
        return self.people["alice"]

    @property
    def ben(self) -> Person:
        return self.people["ben"]

    @property
    def carol(self) -> Person:
        return self.people["carol"]

    def text(self, message: dict[str, Any]) -> str:
        return render_text(message, self.workspace.names)

    async def in_channel(self, *words: str) -> dict[str, Any]:
        """The newest message of the channel with the words."""

        async def look() -> dict[str, Any] | None:
            found = await self.workspace.messages(CHANNEL)
            return next((m for m in reversed(found) if all(word in self.text(m) for word in words)), None)

        return {**await self.workspace.until(look), "channel": CHANNEL}

    async def in_thread(self, root: dict[str, Any], *words: str) -> dict[str, Any]:
        """The newest reply in a thread with the words."""

        async def look() -> dict[str, Any] | None:
            found = (await self.workspace.thread(CHANNEL, root["ts"]))[1:]
            return next((m for m in reversed(found) if all(word in self.text(m) for word in words)), None)

        return {**await self.workspace.until(look), "channel": CHANNEL}

    async def whisper(self, person: Person, *words: str) -> dict[str, Any]:
        """The newest message with the words that only this person sees."""

        async def look() -> dict[str, Any] | None:
            found = await self.workspace.ephemerals(person)
            return next((m for m in reversed(found) if all(word in self.text(m) for word in words)), None)

        return await self.workspace.until(look)

    async def form(self, person: Person, callback: str) -> dict[str, Any]:
        """The person's open form."""

        async def look() -> dict[str, Any] | None:
            return next((v for v in await self.workspace.views(person) if v["callback_id"] == callback), None)

        return await self.workspace.until(look)

    async def slash(self, person: Person, text: str) -> None:
        answer = await person.slash(CHANNEL, "/revalid", text)
        assert answer["ok"], answer

    async def click_as_shown_earlier(
        self, person: Person, message: dict[str, Any], action_id: str, value: str
    ) -> None:
        """Press a button that the message had once, as a client does that has not heard of the change yet."""
        hub = self.server.hub
        user, channel = hub.state.user(person.id), hub.state.channel(message["channel"])
        clicked = {
            "type": "button",
            "action_id": action_id,
            "block_id": "b",
            "value": value,
            "action_ts": hub.state.next_ts(channel),
        }
        payload = hub.payloads.message_click(user, channel, message, clicked, {})
        payload["trigger_id"] = hub.triggers.issue(person.id)
        payload["response_url"] = hub.response_url(person.id, channel, message_ts=message["ts"])
        await hub.sockets.ask("interactive", payload)

    async def imported(self) -> None:
        """The two findings, through the engine."""
        report = read_findings(FINDINGS, "findings.json")
        await self.bot.engine.retests.import_findings(report.findings, "T0HOME:U0ALICE")

    async def opened(self, person: Person, *, start: bool = False) -> dict[str, Any]:
        """A retest of the first finding, opened by the form; its root card."""
        if not await self.bot.engine.retests.findings():
            await self.imported()
        before = {m["ts"] for m in await self.workspace.messages(CHANNEL)}
        await self.slash(person, "retest F-1")
        form = await self.form(person, "retest_form")
        sent = await person.submit(form, {"start": "now" if start else "later"})
        assert sent["ok"], sent

        async def look() -> dict[str, Any] | None:
            found = await self.workspace.messages(CHANNEL)
            return next((m for m in found if m["ts"] not in before and "Retest R-" in self.text(m)), None)

        return {**await self.workspace.until(look), "channel": CHANNEL}

    async def proposed(self, person: Person, command: str = "curl -i https://app.example.com/") -> Any:
        """A started retest whose agent waits for a decision; root and card."""
        self.steps.append(proposal(command))
        root = await self.opened(person, start=True)
        return root, await self.in_thread(root, "waits for your decision")
