from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.dangers import Danger, dangers


@pytest.mark.parametrize(
    ("where", "found"),
    [
        ("shop.example.com", ""),
        ("192.0.2.1", ""),
        ("203.0.113.9", ""),
        ("2001:db8::1", ""),
        ("8.8.8.8", ""),
        ("10.0.0.1", "private"),
        ("172.16.0.1", "private"),
        ("172.32.0.1", ""),
        ("192.168.1.1", "private"),
        ("100.64.0.1", "private"),
        ("fd12::1", "private"),
        ("fec0::1", "private"),
        ("127.0.0.1", "loopback"),
        ("127.255.0.1", "loopback"),
        ("0.0.0.0", "loopback"),
        ("::1", "loopback"),
        ("::", "loopback"),
        ("169.254.1.1", "link_local"),
        ("fe80::1", "link_local"),
        ("fe80::1%eth0", "link_local"),
        ("[fe80::1%25eth0]", "link_local"),
        ("169.254.169.254", "link_local metadata"),
        ("100.100.100.200", "private metadata"),
        ("168.63.129.16", "metadata"),
        ("fd00:ec2::254", "private metadata"),
        ("224.0.0.1", "wildcard"),
        ("255.255.255.255", "private wildcard"),
        ("ff02::1", "wildcard"),
        ("*.example.com", "wildcard"),
        ("192.0.2.0/28", "wildcard"),
        ("10.0.0.0/28", "wildcard private"),
        ("0.0.0.0/0", "wildcard private loopback link_local metadata"),
        ("::ffff:10.0.0.1", "private"),
        ("::ffff:169.254.169.254", "link_local metadata"),
        ("64:ff9b::7f00:1", "loopback"),
        ("2002:0a00:0001::", "private"),
        ("2130706433", "loopback"),
        ("0x7f.1", "loopback"),
        ("0xa9fea9fe", "link_local metadata"),
        ("0251.0376.0251.0376", "link_local metadata"),
        ("\uff11\uff12\uff17.1", "loopback"),
        ("169.254.169.254.", "link_local metadata"),
        ("localhost", "loopback"),
        ("LOCALHOST.", "loopback"),
        ("app.localhost", "loopback"),
        ("metadata.google.internal", "metadata private"),
        ("intranet", "private"),
        ("db.internal", "private"),
        ("printer.local", "private"),
        ("exa mple", "wildcard"),
        ("", "wildcard"),
    ],
)
def test_the_dangers_of_a_host(where: str, found: str) -> None:
    assert dangers(where) == {Danger(word) for word in found.split()}


def test_the_dangers_of_several_addresses_add_up() -> None:
    assert dangers(["192.0.2.1", "10.0.0.1", "::1"]) == {Danger.private, Danger.loopback}
    assert dangers([]) == frozenset()


@given(st.ip_addresses(network="10.0.0.0/8"))
def test_no_spelling_hides_a_private_address(address: object) -> None:
    number = int(address)  # type: ignore[call-overload]
    for spelling in (str(address), str(number), hex(number), f"::ffff:{address}", f"{address}."):
        assert Danger.private in dangers(spelling)
