"""Whatever no other listener took: buttons and forms of an older version, events that nobody waits for."""

from __future__ import annotations

import re

import structlog
from slack_bolt.async_app import AsyncApp
from slack_bolt.context.ack.async_ack import AsyncAck

from bot.blocks.ids import StaleButton
from bot.blocks.message import Json
from bot.listeners import asked as read
from bot.listeners.asked import Asked
from bot.listeners.front import Front

log = structlog.get_logger(__name__)
_ANY = re.compile(".*")
_WORDS = "This is not active any more; use the newest card, or `/revalid help`."


def register(app: AsyncApp, front: Front) -> None:
    """Listen. Must be the last: Bolt takes the first listener that matches."""

    async def stale(asked: Asked) -> None:
        log.info("stale", ingress=asked.ingress.value, action=asked.action_id)
        raise StaleButton(_WORDS)

    async def stale_form(asked: Asked) -> Json | None:
        log.info("stale form", callback=asked.body["view"].get("callback_id"))
        raise StaleButton(_WORDS)

    async def nothing(ack: AsyncAck, body: Json) -> None:
        await ack()
        log.debug("not listened to", type=body.get("type"), event=(body.get("event") or {}).get("type"))

    app.action(_ANY)(front.click(stale, read.action))
    app.shortcut(_ANY)(front.click(stale, read.shortcut))
    app.command(_ANY)(front.click(stale, read.command))
    app.view(_ANY)(front.form(stale_form))
    app.view_closed(_ANY)(nothing)
    # An event that nobody listens to stays unanswered, and Slack delivers it three times more.
    app.event(_ANY)(nothing)
