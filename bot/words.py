"""The words of `/revalid …` in a channel, `@revalid …` and `!command` in a thread: text in, values out.

A reply that begins with `!` and a character other than a space is a command for the sandbox, to the
letter: `!curl -i app.example.com`. `! nice` is chat. Everything else in a thread is a message to the agent,
unless it mentions the bot and starts with one of the words below.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import get_args

from engine.errors import RevalidError
from engine.lifecycle import Input
from engine.views import Status


class WordsError(RevalidError):
    """That is not a command; `/revalid help` lists them."""


@dataclass(frozen=True, kw_only=True)
class Help:
    """List the commands."""


@dataclass(frozen=True, kw_only=True)
class Import:
    """Take findings from a file or from pasted text."""


@dataclass(frozen=True, kw_only=True)
class Findings:
    """List findings, those with `text` in them when it is given."""

    text: str = ""


@dataclass(frozen=True, kw_only=True)
class Retest:
    """Open a session for a finding."""

    finding_id: int


@dataclass(frozen=True, kw_only=True)
class Sessions:
    """List the live sessions."""


@dataclass(frozen=True, kw_only=True)
class OnSession:
    """Act on a session: the named one, the thread's, or the person's only live one in the channel."""

    given: Input
    session_id: int | None = None
    status: Status | None = None
    """Conclude: None asks for it with the form."""
    text: str = ""


Words = Help | Import | Findings | Retest | Sessions | OnSession

USAGE: Mapping[str, str] = {
    "help": "this list",
    "import": "take findings: attach a file to `@revalid import`, or fill in the form",
    "findings [text]": "list the findings, or those that have the text in them",
    "retest F-12": "open a retest of a finding in a thread of its own",
    "sessions": "list the sessions that are going on",
    "conclude still_open [why]": "record `fixed`, `still_open` or `inconclusive` as your verdict",
    "retry": "have the model call in flight run again; a command never runs again",
    "stop": "pause once what is in flight has ended; a reply in the thread goes on",
    "restart": "end this session and open a fresh one for the same finding",
    "end": "end the session without a verdict",
    "auto on": "Auto-run: the agent's commands run without asking; `auto off` takes the gate back",
}
"""What a person may type, and what it does. The help text and the reference page are made from it."""

_PLAIN: Mapping[str, Words] = {"help": Help(), "import": Import(), "sessions": Sessions()}
_STATUSES: Mapping[str, Status] = {status: status for status in get_args(Status)}
_ON_SESSION: Mapping[str, Input] = {
    "retry": Input.retry_turn,
    "stop": Input.stop,
    "restart": Input.restart,
    "end": Input.end,
}
_SWITCH: Mapping[str, Input] = {"on": Input.auto_on, "off": Input.auto_off}

# At most nine digits: more would be no session of anybody's, and too large for some databases.
_SESSION = re.compile(r"R-?(\d{1,9})", re.IGNORECASE)
_FINDING = re.compile(r"(?:F-?)?(\d{1,9})", re.IGNORECASE)
_STATUS = re.compile(r"(fixed|still[_\- ]open|inconclusive)\b", re.IGNORECASE)


def is_command(text: str) -> bool:
    """Whether the first word is one of ours; in a thread everything else is a message to the agent."""
    return _split(text)[0].lower() in _READERS


def parse(text: str) -> Words:
    """What the words after `/revalid` or `@revalid` ask for; nothing at all asks for help.

    Raises `WordsError` with a sentence that says what was expected, and the nearest word for a typo.
    """
    verb, rest = _split(text)
    verb = verb.lower() or "help"
    if verb not in _READERS:
        raise WordsError(_unknown(verb))
    return _READERS[verb](verb, rest)


def sandbox_command(text: str) -> str | None:
    """The command behind a leading `!`, or None for a reply that is not one."""
    text = text.strip()
    if len(text) < len("!x") or text[0] != "!" or text[1].isspace():
        return None
    return text[1:]


def _split(text: str) -> tuple[str, str]:
    first, *rest = text.split(maxsplit=1) or [""]
    return first, "".join(rest).strip()


def _unknown(verb: str) -> str:
    # It is shown in backticks, which it must not be able to close.
    shown = verb[:40].replace("`", "'")
    near = get_close_matches(verb, list(_READERS), n=1, cutoff=0.6)
    hint = f" Did you mean `{near[0]}`?" if near else ""
    return f"There is no command `{shown}`.{hint} `/revalid help` lists what there is."


def _alone(verb: str, rest: str) -> Words:
    if rest:
        raise WordsError(f"`{verb}` stands alone; leave out what follows it.")
    return _PLAIN[verb]


def _findings(_verb: str, rest: str) -> Findings:
    return Findings(text=rest)


def _retest(_verb: str, rest: str) -> Retest:
    if found := _FINDING.fullmatch(rest):
        return Retest(finding_id=int(found[1]))
    raise WordsError("`retest` needs the number of a finding, such as `retest F-12`; `findings` lists them.")


def _session_first(rest: str) -> tuple[int | None, str]:
    first, after = _split(rest)
    if found := _SESSION.fullmatch(first):
        return int(found[1]), after
    return None, rest


def _conclude(_verb: str, rest: str) -> OnSession:
    session_id, rest = _session_first(rest)
    if not rest:
        return OnSession(given=Input.conclude, session_id=session_id)
    found = _STATUS.match(rest)
    if found is None:
        word = _split(rest)[0].lower()
        near = get_close_matches(word, get_args(Status), n=1)
        hint = f" Did you mean `{near[0]}`?" if near else ""
        raise WordsError(
            f"A verdict is `fixed`, `still_open` or `inconclusive`, such as `conclude still_open why`.{hint}"
        )
    why = _why(rest[found.end() :])
    if session_id is None and (named := re.match(rf"{_SESSION.pattern}\b", why, re.IGNORECASE)):
        # `conclude fixed R-42` must never conclude another session with "R-42" for a reason.
        session_id, why = int(named[1]), _why(why[named.end() :])
    return OnSession(given=Input.conclude, session_id=session_id, status=_STATUSES[_key(found[1])], text=why)


def _why(rest: str) -> str:
    return rest.lstrip(" :,-").strip()


def _key(word: str) -> str:
    return re.sub(r"[_\- ]", "_", word.lower())


def _auto(_verb: str, rest: str) -> OnSession:
    session_id, rest = _session_first(rest)
    word, after = _split(rest)
    if session_id is None:
        session_id, after = _session_first(after)
    if word.lower() not in _SWITCH or after:
        raise WordsError("`auto` needs `on` or `off`, such as `auto on`.")
    return OnSession(given=_SWITCH[word.lower()], session_id=session_id)


def _on_session(verb: str, rest: str) -> OnSession:
    session_id, after = _session_first(rest)
    if after:
        raise WordsError(f"`{verb}` takes at most a session, such as `{verb} R-42`; `sessions` lists them.")
    return OnSession(given=_ON_SESSION[verb], session_id=session_id)


_READERS: Mapping[str, Callable[[str, str], Words]] = {
    **dict.fromkeys(_PLAIN, _alone),
    **dict.fromkeys(_ON_SESSION, _on_session),
    "findings": _findings,
    "retest": _retest,
    "conclude": _conclude,
    "auto": _auto,
}
