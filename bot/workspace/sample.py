"""The sample workspace: a security team, its channels, and somebody from another organisation."""

from __future__ import annotations

from bot.workspace.installed_app import InstalledApp
from bot.workspace.model import Channel, Team, User

HOME = Team("T0HOME", "example", "Example Security")
OTHER = Team("T0OTHER", "example-customer", "Example Customer")

ALICE = User("U0ALICE", "alice", "Alice Okafor", HOME.id, title="Operator")
BEN = User("U0BEN", "ben", "Ben Hart", HOME.id, title="Team member")
# From elsewhere, so that the rule about other organisations can be seen at work.
CAROL = User("U0CAROL", "carol", "Carol Weiss", OTHER.id, title="External, the customer")


def sample_users(app: InstalledApp) -> list[User]:
    """Three people and the app's bot user."""
    bot = User(
        app.bot_user_id, app.handle, app.name, HOME.id, title="App", bot_id=app.bot_id, app_id=app.app_id
    )
    return [ALICE, BEN, CAROL, bot]


def sample_channels(app: InstalledApp, created: int) -> list[Channel]:
    """A channel with the bot, one without it, one shared with the other organisation, and a private one."""
    team = {ALICE.id, BEN.id}
    return [
        Channel("C0RETESTS", "retests", team | {app.bot_user_id}, created, "Retests of old findings"),
        # Without the bot, which has to be invited before it hears anything.
        Channel("C0GENERAL", "general", set(team), created, "Everything else"),
        Channel(
            "C0SHARED",
            "shared-customer",
            team | {CAROL.id, app.bot_user_id},
            created,
            "Shared with Example Customer",
            is_ext_shared=True,
        ),
        Channel("C0LEADS", "leads", {ALICE.id, app.bot_user_id}, created, "Private", is_private=True),
    ]
