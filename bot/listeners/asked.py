"""What a person did, the same for every surface: who, where, and what Slack gives to answer with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from bot.access import Ingress
from bot.delivery import written_in

Body = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Asked:
    """One delivery. Everything in it is the client's word until `Desk.allow` has said yes."""

    ingress: Ingress
    team: str | None
    user: str | None
    channel: str = ""
    """Empty in forms, which hang on no channel."""
    thread_ts: str = ""
    """The thread's root; empty outside of threads, and for the root itself."""
    ts: str = ""
    """The message itself, or the one that was clicked."""
    external: bool = False
    """Slack says that the channel is shared with another organisation."""
    trigger_id: str = ""
    response_url: str = ""
    whispered: bool = False
    """The click was on a message that only this person sees."""
    view_id: str = ""
    """The click was in a form."""
    action_id: str = ""
    value: str = ""
    """Of the button, the form's private metadata, or the words after the slash command."""
    body: Body = field(default_factory=dict)
    key: str = ""
    """The delivery's, the same when it is dispatched again after a crash."""


def message(body: Body, actor_team: str | None) -> Asked:
    """A message or a mention, or what became of one since."""
    event = body["event"]
    written = written_in(event)
    ts, thread_ts = str(written.get("ts", "")), str(written.get("thread_ts") or "")
    return Asked(
        ingress=Ingress.mention if event.get("type") == "app_mention" else Ingress.message,
        team=actor_team,
        user=written.get("user"),
        channel=str(event.get("channel", "")),
        # Slack gives a root its own time as its thread's, once it has replies.
        thread_ts="" if thread_ts == ts else thread_ts,
        ts=ts,
        external=bool(body.get("is_ext_shared_channel")),
        body=body,
    )


def command(body: Body) -> Asked:
    """A slash command."""
    return Asked(
        ingress=Ingress.command,
        team=body.get("team_id"),
        user=body.get("user_id"),
        channel=str(body.get("channel_id", "")),
        trigger_id=str(body.get("trigger_id", "")),
        response_url=str(body.get("response_url", "")),
        value=str(body.get("text", "")),
        body=body,
    )


def action(body: Body) -> Asked:
    """A click on a message or in a form."""
    clicked = body["actions"][0]
    container = body.get("container") or {}
    user = body.get("user") or {}
    ts = str(container.get("message_ts", ""))
    thread_ts = str(container.get("thread_ts") or (body.get("message") or {}).get("thread_ts") or "")
    return Asked(
        ingress=Ingress.action,
        # The person's own team: the delivery's is the workspace that it was made in.
        team=user.get("team_id"),
        user=user.get("id"),
        # A whispered message comes without itself, and a form without a channel.
        channel=str(container.get("channel_id") or (body.get("channel") or {}).get("id", "")),
        thread_ts="" if thread_ts == ts else thread_ts,
        ts=ts,
        trigger_id=str(body.get("trigger_id", "")),
        response_url=str(body.get("response_url", "")),
        whispered=bool(container.get("is_ephemeral")),
        view_id=str((body.get("view") or {}).get("id", "")),
        action_id=str(clicked.get("action_id", "")),
        value=str(clicked.get("value", "")),
        body=body,
    )


def view(body: Body) -> Asked:
    """A form that was sent."""
    user, shown = body.get("user") or {}, body["view"]
    return Asked(
        ingress=Ingress.view,
        team=user.get("team_id"),
        user=user.get("id"),
        trigger_id=str(body.get("trigger_id", "")),
        value=str(shown.get("private_metadata", "")),
        body=body,
    )


def shortcut(body: Body) -> Asked:
    """An entry of a message's menu."""
    user, clicked = body.get("user") or {}, body.get("message") or {}
    ts = str(clicked.get("ts") or body.get("message_ts", ""))
    return Asked(
        ingress=Ingress.shortcut,
        team=user.get("team_id"),
        user=user.get("id"),
        channel=str((body.get("channel") or {}).get("id", "")),
        # On the root itself there may be no thread yet, and the root's own time names it.
        thread_ts=str(clicked.get("thread_ts") or ts),
        ts=ts,
        trigger_id=str(body.get("trigger_id", "")),
        response_url=str(body.get("response_url", "")),
        body=body,
    )
