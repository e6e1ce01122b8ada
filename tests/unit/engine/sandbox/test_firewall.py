"""The allow-list as text: what is in it, what can never get into it, and what comes back as refused."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import ScopeError
from engine.sandbox.firewall import parse_denied, session_rules
from engine.sandbox.port import Denied
from engine.scope import Pin, Pinned


def rules(*pins: Pin) -> str:
    return session_rules(Pinned(pins=pins))


def elements(text: str, name: str) -> list[str]:
    found = re.search(rf"set {name} {{ [^}}]*elements = {{ (.*?) }}", text)
    return found[1].split(", ") if found else []


def test_every_address_is_opened_for_every_port_in_its_own_family() -> None:
    text = rules(Pin(host="a.example.com", addresses=("203.0.113.10", "2001:db8::a"), ports=(80, 443)))
    assert elements(text, "allow4") == [
        "203.0.113.10 . tcp . 80",
        "203.0.113.10 . udp . 80",
        "203.0.113.10 . tcp . 443",
        "203.0.113.10 . udp . 443",
    ]
    assert elements(text, "allow6")[0] == "2001:db8::a . tcp . 80"
    assert elements(text, "peer4") == ["203.0.113.10"]
    assert elements(text, "peer6") == ["2001:db8::a"]


def test_without_a_scope_nothing_is_opened() -> None:
    text = rules()
    assert "elements" not in text
    assert text.count("policy drop") == 3


def test_the_rules_replace_the_old_ones_in_one_transaction() -> None:
    assert rules().startswith("table inet revalid\ndelete table inet revalid\ntable inet revalid {\n")


def test_a_target_named_twice_is_opened_once() -> None:
    pin = Pin(host="a.example.com", addresses=("203.0.113.10",), ports=(80,))
    again = Pin(host="b.example.com", addresses=("::ffff:203.0.113.10",), ports=(80, 81))
    assert elements(rules(pin, again), "allow4") == elements(rules(again), "allow4")


def test_the_engines_own_resolver_is_refused_before_loopback_is_allowed() -> None:
    text = rules()
    assert text.index("ip daddr 127.0.0.11 reject") < text.index("oif lo accept")


@pytest.mark.parametrize(
    "address", ["app.example.com", "203.0.113.0/24", "203.0.113.1, 0.0.0.0", "", "fe80::1%eth0"]
)
def test_what_is_no_single_address_is_refused(address: str) -> None:
    with pytest.raises(ScopeError):
        rules(Pin(host="a.example.com", addresses=(address,), ports=(80,)))


@pytest.mark.parametrize("port", [0, -1, 65536])
def test_what_is_no_port_is_refused(port: int) -> None:
    with pytest.raises(ScopeError, match="is not a port"):
        rules(Pin(host="a.example.com", addresses=("203.0.113.1",), ports=(port,)))


@given(st.lists(st.tuples(st.ip_addresses(v=4), st.integers(1, 65535)), max_size=20))
def test_exactly_what_is_pinned_is_opened(pairs: list[tuple[object, int]]) -> None:
    text = rules(*(Pin(host="a.example.com", addresses=(str(ip),), ports=(port,)) for ip, port in pairs))
    opened = {(element.split(" . ")[0], element.split(" . ")[2]) for element in elements(text, "allow4")}
    assert opened == {(str(ip), str(port)) for ip, port in pairs}


def listing(*found: tuple[str, int, int, int]) -> str:
    elem = [
        {"elem": {"val": {"concat": [address, protocol, port]}, "counter": {"packets": packets, "bytes": 60}}}
        for address, protocol, port, packets in found
    ]
    set_ = {"family": "inet", "name": "denied4"} | ({"elem": elem} if elem else {})
    return json.dumps({"nftables": [{"metainfo": {"version": "1.0.6"}}, {"set": set_}]})


def test_refused_connections_are_read_from_both_families() -> None:
    found = parse_denied([listing(("203.0.113.20", 6, 80, 1)), listing(("2001:db8::7", 17, 53, 3))])
    assert found == (
        Denied(address="2001:db8::7", port=53, protocol="udp", packets=3),
        Denied(address="203.0.113.20", port=80, protocol="tcp", packets=1),
    )
    assert parse_denied([listing(), listing()]) == ()
