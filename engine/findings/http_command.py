"""A recorded HTTP request as one curl command: the same bytes, quoted so that the shell sees only text."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from functools import lru_cache

from engine.findings.hosts import bracketed
from engine.findings.model import Endpoint, Matcher, RecordedStep
from engine.findings.text import storable

_REQUEST_LINE = re.compile(r"([A-Za-z]{1,20}) (\S[^\r\n]*?)(?: HTTP/[0-9.]+)?\r?\n")
_TOKEN = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
# No double quote, hash, angle bracket, backslash or space: curl may not send those unchanged.
_PLAIN_TARGET = re.compile(r"/[!$-;=?-\[\]-~]*")
_ABSOLUTE = re.compile(r"^[A-Za-z][A-Za-z0-9+.-]*://[^/?]*")
# curl writes these itself; a copied one would contradict what is really sent.
_OWN_HEADERS = frozenset({"content-length", "transfer-encoding", "connection", "accept-encoding"})
# An error of the server (5xx) is no sign of life: a proxy gives it for a dead application too.
_ALIVE = Matcher(type="regex", values=(r"HTTP [1-4][0-9][0-9]",))
# A guess beyond these would send TLS to a plain port, and its failure would read like a fix.
_TLS_PORTS = frozenset({443, 8443})
_PLAIN_PORTS = frozenset({80, 8000, 8080, 8888})


@dataclass(frozen=True, kw_only=True)
class HttpRequest:
    """A request as it was sent; `target` is the request line's, byte for byte."""

    method: str
    target: str
    headers: tuple[tuple[str, str], ...] = ()
    body: str = ""


def parse_request(raw: str) -> HttpRequest | None:
    """A raw HTTP request, or None when the text is none (a DNS query, say)."""
    line = _REQUEST_LINE.match(raw)
    if line is None:
        return None
    head, _, body = raw[line.end() :].replace("\r\n", "\n").partition("\n\n")
    if "\r\n\r\n" in raw:
        # The body's own line ends are part of the proof.
        body = raw.partition("\r\n\r\n")[2]
    pairs = (header.partition(":") for header in head.splitlines() if ":" in header)
    headers = tuple(
        (name.strip(), value.strip()) for name, _, value in pairs if _TOKEN.fullmatch(name.strip())
    )
    # A request through a proxy names the whole URL; only path and query belong to the server.
    target = _ABSOLUTE.sub("", line[2], count=1) or "/"
    return HttpRequest(method=line[1], target=target, headers=headers, body=body)


def curl_command(request: HttpRequest, endpoint: Endpoint) -> str | None:
    """The command that sends the request to the endpoint's host, or None when no HTTP address is known.

    Prints status line, headers and body. Certificates are not checked, as scanners do not.
    """
    base = base_url(endpoint)
    if base is None:
        return None
    words = ["curl", "-sS", "-i"]
    if base.startswith("https:"):
        words.append("-k")
    # With -X HEAD curl would wait for a body that never comes.
    words += ["-I"] if request.method == "HEAD" else ["-X", request.method]
    # curl then asks for what it can unpack itself: a matcher finds nothing in packed bytes.
    if any(name.lower() == "accept-encoding" for name, _ in request.headers):
        words.append("--compressed")
    words += _header_words(request, endpoint)
    if request.body:
        # Unlike --data, --data-raw never reads a file for a body that begins with @.
        words += ["--data-raw", request.body]
    words += _url_words(base, request.target)
    return shlex.join(storable(word) for word in words)


def alive_step(endpoint: Endpoint) -> RecordedStep | None:
    """A request for the root of the endpoint's host that shows that something answers there."""
    base = base_url(endpoint)
    return None if base is None else _alive_at(base)


# Most findings of a file are on a few hosts.
@lru_cache(maxsize=1024)
def _alive_at(base: str) -> RecordedStep:
    insecure = ["-k"] if base.startswith("https:") else []
    words = ["curl", "-sS", "-i", *insecure, "-o", "/dev/null", "-w", "HTTP %{http_code}\\n", f"{base}/"]
    return RecordedStep(command=shlex.join(words), matchers=(_ALIVE,))


def base_url(endpoint: Endpoint) -> str | None:
    """`scheme://host:port` of an endpoint that speaks HTTP; without a scheme, by well-known ports."""
    if endpoint.host is None:
        return None
    scheme = endpoint.scheme
    if scheme is None:
        scheme = "https" if endpoint.port in _TLS_PORTS else "http" if endpoint.port in _PLAIN_PORTS else None
    return f"{scheme}://{bracketed(endpoint.host, endpoint.port)}" if scheme in ("http", "https") else None


def _header_words(request: HttpRequest, endpoint: Endpoint) -> list[str]:
    words: list[str] = []
    own = {bracketed(endpoint.host or "", endpoint.port), bracketed(endpoint.host or "")}
    names = {name.lower() for name, _ in request.headers}
    for name, value in request.headers:
        # A Host header of another name stays: it may be the very proof.
        if name.lower() in _OWN_HEADERS or (name.lower() == "host" and value.lower() in own):
            continue
        # A header without a value needs a semicolon: with a colon curl would leave it out.
        words += ["-H", f"{name}: {value}" if value else f"{name};"]
    if request.body and "content-type" not in names:
        # Else curl would add a form's content type, which the recorded request did not have.
        words += ["-H", "Content-Type:"]
    return words


def _url_words(base: str, target: str) -> list[str]:
    """Options and URL that make curl send the target unchanged: no globbing, no removal of dots."""
    if not _PLAIN_TARGET.fullmatch(target):
        # curl would change or refuse such a URL; as a request target it goes out as it is.
        return ["--request-target", target, f"{base}/"]
    words = [option for option, needed in (("-g", "[{"), ("--path-as-is", ".")) if _needs(needed, target)]
    # curl would take the brackets of an IPv6 address for a range.
    if "[" in base and "-g" not in words:
        words.append("-g")
    return [*words, f"{base}{target}"]


def _needs(marks: str, target: str) -> bool:
    if marks == ".":
        return "/." in target.partition("?")[0] or "%2e" in target.lower()
    return any(mark in target for mark in marks)
