"""chat.*: post, update, delete, ephemeral, permalink."""

from __future__ import annotations

from bot.workspace.api.call import Call
from bot.workspace.errors import ApiError
from bot.workspace.model import Channel, Json
from bot.workspace.posting import message_content


def post_message(call: Call) -> Json:
    """A message in a channel, thread or direct conversation."""
    channel = call.writable_channel()
    message = call.hub.post_as_app(channel, call.args, call.optional("thread_ts"))
    return {"channel": channel.id, "ts": message["ts"], "message": message}


def post_ephemeral(call: Call) -> Json:
    """A message that one member of the channel sees."""
    channel = call.writable_channel()
    user = call.text("user")
    if user not in channel.members:
        raise ApiError("user_not_in_channel")
    shown = call.hub.whisper_as_app(channel, user, call.args, call.optional("thread_ts"))
    return {"message_ts": shown["ts"]}


def update(call: Call) -> Json:
    """New content for one of the app's own messages; text alone takes its blocks away."""
    channel = call.channel()
    message = own_message(call, channel, "cant_update_message")
    content = message_content(call.args)
    if _has_rich_text(message) and "blocks" in content and not _has_rich_text(content):
        raise ApiError("block_mismatch")
    drop = () if "blocks" in content else ("blocks",)
    edited = call.hub.state.edit(channel, message["ts"], content, call.hub.app.bot_user_id, drop=drop)
    return {"channel": channel.id, "ts": edited["ts"], "text": edited["text"], "message": edited}


def delete(call: Call) -> Json:
    """Remove one of the app's own messages."""
    channel = call.channel()
    message = own_message(call, channel, "cant_delete_message")
    call.hub.state.delete(channel, message["ts"], call.hub.app.bot_user_id)
    return {"channel": channel.id, "ts": message["ts"]}


def get_permalink(call: Call) -> Json:
    """The address of a message, which the workspace's page understands."""
    channel = call.channel()
    ts = call.text("message_ts")
    message = call.hub.state.message(channel, ts)
    link = f"{call.hub.base_url}/archives/{channel.id}/p{ts.replace('.', '')}"
    if message.get("thread_ts", ts) != ts:
        link += f"?thread_ts={message['thread_ts']}&cid={channel.id}"
    return {"channel": channel.id, "permalink": link}


def own_message(call: Call, channel: Channel, refusal: str) -> Json:
    """A message by ts that the app wrote itself; raises ApiError `refusal` for somebody else's."""
    message = call.hub.state.message(channel, call.text("ts"))
    if message.get("bot_id") != call.hub.app.bot_id:
        raise ApiError(refusal)
    return message


def _has_rich_text(message: Json) -> bool:
    return any(block["type"] == "rich_text" for block in message.get("blocks") or [])
