"""files.*: upload v2 and file objects."""

from __future__ import annotations

from bot.workspace.api.call import Call
from bot.workspace.errors import ApiError
from bot.workspace.files import file_object
from bot.workspace.model import File, Json
from bot.workspace.posting import bot_frame, stored_text

MOST_BYTES = 1_000_000_000


def get_upload_url(call: Call) -> Json:
    """Step one: a one-time address for the bytes."""
    length = int(call.text("length"))
    if not 0 < length <= MOST_BYTES:
        raise ApiError("invalid_arguments")
    file, slot = call.hub.state.files.reserve(
        call.text("filename"), length, call.hub.app.bot_user_id, call.optional("snippet_type") or ""
    )
    return {"upload_url": f"{call.hub.base_url}/upload/v1/{slot}", "file_id": file.id}


def complete_upload(call: Call) -> Json:
    """Step two: name the files and share them; as in Slack the answer carries no message ts."""
    given = call.args.get("files")
    if not isinstance(given, list) or not given:
        raise ApiError("invalid_arguments")
    files = [_titled(call, entry) for entry in given]
    if call.optional("channel_id") or call.optional("channels"):
        _share(call, files)
    return {"files": [file_object(file, call.hub.base_url) for file in files]}


def info(call: Call) -> Json:
    """One file."""
    file = call.hub.state.files.get(call.text("file"))
    return {"file": file_object(file, call.hub.base_url), "comments": []}


def _titled(call: Call, entry: Json) -> File:
    file = call.hub.state.files.get(str(entry.get("id")))
    file.title = str(entry.get("title") or file.name)
    return file


def _share(call: Call, files: list[File]) -> None:
    hub, thread_ts = call.hub, call.optional("thread_ts")
    key = "channel_id" if call.optional("channel_id") else "channels"
    if "," in call.text(key) and thread_ts:
        raise ApiError("invalid_arguments")
    channel = call.writable_channel(key)
    message = bot_frame(hub.app, hub.state.team) | {
        "subtype": "file_share",
        "text": stored_text(call.optional("initial_comment") or ""),
        "files": [file_object(file, hub.base_url) for file in files],
        "upload": True,
    }
    if thread_ts is not None:
        message["thread_ts"] = thread_ts
    posted = hub.state.post(channel, message)
    for file in files:
        share = {"ts": posted["ts"]} | ({"thread_ts": thread_ts} if thread_ts else {})
        file.shares.setdefault(channel.id, []).append(share)
    hub.state.set_status(channel, str(posted.get("thread_ts") or posted["ts"]), "", [])
