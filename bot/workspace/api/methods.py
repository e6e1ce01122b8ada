"""Every method the workspace knows, with the scopes that each accepts."""

from __future__ import annotations

from dataclasses import dataclass

from bot.workspace.api import assistant, auth, chat, conversations, files, reactions, users, views
from bot.workspace.api.call import Handler


@dataclass(frozen=True)
class Method:
    """One method.

    Attributes:
        handler: does it.
        scopes: any one of these is enough; none are needed when empty.
        app_level: takes the ``xapp-`` token instead of the bot's.
        public: needs no token at all.
    """

    handler: Handler
    scopes: tuple[str, ...] = ()
    app_level: bool = False
    public: bool = False


_READ_ANY = ("channels:read", "groups:read", "im:read", "mpim:read")
_HISTORY = ("channels:history", "groups:history", "im:history", "mpim:history")

METHODS: dict[str, Method] = {
    "api.test": Method(auth.api_test, public=True),
    "apps.connections.open": Method(auth.connections_open, app_level=True),
    "assistant.threads.setStatus": Method(assistant.set_status, ("chat:write", "assistant:write")),
    "auth.test": Method(auth.auth_test),
    "bots.info": Method(auth.bots_info, ("users:read",)),
    "chat.delete": Method(chat.delete, ("chat:write",)),
    "chat.getPermalink": Method(chat.get_permalink),
    "chat.postEphemeral": Method(chat.post_ephemeral, ("chat:write",)),
    "chat.postMessage": Method(chat.post_message, ("chat:write",)),
    "chat.update": Method(chat.update, ("chat:write",)),
    "conversations.history": Method(conversations.history, _HISTORY),
    "conversations.info": Method(conversations.info, _READ_ANY),
    "conversations.join": Method(conversations.join, ("channels:join",)),
    "conversations.list": Method(conversations.list_channels, _READ_ANY),
    "conversations.members": Method(conversations.members, _READ_ANY),
    "conversations.open": Method(conversations.open_direct, ("im:write", "mpim:write")),
    "conversations.replies": Method(conversations.replies, _HISTORY),
    "files.completeUploadExternal": Method(files.complete_upload, ("files:write",)),
    "files.getUploadURLExternal": Method(files.get_upload_url, ("files:write",)),
    "files.info": Method(files.info, ("files:read",)),
    "reactions.add": Method(reactions.add, ("reactions:write",)),
    "reactions.remove": Method(reactions.remove, ("reactions:write",)),
    "users.info": Method(users.info, ("users:read",)),
    "users.list": Method(users.list_users, ("users:read",)),
    "views.open": Method(views.open_view),
    "views.publish": Method(views.publish_view),
    "views.push": Method(views.push_view),
    "views.update": Method(views.update_view),
}
