"""Slack's limits, each just kept and just broken."""

from __future__ import annotations

from typing import Any

import pytest

from bot.limits import check_message, check_view, counted_length, escaped_length
from tests.acceptance.workspace.samples import EVERY_BLOCK, FORM

Json = dict[str, Any]


def plain(text: str) -> Json:
    return {"type": "plain_text", "text": text}


def section(text: str) -> Json:
    return {"type": "section", "text": {"type": "mrkdwn", "text": text}}


def button(name: str = "b", **more: Any) -> Json:
    return {"type": "button", "action_id": name, "text": plain("Go"), **more}


def actions(*elements: Json) -> Json:
    return {"type": "actions", "elements": list(elements)}


def menu(count: int, **more: Any) -> Json:
    options = [{"text": plain(f"o{i}"), "value": str(i)} for i in range(count)]
    return {"type": "static_select", "action_id": "m", "options": options, **more}


def rich(element: Json) -> Json:
    return {"type": "rich_text", "elements": [element]}


def text_input(**more: Any) -> Json:
    return {
        "type": "input",
        "label": plain("Why"),
        "element": {"type": "plain_text_input", "action_id": "a", **more},
    }


def modal(*blocks: Json, **more: Any) -> Json:
    return {"type": "modal", "title": plain("Title"), "submit": plain("Send"), "blocks": list(blocks), **more}


KEPT = [
    section("x" * 3000),
    {"type": "section", "fields": [plain("x" * 2000)] * 5},
    {"type": "header", "text": plain("x" * 150)},
    {"type": "context", "elements": [plain("x")] * 10},
    actions(*(button(str(i)) for i in range(25))),
    actions(button(text=plain("x" * 75), value="v" * 2000)),
    actions(menu(100)),
    rich({"type": "rich_text_preformatted", "elements": [{"type": "text", "text": "x" * 9000}]}),
    {"type": "markdown", "text": "x" * 12_000},
    {"type": "divider", "block_id": "b" * 255},
]

BROKEN = [
    (section("x" * 3001), "/blocks/0/text/text", "must be less than 3001 characters"),
    (section(""), "/blocks/0/text/text", "must be more than 0 characters"),
    ({"type": "section"}, "/blocks/0", "must have text or fields"),
    ({"type": "section", "fields": [plain("x")] * 11}, "/blocks/0/fields", "no more than 10 items allowed"),
    ({"type": "section", "fields": [plain("x" * 2001)]}, "/blocks/0/fields/0/text", "less than 2001"),
    ({"type": "header", "text": plain("x" * 151)}, "/blocks/0/text/text", "less than 151"),
    ({"type": "header", "text": {"type": "mrkdwn", "text": "x"}}, "/blocks/0/text/type", "plain_text"),
    ({"type": "context", "elements": [plain("x")] * 11}, "/blocks/0/elements", "no more than 10"),
    ({"type": "context", "elements": [button()]}, "/blocks/0/elements/0/type", "must be one of"),
    (actions(*(button(str(i)) for i in range(26))), "/blocks/0/elements", "no more than 25"),
    (actions(), "/blocks/0/elements", "at least 1"),
    (actions(button(text=plain("x" * 76))), "/blocks/0/elements/0/text/text", "less than 76"),
    (actions(button(text=plain(""))), "/blocks/0/elements/0/text/text", "more than 0"),
    (actions(button(value="v" * 2001)), "/blocks/0/elements/0/value", "less than 2001"),
    (actions(button(url="u" * 3001)), "/blocks/0/elements/0/url", "less than 3001"),
    (actions(button(style="loud")), "/blocks/0/elements/0/style", "must be one of"),
    (actions(button("b" * 256)), "/blocks/0/elements/0/action_id", "less than 256"),
    (actions(button("same"), button("same")), "/blocks/0/elements/1/action_id", "already exists"),
    (
        actions(button(confirm={"title": plain("t")})),
        "/blocks/0/elements/0/confirm",
        "missing required field",
    ),
    (actions(menu(101)), "/blocks/0/elements/0/options", "no more than 100"),
    (actions(menu(1, initial_option={"value": "9"})), "/blocks/0/elements/0", "one of the options"),
    (actions(menu(6) | {"type": "overflow"}), "/blocks/0/elements/0/options", "no more than 5"),
    (actions(menu(11) | {"type": "checkboxes"}), "/blocks/0/elements/0/options", "no more than 10"),
    (
        actions({"type": "plain_text_input", "action_id": "a"}),
        "/blocks/0/elements/0/type",
        "unsupported type",
    ),
    (rich({"type": "rich_text_table"}), "/blocks/0/elements/0/type", "unsupported type"),
    (
        rich({"type": "rich_text_preformatted", "elements": [{"type": "user", "user_id": "U1"}]}),
        "/blocks/0/elements/0/elements/0/type",
        "unsupported type",
    ),
    (
        rich({"type": "rich_text_section", "elements": [{"type": "text", "text": ""}]}),
        "/blocks/0/elements/0/elements/0/text",
        "more than 0",
    ),
    (
        rich({"type": "rich_text_list", "style": "bullet", "elements": [{"type": "text", "text": "x"}]}),
        "/blocks/0/elements/0/elements/0/type",
        "unsupported type",
    ),
    (
        {"type": "container", "title": plain("t"), "child_blocks": [rich({})]},
        "/blocks/0/child_blocks/0/type",
        "unsupported type: rich_text",
    ),
    ({"type": "table", "rows": [[{}] * 21]}, "/blocks/0/rows/0", "1 to 20 cells"),
    ({"type": "image", "alt_text": "x"}, "/blocks/0", "image_url or slack_file"),
    ({"type": "image", "image_url": "u"}, "/blocks/0", "missing required field: alt_text"),
    ({"type": "divider", "block_id": "b" * 256}, "/blocks/0/block_id", "less than 256"),
    ({"type": "hologram"}, "/blocks/0/type", "unsupported type: hologram"),
]


@pytest.mark.parametrize("block", KEPT, ids=lambda block: block["type"])
def test_a_block_at_its_limit_is_taken(block: Json) -> None:
    assert check_message({"text": "t", "blocks": [block]}) == []


@pytest.mark.parametrize(("block", "pointer", "sentence"), BROKEN)
def test_a_block_beyond_its_limit_is_refused_where_it_is_wrong(
    block: Json, pointer: str, sentence: str
) -> None:
    problem = check_message({"text": "t", "blocks": [block]})[0]
    assert (problem.pointer, problem.code) == (pointer, "invalid_blocks")
    assert sentence in problem.sentence


def test_a_sample_of_every_block_and_input_is_taken() -> None:
    assert check_message({"text": "t", "blocks": EVERY_BLOCK}) == []
    assert check_view(FORM) == []


def test_a_message_has_at_most_fifty_blocks_with_ids_of_their_own() -> None:
    divider = {"type": "divider"}
    assert check_message({"blocks": [divider] * 50}) == []
    assert check_message({"blocks": [divider] * 51})[0].pointer == "/blocks"
    twice = [divider | {"block_id": "same"}] * 2
    assert check_message({"blocks": twice})[0].pointer == "/blocks/1/block_id"


def test_the_whole_message_is_counted_after_escaping() -> None:
    blocks = [section("&" * 2640)]
    assert check_message({"blocks": blocks}) == []
    (problem,) = check_message({"blocks": [section("&" * 2641)]})
    assert problem.code == "msg_blocks_too_long"
    assert [problem.code for problem in check_message({"blocks": [section("x" * 2700)] * 5})] == [
        "msg_blocks_too_long"
    ]


def test_headers_weigh_more_than_their_text_and_escapes_count_as_sent() -> None:
    assert counted_length([section("a&<>")]) == escaped_length("a&<>") == 1 + 5 + 4 + 4
    assert counted_length([{"type": "header", "text": plain("ab")}]) == 102


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ({"text": "x" * 4001}, "msg_too_long"),
        ({"markdown_text": "x" * 12_001}, "msg_too_long"),
        ({"markdown_text": "x", "text": "y"}, "markdown_text_conflict"),
        ({"text": "x", "blocks": {"type": "divider"}}, "invalid_blocks_format"),
        ({"text": "x", "attachments": [{}] * 101}, "too_many_attachments"),
        ({"blocks": [{"type": "markdown", "text": "x" * 6_001}] * 2}, "invalid_blocks"),
    ],
)
def test_messages_are_refused_as_a_whole_with_slacks_own_code(message: Json, code: str) -> None:
    assert [problem.code for problem in check_message(message)] == [code]


def test_text_of_four_thousand_characters_is_taken() -> None:
    assert check_message({"text": "x" * 4000}) == []


@pytest.mark.parametrize(
    ("view", "pointer"),
    [
        (modal(title=plain("x" * 25)), "/title/text"),
        (modal(submit=plain("x" * 25)), "/submit/text"),
        (modal(text_input(), submit=None), "/submit"),
        (modal(private_metadata="x" * 3001), "/private_metadata"),
        (modal(callback_id="x" * 256), "/callback_id"),
        (modal(*[{"type": "divider"}] * 101), "/blocks"),
        (modal({"type": "markdown", "text": "x"}), "/blocks/0/type"),
        (modal(text_input(max_length=3001)), "/blocks/0/element/max_length"),
        (modal(text_input(min_length=9, max_length=3)), "/blocks/0/element/min_length"),
        (modal(text_input() | {"element": button()}), "/blocks/0/element/type"),
        ({"type": "window", "blocks": []}, "/type"),
    ],
)
def test_a_view_beyond_its_limits_is_refused(view: Json, pointer: str) -> None:
    (problem,) = check_view(view)
    assert (problem.pointer, problem.code) == (pointer, "invalid_arguments")


def test_a_view_may_not_be_larger_than_a_quarter_of_a_megabyte() -> None:
    codes = {problem.code for problem in check_view(modal(*[section("é" * 1500)] * 99))}
    assert codes == {"view_too_large"}


def test_a_form_without_inputs_needs_no_submit() -> None:
    assert check_view(modal(section("read this"), submit=None)) == []
