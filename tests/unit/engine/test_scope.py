from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import ScopeError
from engine.findings.endpoints import parse_endpoint
from engine.findings.model import Evidence, Finding, RecordedStep
from engine.scope import (
    Danger,
    DangerousTarget,
    Pin,
    Resolve,
    Scope,
    Target,
    accept,
    add,
    covers,
    labels,
    look_up,
    parse_target,
    pin,
    propose,
    strike,
    unconfirmed,
)


def scope(*texts: str) -> Scope:
    return Scope(targets=tuple(parse_target(text) for text in texts))


def resolver(**names: Sequence[str] | Exception) -> Resolve:
    async def resolve(name: str) -> Sequence[str]:
        answer = names[name.partition(".")[0]]
        if isinstance(answer, Exception):
            raise answer
        return answer

    return resolve


def finding(*endpoints: str, **fields: Any) -> Finding:
    places = tuple(parse_endpoint(endpoint) for endpoint in endpoints)
    return Finding(format="manual", ref="", title="T", endpoints=places, **fields)


def shown(scope: Scope) -> list[str]:
    return [label for target in scope.targets for label in labels(target)]


def test_a_scope_is_proposed_from_endpoints_and_nothing_else() -> None:
    proposed = propose(
        finding(
            "https://shop.example.com/a",
            "http://shop.example.com/b",
            "shop-eu.example.com",
            "https://[2001:db8::5]:8443/",
            "/only/a/path",
            description="also test 203.0.113.77",
            evidence=(Evidence(kind="response", text="Location: https://evil.example.net/"),),
            replay=(RecordedStep(command="curl https://evil.example.net/"),),
        )
    )
    assert shown(proposed) == [
        "shop.example.com:80",
        "shop.example.com:443",
        "shop-eu.example.com",
        "[2001:db8::5]:8443",
    ]
    assert unconfirmed(proposed) == ()


def test_a_third_party_host_needs_a_yes_unless_the_finding_names_it_itself_too() -> None:
    own = parse_endpoint("https://shop.example.com/")
    other = parse_endpoint("https://login.example.net/").model_copy(update={"third_party": True})
    mixed = Finding(format="nuclei", ref="", title="T", endpoints=(own, other))
    assert [(target.host, found) for target, found in unconfirmed(propose(mixed))] == [
        ("login.example.net", {Danger.third_party})
    ]
    both = mixed.model_copy(update={"endpoints": (other, other.model_copy(update={"third_party": False}))})
    assert unconfirmed(propose(both)) == ()


@pytest.mark.parametrize(
    ("text", "host", "ports"),
    [
        ("app.example.com", "app.example.com", ()),
        ("App.Example.com.:8443, 80", "app.example.com", (80, 8443)),
        ("app.example.com:80,80", "app.example.com", (80,)),
        ("https://app.example.com/login?x", "app.example.com", (443,)),
        ("https://bob:pw@app.example.com:8443", "app.example.com", (8443,)),
        ("tcp://app.example.com", "app.example.com", ()),
        ("192.0.2.1:22", "192.0.2.1", (22,)),
        ("[2001:db8::1]:443,80", "2001:db8::1", (80, 443)),
        ("[2001:db8::1]", "2001:db8::1", ()),
        ("2001:db8::1", "2001:db8::1", ()),
        ("192.0.2.0/28:80", "192.0.2.0/28", (80,)),
        ("[2001:db8::]/124:80", "2001:db8::/124", (80,)),
        ("*.example.com:443", "*.example.com", (443,)),
        ("2130706433:80", "127.0.0.1", (80,)),
        ("bücher.example:443", "xn--bcher-kva.example", (443,)),
    ],
)
def test_what_an_operator_may_write(text: str, host: str, ports: tuple[int, ...]) -> None:
    target = parse_target(text)
    assert (target.host, target.ports) == (host, ports)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "app.example.com:",
        "app.example.com:0",
        "app.example.com:80,",
        "app.example.com:http",
        "a b",
        "https://",
    ],
)
def test_what_is_no_target_says_how_to_write_one(text: str) -> None:
    with pytest.raises(ScopeError, match=r"such as app\.example\.com:443"):
        parse_target(text)


@given(st.text(max_size=60))
def test_any_text_is_a_target_or_a_scope_error(text: str) -> None:
    try:
        target = parse_target(text)
    except ScopeError:
        return
    again = parse_target(labels(target)[0])
    assert again.host == target.host


def test_adding_joins_the_ports_of_a_host() -> None:
    joined = add(scope("app.example.com:443", "b.example.com:1"), parse_target("app.example.com:80"))
    assert shown(joined) == ["app.example.com:80", "app.example.com:443", "b.example.com:1"]


def test_striking_a_port_or_a_host() -> None:
    both = scope("app.example.com:443,80", "b.example.com:1")
    assert shown(strike(both, "app.example.com:80")) == ["app.example.com:443", "b.example.com:1"]
    assert shown(strike(both, "app.example.com:80,443")) == ["b.example.com:1"]
    assert shown(strike(both, "APP.example.com")) == ["b.example.com:1"]
    for missing in ("c.example.com", "app.example.com:81"):
        with pytest.raises(ScopeError, match="not in the scope"):
            strike(both, missing)


def test_a_yes_covers_what_was_shown_and_no_more() -> None:
    waiting = scope("10.0.0.7:80", "169.254.169.254:80")
    assert [target.host for target, _ in unconfirmed(waiting)] == ["10.0.0.7", "169.254.169.254"]
    once = accept(waiting, "10.0.0.7")
    assert [target.host for target, _ in unconfirmed(once)] == ["169.254.169.254"]
    part = accept(once, "169.254.169.254", frozenset({Danger.link_local}))
    assert [found for _, found in unconfirmed(part)] == [{Danger.metadata}]
    with pytest.raises(ScopeError, match="not in the scope"):
        accept(waiting, "10.0.0.8")


def test_a_scope_is_written_the_same_way_in_every_process() -> None:
    every = Scope(
        targets=(Target(host="a.example.com", accepted=frozenset(Danger), flagged=frozenset(Danger)),)
    )
    assert every.model_dump(mode="json")["targets"][0]["accepted"] == sorted(Danger)
    assert Scope.model_validate_json(every.model_dump_json()) == every


async def test_names_are_resolved_once_and_pinned() -> None:
    pinned = await pin(
        scope("app.example.com:443", "192.0.2.9:22", "[2001:db8::9]:80"),
        resolver(app=["192.0.2.1", "2001:DB8::1", "192.0.2.1"]),
    )
    assert pinned.pins == (
        Pin(host="app.example.com", addresses=("192.0.2.1", "2001:db8::1"), ports=(443,)),
        Pin(host="192.0.2.9", addresses=("192.0.2.9",), ports=(22,)),
        Pin(host="2001:db8::9", addresses=("2001:db8::9",), ports=(80,)),
    )


@pytest.mark.parametrize(
    "address", ["10.0.0.5", "::ffff:10.0.0.5", "127.0.0.1", "169.254.169.254", "fd00:ec2::254"]
)
async def test_a_name_that_comes_to_a_dangerous_address_fails_with_all_the_facts(address: str) -> None:
    with pytest.raises(DangerousTarget, match=r"app\.example\.com \(at .*needs an explicit yes") as caught:
        await pin(scope("app.example.com:443"), resolver(app=["192.0.2.1", address]))
    assert caught.value.host == "app.example.com"
    accepted = accept(scope("app.example.com:443"), "app.example.com", caught.value.dangers)
    assert (await pin(accepted, resolver(app=["192.0.2.1", address]))).pins[0].ports == (443,)


async def test_a_dangerous_target_fails_before_it_is_resolved() -> None:
    with pytest.raises(DangerousTarget, match=r"^10\.0\.0\.7 is private; that needs"):
        await pin(scope("10.0.0.7:80"), resolver())
    flagged = Scope(
        targets=(Target(host="a.example.net", ports=(1,), flagged=frozenset({Danger.third_party})),)
    )
    with pytest.raises(DangerousTarget, match="third party"):
        await pin(flagged, resolver())


@pytest.mark.parametrize(
    ("text", "answer", "sentence"),
    [
        (
            "app.example.com",
            ["192.0.2.1"],
            r"app\.example\.com has no port; name one, such as app\.example\.com:443",
        ),
        ("[2001:db8::1]", [], r"such as \[2001:db8::1\]:443"),
        ("app.example.com:443", [], "has no address"),
        ("app.example.com:443", OSError("no such name"), "could not be resolved"),
        ("app.example.com:443", TimeoutError(), "could not be resolved"),
        ("app.example.com:443", ["exa mple"], "could not be resolved"),
        ("app.example.com:443", ["other.example.com"], "has no address"),
        ("app.example.com:443", [f"192.0.2.{n}" for n in range(256)] + ["203.0.113.1"], "more than 256"),
    ],
)
async def test_what_cannot_be_pinned_fails_closed(
    text: str, answer: Sequence[str] | Exception, sentence: str
) -> None:
    with pytest.raises(ScopeError, match=sentence):
        await pin(scope(text), resolver(app=answer))


async def test_an_empty_scope_fails_closed() -> None:
    with pytest.raises(ScopeError, match="The scope is empty"):
        await pin(Scope(), resolver())


async def test_a_small_network_with_a_yes_becomes_its_addresses_and_a_pattern_never_does() -> None:
    small = accept(scope("192.0.2.0/30:80"), "192.0.2.0/30")
    assert (await pin(small, resolver())).pins[0].addresses == (
        "192.0.2.0",
        "192.0.2.1",
        "192.0.2.2",
        "192.0.2.3",
    )
    with pytest.raises(ScopeError, match="larger than 256"):
        await pin(accept(scope("198.51.0.0/16:80"), "198.51.0.0/16"), resolver())
    with pytest.raises(ScopeError, match="is a pattern, not a host"):
        await pin(accept(scope("*.example.com:80"), "*.example.com"), resolver())


async def test_a_look_up_shows_in_time_what_needs_a_yes() -> None:
    seen = await look_up(
        scope("app.example.com:443", "gone.example.com:1", "b.example.com:1"),
        resolver(app=["10.0.0.5"], gone=OSError(), b=["192.0.2.1"]),
    )
    assert [(target.host, found) for target, found in unconfirmed(seen)] == [
        ("app.example.com", {Danger.private})
    ]
    assert (
        await pin(
            accept(strike(seen, "gone.example.com"), "app.example.com"),
            resolver(app=["10.0.0.5"], b=["192.0.2.1"]),
        )
    ).pins


async def test_what_is_covered() -> None:
    wanted = scope("app.example.com:443", "192.0.2.0/30:80")
    pinned = await pin(accept(wanted, "192.0.2.0/30"), resolver(app=["192.0.2.9", "2001:db8::9"]))
    for host, port in [
        ("APP.example.com.", 443),
        ("192.0.2.9", 443),
        ("[2001:DB8::9]", 443),
        ("192.0.2.1", 80),
    ]:
        assert covers(pinned, host, port)
    for host, port in [("app.example.com", 80), ("192.0.2.9", 80), ("192.0.2.4", 80), ("exa mple", 443)]:
        assert not covers(pinned, host, port)
    assert covers(wanted, "app.example.com", 443)
    assert covers(wanted, "192.0.2.3", 80)
    assert not covers(wanted, "192.0.2.3", 443)
    assert not covers(wanted, "sub.app.example.com", 443)
    assert not covers(wanted, "other.example.com", 80)
