"""What Slack may refuse, what Revalid does then, and the sentence for a person.

docs/reference/slack-trouble.md holds the same table, and a test holds it to this one.
"""

from __future__ import annotations

from collections.abc import Mapping

UNREACHABLE = "unreachable"
"""No code of Slack's: it does not answer, or only with errors of its own."""

GONE = frozenset({"message_not_found", "cant_update_message", "edit_window_closed", "block_mismatch"})
"""An edit is refused for good: the message is posted anew."""

UNSHOWABLE = frozenset(
    {
        "invalid_blocks",
        "invalid_blocks_format",
        "msg_too_long",
        "msg_blocks_too_long",
        "no_text",
    }
)
"""Slack does not take the message as it is: a smaller one is tried, then a line and a file."""

ROOT_GONE = "thread_not_found"
"""The root card was deleted: the thread goes on under a new one."""

_CHANNEL: Mapping[str, str] = {
    "channel_not_found": "The channel is gone, or Revalid was removed from it; invite it again.",
    "not_in_channel": "Revalid was removed from the channel; type `/invite @revalid` there.",
    "is_archived": "The channel is archived; unarchive it.",
    "restricted_action": "The channel does not let Revalid post; an owner of it has to allow that.",
    "restricted_action_read_only_channel": "The channel is read-only; an owner has to let Revalid post.",
    "restricted_action_thread_locked": "The thread is locked; whoever locked it has to unlock it.",
}
_INSTALLATION: Mapping[str, str] = {
    "invalid_auth": "Slack does not know the bot token; install the app again and set SLACK_BOT_TOKEN.",
    "not_authed": "Slack was given no bot token; set SLACK_BOT_TOKEN.",
    "token_revoked": "The bot token was revoked; install the app again and set SLACK_BOT_TOKEN.",
    "token_expired": "The bot token has expired; install the app again and set SLACK_BOT_TOKEN.",
    "account_inactive": "The app was removed from the workspace; install it again and set SLACK_BOT_TOKEN.",
    "missing_scope": "The Slack app lacks a permission; `revalid doctor` says which.",
}
PARKED: Mapping[str, str] = {**_CHANNEL, **_INSTALLATION}
"""Only a person can mend these: the thread is parked and tried again at a slow pace."""


def sentence(code: str) -> str:
    """What is wrong with a thread, for a person."""
    if code == UNREACHABLE:
        return "Slack does not answer; the thread is caught up once it does."
    return PARKED.get(code, f"Slack refuses its messages ({code}); it is tried again.")
