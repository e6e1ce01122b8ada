"""The form that opens a retest, filled in and read back."""

from __future__ import annotations

from typing import Any

import pytest

from bot.blocks.answers import conclude_answer, retest_answer, target_of
from bot.blocks.ids import Field, StaleButton
from bot.blocks.message import Json
from bot.blocks.opening import import_form, retest_form
from engine.findings.model import Endpoint
from engine.scope import Danger, Target
from engine.views import ProposedTarget
from tests.unit.bot.blocks.samples import HOSTILE, assert_inert, assert_opens, finding, nodes, words


def proposed(host: str, *ports: int, dangers: frozenset[Danger] = frozenset()) -> ProposedTarget:
    return ProposedTarget(target=Target(host=host, ports=ports), dangers=dangers, addresses=("203.0.113.10",))


def filled(view: Json, **typed: str) -> Json:
    """The view as Slack sends it when the person types some boxes and leaves the rest."""
    values: dict[str, Any] = {}
    for block in view["blocks"]:
        if block["type"] != "input":
            continue
        element, name = block["element"], block["block_id"]
        values[name] = {
            name: {
                "value": typed.get(name, element.get("initial_value")),
                "selected_option": element.get("initial_option"),
                "selected_options": element.get("initial_options", []),
            }
        }
    return {"private_metadata": view["private_metadata"], "state": {"values": values}}


SAFE, DANGEROUS = (
    proposed("shop.example.com", 8080),
    proposed("10.0.0.5", 80, 443, dangers=frozenset({Danger.private})),
)


def test_a_form_left_as_it_is_opens_what_is_safe_and_starts() -> None:
    view = retest_form(finding(), ["Send it", "Compare"], [SAFE, DANGEROUS], channel="C1")

    assert_opens(view)
    answer = retest_answer(filled(view))
    assert answer.finding_id == 12
    assert answer.channel == "C1"
    assert answer.goal == ("Send it", "Compare")
    assert answer.ticked == (Target(host="shop.example.com", ports=(8080,)),)
    assert answer.typed == ()
    assert not answer.typed_authorised
    assert answer.start


def test_a_dangerous_target_is_offered_unticked_with_the_reason_and_a_tick_is_a_yes() -> None:
    view = retest_form(finding(), [], [SAFE, DANGEROUS], channel="C1")
    ticks = next(block for block in view["blocks"] if block.get("block_id") == f"{Field.scope}.0")["element"]

    dangerous = ticks["options"][1]
    assert dangerous not in ticks["initial_options"]
    assert dangerous["description"]["text"] == "Tick only if authorised: private address"
    assert target_of(dangerous["value"]) == Target(
        host="10.0.0.5", ports=(80, 443), accepted=frozenset({Danger.private})
    )


def test_what_cannot_be_ticked_is_named_to_be_typed() -> None:
    view = retest_form(finding(), [], [proposed("noport.example.com"), proposed("a" * 200, 80)], channel="C1")

    assert_opens(view)
    assert "noport.example.com" in words(view)
    assert all(not str(block.get("block_id")).startswith(f"{Field.scope}.") for block in view["blocks"])


def test_typed_targets_are_read_a_line_each() -> None:
    view = retest_form(finding(), [], [], channel="C1")

    answer = retest_answer(filled(view, more_scope=" a.example.com:443 \n\nb.example.com:80\n"))
    assert answer.typed == ("a.example.com:443", "b.example.com:80")


def test_many_targets_take_several_groups_of_ticks() -> None:
    view = retest_form(finding(), [], [proposed(f"h{n}.example.com", 443) for n in range(35)], channel="C1")

    assert_opens(view)
    assert len(retest_answer(filled(view)).ticked) == 35


def test_hostile_findings_are_only_characters() -> None:
    endpoints = tuple(Endpoint(host="shop.example.com", path=HOSTILE) for _ in range(9))
    view = retest_form(
        finding(title=HOSTILE, endpoints=endpoints),
        [HOSTILE] * 50,
        [proposed(HOSTILE[:60], 80)],
        channel="C1",
    )

    assert_opens(view)
    assert_inert(view)


@pytest.mark.parametrize("value", ["", "a", "a|b", "a|80|nothing", "a|80|private|x", "a||"])
def test_a_tick_of_another_version_is_told_to_be_old(value: str) -> None:
    with pytest.raises(StaleButton):
        target_of(value)


def test_a_verdict_is_read_back_whole() -> None:
    values = {
        Field.status: {Field.status: {"selected_option": {"value": "still_open"}}},
        Field.rationale: {Field.rationale: {"value": " seen \n"}},
        Field.exhibits: {Field.exhibits: {"selected_options": [{"value": "7"}, {"value": "9"}]}},
    }

    answer = conclude_answer({"state": {"values": values}})
    assert (answer.status, answer.rationale, answer.exhibits) == ("still_open", "seen", (7, 9))
    with pytest.raises(StaleButton):
        conclude_answer({"state": {"values": {}}})


def test_the_import_form_takes_files_or_text() -> None:
    view = import_form("C1")

    assert_opens(view)
    kinds = {node["type"] for node in nodes(view["blocks"]) if "type" in node}
    assert {"file_input", "plain_text_input"} <= kinds
