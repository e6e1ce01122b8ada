"""The live status under a thread, shown while its session works."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

import structlog

from bot.blocks.state import status_line
from bot.pacing import Monotonic, Pacing
from bot.slack import Slack, SlackError, SlackRefused
from engine.lifecycle import Activity, State
from engine.views import SessionView

log = structlog.get_logger(__name__)

EVERY = 10.0
"""Seconds between refreshes of the elapsed time; Slack drops a status after 120."""
_NOT_HERE = frozenset(
    {"unknown_method", "method_deprecated", "not_allowed_token_type", "missing_scope", "feature_not_enabled"}
)


class StatusSwitch:
    """Whether Slack takes statuses here at all; some workspaces do not. One for the process."""

    on = True


class Status:
    """The status of one thread. It is decoration: no failure of it reaches anyone."""

    def __init__(
        self,
        slack: Slack,
        pacing: Pacing,
        switch: StatusSwitch,
        *,
        monotonic: Monotonic,
        now: Callable[[], datetime],
    ) -> None:
        self._slack = slack
        self._pacing = pacing
        self._switch = switch
        self._monotonic = monotonic
        self._now = now
        self._shows: tuple[Activity, str] | None = None
        self._set_at = float("-inf")

    def cleared(self) -> None:
        """Slack clears the status with every message of ours."""
        self._shows = None
        self._set_at = float("-inf")

    async def keep(self, session: SessionView, channel: str, thread_ts: str, *, delayed: str = "") -> None:
        """Set, refresh or clear it, if that is due. `delayed` says what is in the way."""
        working = session.state is State.working
        shows = (session.situation.activity, delayed) if working else None
        due = working and self._monotonic() - self._set_at >= EVERY
        if not self._switch.on or (shows == self._shows and not due):
            return
        status = status_line(session, self._now(), delayed=delayed) if working else ""
        # Skipped and not waited for: a status that comes late is wrong.
        if self._pacing.held("set_status"):
            return
        try:
            await self._slack.set_status(channel=channel, thread_ts=thread_ts, status=status)
        except SlackRefused as refused:
            log.warning("status_not_taken", code=refused.code)
            # What is wrong with one channel or for a while says nothing about the others.
            self._switch.on = refused.code not in _NOT_HERE
        except SlackError as error:
            log.info("status_missed", error=str(error))
        # Also after a failure, so that it is tried again at the next refresh and not at once.
        self._shows = shows
        self._set_at = self._monotonic() if working else float("-inf")
