"""What Slack delivered: which kind it is, and the key by which the same delivery is known again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

Body = Mapping[str, Any]

# A reply that is also sent to the channel, or brings a file, is a person's reply like any other.
TAKEN_SUBTYPES = frozenset({None, "thread_broadcast", "file_share"})
"""Messages that a person wrote; edits, deletions, joins, topics and other bots' are none."""

AFTERTHOUGHTS = frozenset({"message_changed", "message_deleted"})


@dataclass(frozen=True, kw_only=True)
class Delivery:
    """One thing that a person did."""

    kind: str
    """`event`, `command`, `block_actions`, `view_submission`, `message_action` and the like."""
    key: str


def delivery_of(body: Body) -> Delivery | None:
    """The delivery in a body; None for what nobody waits for an answer to.

    A mention in a thread is delivered twice under two event ids, as `app_mention` and as `message`, so that a
    message is known by its channel and time.
    """
    if body.get("type") == "event_callback":
        return _event(body.get("event") or {})
    if "command" in body:
        return _one_shot("command", body)
    if body.get("type") in ("block_actions", "view_submission", "message_action"):
        return _one_shot(str(body["type"]), body)
    return None


def is_chatter(body: Body) -> bool:
    """Whether this is a message in a channel that has nothing to do with the bot."""
    event = body.get("event") or {}
    return event.get("type") == "message" and _event(event) is None


def written_in(event: Body) -> Body:
    """The message that an event is about: what was written, or what was edited or deleted since."""
    inside = {"message_changed": "message", "message_deleted": "previous_message"}.get(
        str(event.get("subtype"))
    )
    return event if inside is None else event.get(inside) or {}


def _afterthought(event: Body) -> Delivery | None:
    """A person edited or deleted a reply. Unfurls come as edits, too, but change no words."""
    written = written_in(event)
    # Modern bots' messages have no subtype; only these keys tell them from a person's.
    if not written.get("user") or written.get("bot_id") or written.get("app_id"):
        return None
    if written.get("thread_ts") in (None, written.get("ts")):
        return None
    where = f"{event.get('channel')}:{written.get('ts')}"
    if event.get("subtype") == "message_deleted":
        return Delivery(kind="event", key=f"deleted:{where}")
    edited = (written.get("edited") or {}).get("ts")
    before = event.get("previous_message") or {}
    # An unfurl is an edit without an editor, or one that left the words alone.
    if not edited or before.get("text") == written.get("text"):
        return None
    return Delivery(kind="event", key=f"changed:{where}:{edited}")


def _event(event: Body) -> Delivery | None:
    kind = event.get("type")
    if kind == "message" and event.get("subtype") in AFTERTHOUGHTS:
        return _afterthought(event)
    if kind not in ("message", "app_mention") or event.get("subtype") not in TAKEN_SUBTYPES:
        return None
    if not event.get("user") or event.get("bot_id") or event.get("app_id") or event.get("hidden"):
        return None
    in_thread = event.get("thread_ts") not in (None, event.get("ts"))
    # A mention outside of threads comes as `app_mention`; its twin has nothing to add.
    if kind == "message" and not in_thread:
        return None
    return Delivery(kind="event", key=f"message:{event.get('channel')}:{event.get('ts')}")


def _one_shot(kind: str, body: Body) -> Delivery:
    if trigger := body.get("trigger_id"):
        return Delivery(kind=kind, key=f"{kind}:{trigger}")
    # A click without a trigger is known by its time, which several people may share.
    first = (body.get("actions") or [{}])[0]
    user = body.get("user", {}).get("id", "")
    at = body.get("action_ts") or first.get("action_ts", "")
    return Delivery(kind=kind, key=f"{kind}:{at}:{first.get('action_id', '')}:{user}")
