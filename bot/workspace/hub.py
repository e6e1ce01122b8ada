"""The workspace as a whole, without HTTP: state, app, sockets, one-shot permissions, limits and live feed."""

from __future__ import annotations

from dataclasses import dataclass, field

from bot.workspace.app_events import app_events
from bot.workspace.chaos import Chaos
from bot.workspace.clock import Clock
from bot.workspace.feed import Feed
from bot.workspace.ids import Ids
from bot.workspace.installed_app import InstalledApp
from bot.workspace.model import Change, Channel, Json
from bot.workspace.payloads import Payloads
from bot.workspace.posting import bot_frame, message_content
from bot.workspace.rate import RateLimiter, RateLimits
from bot.workspace.sample import HOME, sample_channels, sample_users
from bot.workspace.sockets import Sockets
from bot.workspace.state import State
from bot.workspace.triggers import ResponseUrls, Triggers


@dataclass
class Hub:
    """Wires the parts; `base_url` is known once the server listens."""

    app: InstalledApp
    clock: Clock
    limits: RateLimits | None
    base_url: str = ""
    ids: Ids = field(default_factory=Ids)

    def __post_init__(self) -> None:
        self.chaos = Chaos()
        users, channels = sample_users(self.app), sample_channels(self.app, int(self.clock.now()))
        self.state = State(HOME, users, channels, self.clock, self.ids)
        self.sockets = Sockets(self.clock, self.ids, self.app.app_id, self.chaos)
        self.triggers = Triggers(self.clock, self.ids)
        self.response_urls = ResponseUrls(self.clock, self.ids)
        self.limiter = RateLimiter(self.limits, self.clock)
        self.payloads = Payloads(self.app, HOME)
        self.feed = Feed(self.state)
        self.state.observers += [self.feed.publish, self._tell_app]
        self.chaos.changed = self._chaos_changed

    def post_as_app(self, channel: Channel, args: Json, thread_ts: str | None = None) -> Json:
        """A message of the app; its status under that thread is over with it."""
        message = bot_frame(self.app, self.state.team) | message_content(args)
        if thread_ts is not None:
            message["thread_ts"] = thread_ts
            if args.get("reply_broadcast"):
                message["subtype"] = "thread_broadcast"
        posted = self.state.post(channel, message)
        self.state.set_status(channel, str(posted.get("thread_ts") or posted["ts"]), "", [])
        return posted

    def whisper_as_app(self, channel: Channel, user: str, args: Json, thread_ts: str | None = None) -> Json:
        """An ephemeral message of the app to one person."""
        message = bot_frame(self.app, self.state.team) | message_content(args)
        if thread_ts is not None:
            message["thread_ts"] = thread_ts
        return self.state.post_ephemeral(channel, user, message)

    def whisper_as_slack(self, channel: Channel, user: str, text: str, thread_ts: str | None = None) -> Json:
        """What Slack itself tells a person, only them."""
        message: Json = {"user": "USLACKBOT", "text": text}
        if thread_ts is not None:
            message["thread_ts"] = thread_ts
        return self.state.post_ephemeral(channel, user, message)

    def response_url(
        self, user: str, channel: Channel, *, thread_ts: str | None = None, message_ts: str | None = None
    ) -> str:
        """A new address the app may answer an interaction at."""
        secret = self.response_urls.issue(user, channel.id, thread_ts=thread_ts, message_ts=message_ts)
        return f"{self.base_url}/response/{secret}"

    def views_changed(self, user: str) -> None:
        """Tell the page that a person's modals are others now."""
        self.state.changed(Change("views", None, {"stack": self.state.views.stack(user)}, audience=user))

    def view_frame(self) -> Json:
        """What the workspace adds to every view of the app."""
        team = self.state.team.id
        return {
            "team_id": team,
            "app_id": self.app.app_id,
            "bot_id": self.app.bot_id,
            "app_installed_team_id": team,
        }

    def _chaos_changed(self) -> None:
        # For who listens without being anybody: people, and so the page, are not told.
        facts = {"sockets": self.sockets.count, "held": self.sockets.held, "struck": dict(self.chaos.struck)}
        self.state.changed(Change("chaos", None, facts, audience=""))

    def _tell_app(self, change: Change) -> None:
        for event in app_events(self.state, self.app, change):
            self.sockets.send_event(event)
