"""What buttons carry."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.blocks.ids import Ref, StaleButton, decode, encode, of_command, of_session
from tests.unit.bot.blocks.samples import command

NUMBERS = st.none() | st.integers(1, 10**12)


@given(
    st.builds(
        Ref,
        session_id=st.integers(1, 10**12),
        command_id=NUMBERS,
        digest=st.text("0123456789abcdef", max_size=12),
        event=NUMBERS,
        finding_id=NUMBERS,
    )
)
def test_a_value_says_what_it_is_about_and_nothing_more(ref: Ref) -> None:
    assert decode(encode(ref)) == ref


def test_a_value_is_bound_to_what_was_shown() -> None:
    assert of_command(command()) == "s42.c7.d3f9a1c2e4b50"
    assert of_session(42) == "s42"
    assert decode(of_command(command())).shows(command())
    assert not decode(of_command(command())).shows(command(digest="0" * 64))


@pytest.mark.parametrize("value", ["", "approve", "s", "s-1", "s1;c2", "s1.c2.dxyz", "s1 c2", "42"])
def test_anything_else_is_told_to_be_old(value: str) -> None:
    with pytest.raises(StaleButton):
        decode(value)
