"""What people do with the app: slash commands, clicks, forms and message shortcuts.

Each is delivered once and waits for the acknowledgement; the outcome says what a Slack client would show.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.workspace.errors import ApiError, AppTimedOut, AppUnreachable
from bot.workspace.hub import Hub
from bot.workspace.inputs import FileValues, element_value, missing, state_values
from bot.workspace.model import Channel, Json, User
from bot.workspace.naming import block_elements
from bot.workspace.payloads import action
from bot.workspace.posting import checked_view

DONE: Json = {"ok": True}


class Interactions:
    """Turns what a person does into envelopes, and the app's answers into what the person sees."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub

    async def slash(
        self, person: User, channel: Channel, command: str, text: str, thread_ts: str | None = None
    ) -> Json:
        """A slash command typed in a channel, or in a thread, where Slack itself declines it."""
        hub = self._hub
        known = hub.app.command(command)
        if known is None:
            answer = f"{command} is not a valid command. In Slack, your slash commands start with /."
            hub.whisper_as_slack(channel, person.id, answer, thread_ts)
            return {"ok": False, "error": "unknown_command"}
        # Slack answers this itself and sends the app nothing, so the app cannot help it.
        if thread_ts is not None:
            answer = f"{command} is not supported in threads. Sorry!"
            hub.whisper_as_slack(channel, person.id, answer, thread_ts)
            return {"ok": False, "error": "not_supported_in_threads"}
        payload = hub.payloads.command(
            person,
            channel,
            command,
            self._escaped(text) if known.should_escape else text,
            trigger_id=hub.triggers.issue(person.id),
            response_url=hub.response_url(person.id, channel),
        )
        outcome, answered = await self._ask("slash_commands", payload)
        if not outcome["ok"]:
            failure = f'{command} failed with the error "{outcome["error"]}"'
            hub.whisper_as_slack(channel, person.id, failure)
        elif answered.get("text") or answered.get("blocks"):
            if answered.get("response_type") == "in_channel":
                hub.post_as_app(channel, answered)
            else:
                hub.whisper_as_app(channel, person.id, answered)
        return outcome

    async def click(
        self,
        person: User,
        channel: Channel,
        ts: str,
        *,
        action_id: str,
        given: object,
        filled: Mapping[str, Any],
    ) -> Json:
        """A button or menu of a message; `given` is the chosen value, `filled` the message's other inputs."""
        hub = self._hub
        message = hub.state.ephemerals.get((channel.id, ts))
        # Nobody can click what another person was whispered.
        if message is None or message["to"] != person.id:
            message = hub.state.message(channel, ts)
        blocks = message.get("blocks") or []
        files = self._files()
        block_id, element = find_element(blocks, action_id)
        values = state_values(blocks, {**filled, action_id: given} if given is not None else filled, files)
        value = element_value(element, given, files)
        clicked = action(element, block_id, value, hub.state.next_ts(channel))
        thread_ts = message.get("thread_ts")
        payload = hub.payloads.message_click(person, channel, message, clicked, values) | {
            "trigger_id": hub.triggers.issue(person.id),
            "response_url": hub.response_url(person.id, channel, thread_ts=thread_ts, message_ts=ts),
        }
        outcome, _ = await self._ask("interactive", payload)
        return outcome

    async def click_in_view(
        self, person: User, view_id: str, *, action_id: str, given: object, filled: Mapping[str, Any]
    ) -> Json:
        """A button or a dispatching input of a modal."""
        view = self._view(person, view_id)
        files = self._files()
        block_id, element = find_element(view["blocks"], action_id)
        values = state_values(
            view["blocks"], {**filled, action_id: given} if given is not None else filled, files
        )
        value = element_value(element, given, files)
        clicked = action(element, block_id, value, f"{self._hub.clock.now():.6f}")
        payload = self._hub.payloads.view_click(person, view, clicked, values)
        outcome, _ = await self._ask(
            "interactive", payload | {"trigger_id": self._hub.triggers.issue(person.id)}
        )
        return outcome

    async def submit(self, person: User, view_id: str, filled: Mapping[str, Any]) -> Json:
        """Send a form; the outcome has `errors` by block id when it was not taken."""
        view = self._view(person, view_id)
        values = state_values(view["blocks"], filled, self._files())
        # A client does not even send such a form, so the app must never see it.
        if errors := missing(view["blocks"], values):
            return {"ok": False, "error": "validation", "errors": errors}
        payload = self._hub.payloads.view_submission(person, view, values)
        payload["trigger_id"] = self._hub.triggers.issue(person.id)
        outcome, answered = await self._ask("interactive", payload)
        return self._answer_form(person, view, answered) if outcome["ok"] else outcome

    async def close(self, person: User, view_id: str) -> Json:
        """Close a form; the app hears of it when it asked to."""
        view = self._view(person, view_id)
        # Closed whatever the app answers: nothing can keep a form open.
        self._hub.state.views.close(person.id, view_id)
        self._hub.views_changed(person.id)
        # Told after the fact and not asked, so its answer changes nothing.
        if view["notify_on_close"]:
            payload = self._hub.payloads.view_closed(person, view, cleared=False)
            await self._ask("interactive", payload)
        return DONE

    async def shortcut(self, person: User, channel: Channel, ts: str, callback_id: str) -> Json:
        """A message shortcut."""
        hub = self._hub
        if all(known.callback_id != callback_id for known in hub.app.shortcuts):
            raise ApiError("unknown_shortcut")
        message = hub.state.message(channel, ts)
        action_ts = hub.state.next_ts(channel)
        payload = hub.payloads.message_action(person, channel, message, callback_id, action_ts) | {
            "trigger_id": hub.triggers.issue(person.id),
            "response_url": hub.response_url(person.id, channel, thread_ts=message.get("thread_ts")),
        }
        outcome, _ = await self._ask("interactive", payload)
        return outcome

    def _answer_form(self, person: User, view: Json, answered: Json) -> Json:
        stacks, kind = self._hub.state.views, answered.get("response_action")
        if kind == "errors":
            return {"ok": False, "error": "validation", "errors": answered["errors"]}
        try:
            if kind == "update":
                stacks.update(view["id"], checked_view(answered.get("view")))
            elif kind == "push":
                stacks.push(person.id, checked_view(answered.get("view")), self._hub.view_frame())
            elif kind == "clear":
                stacks.stack(person.id).clear()
            else:
                stacks.close(person.id, view["id"])
        # The app's mistake in its answer; the person is told, and the form stays.
        except ApiError as refused:
            return refused.answer
        self._hub.views_changed(person.id)
        return {"ok": True, "response_action": kind}

    async def _ask(self, kind: str, payload: Json) -> tuple[Json, Json]:
        """What came of it, and what the acknowledgement carried."""
        try:
            return DONE, await self._hub.sockets.ask(kind, payload)
        except AppTimedOut:
            return {"ok": False, "error": "operation_timeout"}, {}
        except AppUnreachable:
            return {"ok": False, "error": "dispatch_failed"}, {}

    def _view(self, person: User, view_id: str) -> Json:
        owner, view = self._hub.state.views.find(view_id)
        if owner != person.id:
            raise ApiError("not_found")
        return view

    def _files(self) -> FileValues:
        return FileValues(self._hub.state.files, self._hub.base_url)

    def _escaped(self, text: str) -> str:
        """Names in a command's text as ids, for commands that ask for it."""
        for user in self._hub.state.users.values():
            text = text.replace(f"@{user.name}", f"<@{user.id}|{user.name}>")
        for channel in self._hub.state.channels.values():
            text = text.replace(f"#{channel.name}", f"<#{channel.id}|{channel.name}>")
        return text


def find_element(blocks: list[Json], action_id: str) -> tuple[str, Json]:
    """The block id and element with that action id; raises ApiError ``action_not_found``."""
    for block in blocks:
        for element in block_elements(block):
            if element.get("action_id") == action_id:
                return str(block["block_id"]), element
    raise ApiError("action_not_found")
