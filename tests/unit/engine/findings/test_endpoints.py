from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.findings.endpoints import endpoint_of, endpoints_of, parse_endpoint
from engine.findings.hosts import BadHost
from engine.findings.limits import MAX_ENDPOINTS
from engine.findings.model import Endpoint


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("https://shop.example.com/a", "shop.example.com:443"),
        ("http://shop.example.com", "shop.example.com:80"),
        ("HTTPS://Shop.Example.Com:8443/", "shop.example.com:8443"),
        ("tcp://shop.example.com", "shop.example.com"),
        ("tcp://shop.example.com:9000", "shop.example.com:9000"),
        ("shop.example.com", "shop.example.com"),
        ("shop.example.com:8080/x", "shop.example.com:8080"),
        ("https://[2001:db8::5]:8443/x", "[2001:db8::5]:8443"),
        ("https://[2001:db8::5]/x", "[2001:db8::5]:443"),
        ("2001:db8::5", "[2001:db8::5]"),
        ("192.0.2.0/24", "192.0.2.0/24"),
        ("https://0x7f.1/x", "127.0.0.1:443"),
        ("https://user:pw@shop.example.com/", "shop.example.com:443"),
        ("https://trusted.example.com@shop.example.com/", "shop.example.com:443"),
        ("https://shop.example.com?next=https://evil.example.net/", "shop.example.com:443"),
        ("https://shop.example.com#@evil.example.net/", "shop.example.com:443"),
        ("  https://shop.example.com/  ", "shop.example.com:443"),
        ("/only/a/path", None),
        ("file:///etc/hosts", None),
    ],
)
def test_where_a_text_points(text: str, address: str | None) -> None:
    assert parse_endpoint(text).address == address


@pytest.mark.parametrize(
    "text",
    [
        "https://good.example.com\\@evil.example.net/",
        "https://exa\tmple.com/",
        "https://exam\u202eple.com/",
        "https://shop.example.com:99999/",
        "https://shop.example.com:port/",
        "https://[2001:db8::5]x/",
        "https://[2001:db8::5",
        "javascript:alert(1)",
        "https://%65xample.com/",
    ],
)
def test_what_two_readers_could_read_differently_is_refused(text: str) -> None:
    with pytest.raises(BadHost):
        parse_endpoint(text)


def test_path_query_and_fragment_stay_byte_for_byte() -> None:
    endpoint = parse_endpoint("https://shop.example.com/fav%c0.ico;x?a=%2F&b=1?#f")
    assert (endpoint.path, endpoint.query, endpoint.fragment) == ("/fav%c0.ico;x", "a=%2F&b=1?", "f")


def test_a_password_is_kept_but_never_displayed() -> None:
    endpoint = parse_endpoint("https://alice:Horse%40Battery@shop.example.com:8443/login?x=1")
    assert endpoint.userinfo == "alice:Horse%40Battery"
    assert endpoint.display == "https://alice:***@shop.example.com:8443/login?x=1"


def test_a_default_port_is_not_displayed() -> None:
    assert parse_endpoint("https://shop.example.com:443/a").display == "https://shop.example.com/a"
    assert parse_endpoint("https://[2001:db8::5]/a").display == "https://[2001:db8::5]/a"
    assert parse_endpoint("/only/a/path").display == "/only/a/path"


def test_an_object_names_its_parts() -> None:
    assert endpoint_of(
        {"protocol": "https://", "host": "api.example.com", "port": "8443", "path": "v2/x", "query": "?a=1"}
    ) == Endpoint(scheme="https", host="api.example.com", port=8443, path="/v2/x", query="a=1")
    assert (
        endpoint_of({"host": "https://api.example.com:9443/x", "port": None}).address
        == "api.example.com:9443"
    )
    assert endpoint_of({"protocol": "http", "host": "api.example.com"}).address == "api.example.com:80"
    assert endpoint_of({"host": "2001:db8::5", "port": 22}).address == "[2001:db8::5]:22"


def test_one_bad_endpoint_costs_only_itself() -> None:
    notes: list[str] = []
    endpoints = endpoints_of(
        ["https://a.example.com/", 7, {"host": 7}, "exa mple", "https://a.example.com/", ""], notes
    )
    assert [endpoint.address for endpoint in endpoints] == ["a.example.com:443"]
    assert len(notes) == 3
    assert "exa mple" in notes[2]


def test_a_single_value_counts_as_a_list_of_one() -> None:
    assert len(endpoints_of("https://a.example.com/", [])) == 1
    assert endpoints_of(None, []) == ()


def test_more_endpoints_than_the_limit_are_left_out_with_a_note() -> None:
    notes: list[str] = []
    texts: list[object] = [f"h{number}.example.com" for number in range(MAX_ENDPOINTS + 1)]
    assert len(endpoints_of(texts, notes)) == MAX_ENDPOINTS
    assert "1,001" in notes[0]


@given(st.text(max_size=100))
def test_any_text_gives_an_endpoint_or_a_plain_refusal(text: str) -> None:
    try:
        endpoint = parse_endpoint(text)
    except BadHost:
        return
    assert endpoint.display is not None
    if endpoint.address is not None:
        assert parse_endpoint(endpoint.address).host == endpoint.host


@given(st.from_regex(r"[a-z]{1,8}(\.[a-z]{1,8}){0,2}", fullmatch=True), st.integers(1, 65535))
def test_host_and_port_come_back_as_they_went_in(host: str, port: int) -> None:
    endpoint = parse_endpoint(f"https://{host.upper()}.:{port}/x")
    assert (endpoint.host, endpoint.port) == (host, port)
