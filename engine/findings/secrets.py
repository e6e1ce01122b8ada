"""Secrets masked for chats and logs. Stored evidence stays complete; only what is shown goes through here.

A mask is a courtesy, not a guarantee: it knows the shapes in which credentials usually appear in requests,
responses and commands.
"""

from __future__ import annotations

import re

MASK = "***"

# Every repetition is bounded or ends at a character that it excludes, so that hostile text costs linear time.
_HEADER = r"(?:proxy-)?authorization|(?:set-)?cookie|x-(?:api-key|auth-token|access-token|csrf-token)"
_SCHEME = r"(?:(?:basic|bearer|digest|negotiate|ntlm|token|apikey)[ \t]+)?"
_KEY = (
    r"\b[a-z0-9_-]{0,30}(?:password|passwd|passphrase|pwd|secret|token|api[_-]?key|access[_-]?key|"
    r"private[_-]?key|session[_-]?id|sessid|csrf)"
)
_TOKENS = (
    r"\beyJ[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]{5,}(?:\.[A-Za-z0-9_-]*)?",
    r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b",
    r"\b(?:gh[pousr]_|github_pat_|glpat-|xox[a-z]-|xapp-|sk-|sk_live_|AIza)[A-Za-z0-9_-]{10,}",
)
# In this order: whole keys and headers go first, so that no later rule masks only a piece of one.
_RULES = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        (r"(-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----)[^-]*(?:-----END [A-Z ]{0,30}-----)?", rf"\1{MASK}"),
        # A header on a line of its own goes to the end of the line, one inside a command to its quote.
        (rf"(?im)^([<>] ?)?((?:{_HEADER})[ \t]*:[ \t]*{_SCHEME})[^\r\n]+", rf"\1\2{MASK}"),
        (rf"(?i)\b((?:{_HEADER})[\"']?[ \t]*:[ \t]*[\"']?{_SCHEME})[^\r\n\"']+", rf"\1{MASK}"),
        (
            r"(?i)\b([a-z][a-z0-9+.-]{0,20}://[^\s/?#@:\"']{0,200}):[^\s/?#\"']{0,500}@",
            rf"\1:{MASK}@",
        ),
        (r"((?:^|\s)(?:-u|--user)[ =]?[\"']?[^\s:\"'-][^\s:\"']{0,200}):[^\s\"']+", rf"\1:{MASK}"),
        (r"((?:^|\s)(?:-b|--cookie)[ =][\"']?)[^\s\"'=]{1,200}=[^\r\n\"']+", rf"\1{MASK}"),
        *((token, MASK) for token in _TOKENS),
        (rf"(?i)({_KEY}[\"']?[ \t]{{0,5}}[:=][ \t]{{0,5}})([\"'])(?!\*\*\*)[^\r\n\"']+\2", rf"\1\2{MASK}\2"),
        (rf"(?i)({_KEY}[ \t]{{0,5}}[:=][ \t]{{0,5}})(?![\s\"'*])[^\s\"'&;,<>]+", rf"\1{MASK}"),
    )
)


def mask(text: str) -> str:
    """The text with credentials, cookies and key-like tokens replaced by `***`."""
    for pattern, replacement in _RULES:
        text = pattern.sub(replacement, text)
    return text
