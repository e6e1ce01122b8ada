from __future__ import annotations

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.findings.endpoints import parse_endpoint
from engine.findings.http_command import HttpRequest, alive_step, base_url, curl_command, parse_request

ENDPOINT = parse_endpoint("http://shop.example.com:8080/")


def command(raw: str, url: str = "http://shop.example.com:8080/") -> list[str]:
    request = parse_request(raw)
    assert request is not None
    text = curl_command(request, parse_endpoint(url))
    assert text is not None
    return shlex.split(text)


def test_a_request_keeps_method_headers_and_body() -> None:
    raw = (
        "POST /login HTTP/1.1\r\nHost: shop.example.com:8080\r\nContent-Type: application/json\r\n"
        'Content-Length: 9\r\n\r\n{"a": 1}\n'
    )
    assert command(raw) == [
        *("curl", "-sS", "-i", "-X", "POST", "-H", "Content-Type: application/json"),
        *("--data-raw", '{"a": 1}\n', "http://shop.example.com:8080/login"),
    ]


def test_a_body_is_never_a_file_name_and_gets_no_content_type_of_curls_own() -> None:
    words = command("POST / HTTP/1.1\r\n\r\n@/etc/passwd")
    assert words[words.index("--data-raw") + 1] == "@/etc/passwd"
    assert words[words.index("-H") + 1] == "Content-Type:"


def test_another_host_header_is_kept_and_an_empty_header_is_sent() -> None:
    words = command("GET / HTTP/1.1\r\nHost: Evil.example.net\r\nX-Empty:\r\n@file: x\r\n\r\n")
    assert [words[n + 1] for n, word in enumerate(words) if word == "-H"] == [
        "Host: Evil.example.net",
        "X-Empty;",
    ]


def test_a_head_request_does_not_wait_for_a_body() -> None:
    assert "-I" in command("HEAD / HTTP/1.1\r\n\r\n")


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ("/a/../b", ["--path-as-is", "http://shop.example.com:8080/a/../b"]),
        ("/a?x=[1-3]{a,b}", ["-g", "http://shop.example.com:8080/a?x=[1-3]{a,b}"]),
        ("/a?x=%00%c0", ["http://shop.example.com:8080/a?x=%00%c0"]),
        ("/a b", ["--request-target", "/a b", "http://shop.example.com:8080/"]),
        ("/a#b", ["--request-target", "/a#b", "http://shop.example.com:8080/"]),
        ("@evil.example.net/", ["--request-target", "@evil.example.net/", "http://shop.example.com:8080/"]),
        ("http://evil.example.net/x", ["http://shop.example.com:8080/x"]),
        ("http://evil.example.net", ["http://shop.example.com:8080/"]),
    ],
)
def test_the_target_goes_out_unchanged_and_to_the_endpoint_only(target: str, words: list[str]) -> None:
    assert command(f"GET {target} HTTP/1.1\r\n\r\n")[5:] == words


def test_an_ipv6_host_and_tls() -> None:
    words = command("GET /x HTTP/1.1\r\n\r\n", "https://[2001:db8::5]:8443/")
    assert words[3:] == ["-k", "-X", "GET", "-g", "https://[2001:db8::5]:8443/x"]


@pytest.mark.parametrize("raw", ["", ";; opcode: QUERY\n", "GET\r\n", "no request at all"])
def test_what_is_no_http_request(raw: str) -> None:
    assert parse_request(raw) is None


@pytest.mark.parametrize(
    ("text", "base"),
    [
        ("shop.example.com:443", "https://shop.example.com:443"),
        ("shop.example.com:8080", "http://shop.example.com:8080"),
        ("shop.example.com:5432", None),
        ("shop.example.com", None),
        ("tcp://shop.example.com:80", None),
        ("/only/a/path", None),
    ],
)
def test_which_endpoints_speak_http(text: str, base: str | None) -> None:
    assert base_url(parse_endpoint(text)) == base


def test_without_an_http_address_there_is_no_command() -> None:
    endpoint = parse_endpoint("tcp://shop.example.com:5432")
    assert curl_command(HttpRequest(method="GET", target="/"), endpoint) is None
    assert alive_step(endpoint) is None


def test_the_control_shows_that_something_answers() -> None:
    step = alive_step(ENDPOINT)
    assert step is not None
    assert shlex.split(step.command)[-3:] == ["-w", r"HTTP %{http_code}\n", "http://shop.example.com:8080/"]
    assert step.matchers[0].values == ("HTTP [1-4][0-9][0-9]",)


@given(st.text(min_size=1), st.text(), st.text(alphabet="AbC-", min_size=1))
def test_whatever_the_record_holds_is_one_word_of_text_to_the_shell(
    target: str, body: str, name: str
) -> None:
    request = HttpRequest(method="GET", target=target, headers=((name, "$(id)'\"`"),), body=body)
    text = curl_command(request, ENDPOINT)
    assert text is not None
    words = shlex.split(text)
    assert words[0] == "curl"
    assert f"{name}: $(id)'\"`" in words
    assert words[-1].startswith("http://shop.example.com:8080/")
    assert "\x00" not in text
    if body and body.isprintable():
        assert body in words
