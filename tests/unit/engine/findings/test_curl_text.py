from __future__ import annotations

import pytest

from engine.findings.curl_text import parse_curl


def test_a_plain_command_is_read_as_its_request() -> None:
    parsed = parse_curl("curl -k -X 'PUT' -d 'a=1' -d 'b=2' -H 'X-A: 1' 'https://a.example.com:8443/x?y#z'")
    assert parsed is not None
    request, endpoint = parsed
    assert (request.method, request.target, request.body) == ("PUT", "/x?y", "a=1&b=2")
    assert request.headers == (("X-A", "1"),)
    assert endpoint.address == "a.example.com:8443"


@pytest.mark.parametrize(
    ("command", "method", "target"),
    [
        ("curl http://a.example.com", "GET", "/"),
        ("curl 'http://a.example.com?x=1'", "GET", "/?x=1"),
        ("curl -d 'x' http://a.example.com/y", "POST", "/y"),
        ("curl -X GET -d '' http://a.example.com/y", "GET", "/y"),
        ("curl --data-raw '@x' http://a.example.com/y", "POST", "/y"),
    ],
)
def test_method_and_target(command: str, method: str, target: str) -> None:
    parsed = parse_curl(command)
    assert parsed is not None
    assert (parsed[0].method, parsed[0].target) == (method, target)


@pytest.mark.parametrize(
    "command",
    [
        "",
        "wget http://a.example.com/",
        "curl",
        "curl http://a.example.com/; id",
        "curl http://a.example.com/ && id",
        "curl http://a.example.com/ http://b.example.com/",
        "curl -o x http://a.example.com/",
        "curl -d @/etc/passwd http://a.example.com/",
        "curl -X",
        "curl -X 'GE T' http://a.example.com/",
        "curl -H 'no colon' http://a.example.com/",
        "curl /no/host",
        "curl http://exa%20mple/",
        "curl 'unbalanced",
        "curl " + "a" * 200_000,
    ],
)
def test_anything_else_is_not_read(command: str) -> None:
    assert parse_curl(command) is None
