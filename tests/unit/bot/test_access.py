"""Who may do what: the whole table, and that nothing unknown gets through."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.access import Allowed, Ingress, Person, Place, Refused, Request, Wants, may, user_of

ALICE = Person(team="T1", user="U1")
HERE = Place(channel="C1", external=False)
REQUEST = Request(
    ingress=Ingress.action, wants=Wants.operate, home="T1", team="T1", user="U1", person=ALICE, place=HERE
)
MINE = frozenset({"T1:U1"})
OTHERS = frozenset({"T1:U2"})


@pytest.mark.parametrize(
    ("wants", "configured", "operators", "allowed"),
    [
        (Wants.look, frozenset(), frozenset(), True),
        (Wants.look, OTHERS, frozenset(), True),
        (Wants.open, frozenset(), frozenset(), True),
        (Wants.open, OTHERS, frozenset(), False),
        (Wants.open, MINE, frozenset(), True),
        (Wants.open, frozenset({"U1"}), frozenset(), True),
        (Wants.operate, frozenset(), frozenset(), False),
        (Wants.operate, frozenset(), MINE, True),
        (Wants.operate, frozenset(), OTHERS | MINE, True),
        (Wants.operate, frozenset(), OTHERS, False),
        (Wants.operate, OTHERS, MINE, False),
        (Wants.operate, MINE, OTHERS, True),
        (Wants.operate, frozenset({"U1"}), OTHERS, True),
        (Wants.operate, frozenset({"T2:U1"}), MINE, False),
    ],
)
@pytest.mark.parametrize("ingress", Ingress)
def test_roles(
    ingress: Ingress, wants: Wants, configured: frozenset[str], operators: frozenset[str], allowed: bool
) -> None:
    request = replace(REQUEST, ingress=ingress, wants=wants, configured=configured, operators=operators)
    answer = may(request)
    if allowed:
        assert answer == Allowed(by="T1:U1")
    else:
        assert isinstance(answer, Refused)
        assert "read along" in answer.reason


@pytest.mark.parametrize(
    ("change", "part"),
    [
        ({"person": None}, "did not say"),
        ({"place": None}, "did not say"),
        ({"team": None}, "did not say"),
        ({"user": None}, "did not say"),
        ({"home": ""}, "did not say"),
        ({"user": "U2"}, "did not say"),
        ({"team": "T2"}, "Only people of the organisation"),
        ({"person": replace(ALICE, team="T2")}, "Only people of the organisation"),
        ({"person": replace(ALICE, stranger=True)}, "Only people of the organisation"),
        ({"person": replace(ALICE, deleted=True)}, "deactivated"),
        ({"person": replace(ALICE, guest=True)}, "Guests"),
        ({"place": replace(HERE, external=True)}, "another organisation"),
    ],
)
@pytest.mark.parametrize("wants", Wants)
def test_the_unknown_and_the_foreign_are_refused(change: dict[str, object], part: str, wants: Wants) -> None:
    answer = may(replace(REQUEST, wants=wants, operators=MINE, **change))
    assert isinstance(answer, Refused)
    assert part in answer.reason


def test_a_guest_who_is_configured_may_operate() -> None:
    request = replace(REQUEST, person=replace(ALICE, guest=True), configured=MINE)
    assert may(request) == Allowed(by="T1:U1")


def test_another_bot_is_refused_without_a_word() -> None:
    assert may(replace(REQUEST, person=replace(ALICE, bot=True))) == Refused(reason="")


@given(
    st.builds(
        replace,
        st.just(REQUEST),
        team=st.sampled_from(["T1", "T2", None]),
        person=st.none()
        | st.builds(Person, team=st.sampled_from(["T1", "T2"]), user=st.sampled_from(["U1", "U2"])),
        place=st.none() | st.builds(Place, channel=st.just("C1"), external=st.booleans()),
        configured=st.frozensets(st.sampled_from(["U1", "T1:U1", "U2", "T2:U1"])),
        operators=st.frozensets(st.sampled_from(["T1:U1", "T1:U2", "T2:U1"])),
        wants=st.sampled_from(Wants),
    )
)
def test_whoever_is_allowed_is_known_and_of_the_house(asked: Request) -> None:
    if isinstance(may(asked), Allowed):
        assert asked.team == "T1"
        assert asked.person == ALICE
        assert asked.place == HERE
        if asked.wants is Wants.operate:
            assert {"U1", "T1:U1"} & (asked.configured or asked.operators)


def test_the_user_behind_an_id() -> None:
    assert user_of("T1:U1") == "U1"
    assert user_of("agent") == "agent"
