from __future__ import annotations

from engine.agent.excerpt import excerpt, is_whole


def test_a_short_output_is_whole() -> None:
    data = "grüße\n".encode() * 100
    assert excerpt(data) == data.decode()
    assert is_whole(excerpt(data), len(data))


def test_a_long_output_is_its_head_and_tail_with_the_gap_named() -> None:
    data = b"begin" + b"x" * 50_000 + b"end"
    text = excerpt(data)
    assert text.startswith("begin")
    assert text.endswith("end")
    assert f"{len(data) - (12 << 10)} bytes left out" in text
    assert not is_whole(text, len(data))


def test_bytes_that_are_no_text_do_not_make_a_cut_output_look_whole() -> None:
    data = b"\xff" * 50_000
    assert not is_whole(excerpt(data), len(data))
    assert is_whole(excerpt(data[:100]), 100)
