from __future__ import annotations

import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.findings.hosts import (
    BadHost,
    as_address,
    bracketed,
    is_network,
    is_pattern,
    looks_like_network,
    normal_host,
    port_number,
)


@pytest.mark.parametrize(
    ("written", "normal"),
    [
        ("Shop.Example.COM", "shop.example.com"),
        ("shop.example.com.", "shop.example.com"),
        ("dvwa_web_1", "dvwa_web_1"),
        ("bücher.example", "xn--bcher-kva.example"),
        ("faß.example", "xn--fa-hia.example"),
        ("shop\u3002example\uff0ecom", "shop.example.com"),
        ("192.0.2.1", "192.0.2.1"),
        ("192.0.2.1.", "192.0.2.1"),
        ("2130706433", "127.0.0.1"),
        ("0x7f000001", "127.0.0.1"),
        ("0x7f.1", "127.0.0.1"),
        ("0177.0.0.1", "127.0.0.1"),
        ("127.1", "127.0.0.1"),
        ("\uff11\uff12\uff17.0.0.1", "127.0.0.1"),
        ("[2001:DB8::0:5]", "2001:db8::5"),
        ("2001:db8::5", "2001:db8::5"),
        ("fe80::1%eth0", "fe80::1"),
        ("[fe80::1%25eth0]", "fe80::1"),
        ("::ffff:10.0.0.1", "10.0.0.1"),
        ("::ffff:a00:1", "10.0.0.1"),
        ("192.0.2.17/28", "192.0.2.16/28"),
        ("[2001:db8::5]/64", "2001:db8::/64"),
        ("*.example.com", "*.example.com"),
    ],
)
def test_every_spelling_comes_to_one(written: str, normal: str) -> None:
    assert normal_host(written) == normal


@pytest.mark.parametrize(
    "written",
    [
        "",
        ".",
        "a..b",
        "exa mple.com",
        "example.com\n",
        "a%2eb",
        "999.1.1.1",
        "1.2.3.4.5",
        "example.0x7f",
        "4294967296",
        "08.0.0.1",
        "[::1",
        "::g",
        "-a.example",
        "a" * 64,
        ".".join(["a" * 60] * 5),
        "192.0.2.0/33",
        "exam\u202eple.com",
        "a/b",
    ],
)
def test_what_is_no_host_is_refused(written: str) -> None:
    with pytest.raises(BadHost):
        normal_host(written)


@given(st.text(max_size=80))
def test_a_normal_host_stays_as_it_is(text: str) -> None:
    try:
        host = normal_host(text)
    except BadHost:
        return
    assert normal_host(host) == host
    assert host.isascii()
    assert host == host.lower()


@given(st.ip_addresses())
def test_an_address_in_any_writing_is_the_same_host(
    address: ipaddress.IPv4Address | ipaddress.IPv6Address,
) -> None:
    if isinstance(address, ipaddress.IPv4Address):
        assert normal_host(str(int(address))) == normal_host(hex(int(address))) == str(address)
    else:
        assert normal_host(address.exploded) == normal_host(f"[{address.exploded.upper()}]")


def test_patterns_and_networks_stand_for_many_machines() -> None:
    assert is_pattern("*.example.com")
    assert is_pattern("192.0.2.0/24")
    assert not is_pattern("shop.example.com")
    assert is_network("192.0.2.0/24")
    assert as_address("192.0.2.0/24") is None
    assert looks_like_network("192.0.2.0/24")
    assert looks_like_network("[2001:db8::]/64")
    assert not looks_like_network("shop.example.com/24")


def test_an_ipv6_address_is_shown_in_brackets() -> None:
    assert bracketed("2001:db8::5", 443) == "[2001:db8::5]:443"
    assert bracketed("2001:db8::5") == "[2001:db8::5]"
    assert bracketed("2001:db8::/64", 443) == "[2001:db8::]/64:443"
    assert bracketed("192.0.2.1", 80) == "192.0.2.1:80"


@pytest.mark.parametrize("value", [0, 65536, -1, True, None, "", "80a", "٨٠", "080000", 80.0])
def test_what_is_no_port_is_refused(value: object) -> None:
    with pytest.raises(BadHost):
        port_number(value)


@pytest.mark.parametrize(("value", "port"), [(443, 443), ("8443", 8443), (" 80 ", 80), (65535, 65535)])
def test_a_port_may_be_a_number_or_its_digits(value: object, port: int) -> None:
    assert port_number(value) == port
