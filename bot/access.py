"""Who may do what. One pure function, asked by every kind of ingress; whatever is not known is refused.

Only immutable ids count: a display name, a handle or anything in a message's text can be chosen by anybody.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Ingress(StrEnum):
    """How a person reached the bot."""

    message = "message"
    mention = "mention"
    command = "command"
    action = "action"
    view = "view"
    shortcut = "shortcut"


class Wants(StrEnum):
    """What a person wants to do."""

    look = "look"
    """Read lists and help."""
    open = "open"
    """Import findings or open a session."""
    operate = "operate"
    """Act on a session or write to its agent."""


@dataclass(frozen=True, kw_only=True)
class Person:
    """What Slack says of the person's account."""

    team: str
    user: str
    bot: bool = False
    deleted: bool = False
    guest: bool = False
    stranger: bool = False


@dataclass(frozen=True, kw_only=True)
class Place:
    """What Slack says of the channel."""

    channel: str
    external: bool
    """Shared with another organisation, or about to be."""
    member: bool = True
    """The bot is in it; decides nothing here, but without it nothing can be posted."""


@dataclass(frozen=True, kw_only=True)
class Request:
    """Everything that the decision rests on."""

    ingress: Ingress
    wants: Wants
    home: str
    """The workspace that the bot is installed in."""
    team: str | None
    """The workspace that the delivery says the person is from."""
    user: str | None
    person: Person | None
    """None: Slack could not tell."""
    place: Place | None
    direct: bool = False
    """Asked in a direct message."""
    configured: frozenset[str] = frozenset()
    """Ids of the configured operators, `T1:U1`, or `U1` for the bot's own workspace."""
    operators: frozenset[str] = frozenset()
    """Ids of who may operate the session, `T1:U1`."""


@dataclass(frozen=True, kw_only=True)
class Allowed:
    """Go on. `by` is the person's id for the engine, `T1:U1`."""

    by: str


@dataclass(frozen=True, kw_only=True)
class Refused:
    """Stop here. `reason` is for the person only; empty for other bots, which are not answered."""

    reason: str


_UNKNOWN = (
    "Slack did not say who you are or which channel this is, so nothing was done; try again in a minute."
)
_DIRECT = "Revalid works in channels, where the team reads along; `/invite @revalid` brings it into one."


def person_id(team: str, user: str) -> str:
    """The id by which the engine knows a person."""
    return f"{team}:{user}"


def user_of(person: str) -> str:
    """The Slack user behind an engine's id; the id itself where it is no person's."""
    return person.rpartition(":")[2]


def may(request: Request) -> Allowed | Refused:
    """Decide."""
    # First of all: two bots that answer each other would never stop.
    if request.person is not None and request.person.bot:
        return Refused(reason="")
    if request.direct:
        return Refused(reason=_DIRECT)
    if not (request.home and request.team and request.user and request.person and request.place):
        return Refused(reason=_UNKNOWN)
    refusal = _account(request, request.person) or _place(request.place) or _role(request)
    if refusal:
        return Refused(reason=refusal)
    return Allowed(by=person_id(request.team, request.user))


def _account(request: Request, person: Person) -> str | None:
    # What was looked up has to be about who acts, or somebody else's rights would count.
    if person.user != request.user:
        return _UNKNOWN
    # Slack lets people of other organisations click in a shared channel, and Bolt lets them through.
    if person.stranger or person.team != request.home or request.team != request.home:
        return "Only people of the organisation that runs Revalid can use it; you can read along here."
    if person.deleted:
        return "This account is deactivated, so nothing was done."
    if person.guest and not _is_configured(request):
        return "Guests can read along, but only full members of the workspace can use Revalid."
    return None


def _place(place: Place) -> str | None:
    if place.external:
        return "This channel is shared with another organisation, so Revalid does nothing here."
    return None


def _role(request: Request) -> str | None:
    if request.wants is Wants.look:
        return None
    # A list that is set goes before whoever opened the session: it is how a team restricts that.
    if request.configured:
        if _is_configured(request):
            return None
        return (
            "Only the operators in Revalid's settings can do that; you can read along. "
            f"Whoever runs Revalid can add you: your id is {request.user}."
        )
    if request.wants is Wants.open:
        return None
    if person_id(str(request.team), str(request.user)) in request.operators:
        return None
    return "Only the person who opened this session, and whom they added, can act on it; you can read along."


def _is_configured(request: Request) -> bool:
    ids = {person_id(str(request.team), str(request.user))}
    # A bare id is only told apart within the bot's own workspace.
    if request.team == request.home:
        ids.add(str(request.user))
    return not ids.isdisjoint(request.configured)
