from __future__ import annotations

from engine.agent.http_output import Response, responses


def read(stdout: str, command: str = "curl -i x") -> list[tuple[int | None, str]]:
    return [(response.status, response.body) for response in responses(command, stdout)]


def test_headers_and_body_are_told_apart_whatever_ends_the_lines() -> None:
    assert read("HTTP/1.1 200 OK\r\nA: b\r\n\r\nbody\r\n\r\nmore") == [(200, "body\r\n\r\nmore")]
    assert read("HTTP/2 404\nA: b\n\nbody") == [(404, "body")]


def test_each_hop_of_a_redirect_is_an_answer() -> None:
    assert read("HTTP/1.1 302 Found\r\nL: x\r\n\r\nHTTP/2 200 \r\n\r\nend") == [(302, ""), (200, "end")]


def test_interim_and_proxy_answers_are_not() -> None:
    assert read("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201 Created\r\n\r\n") == [(201, "")]
    assert read("HTTP/1.1 200 Connection established\r\n\r\nHTTP/1.1 403 No\r\n\r\nx") == [(403, "x")]


def test_two_commands_in_one_are_two_answers_with_their_own_bodies() -> None:
    assert read("HTTP/1.1 303 x\r\n\r\nfirst\nHTTP/1.1 200 OK\r\n\r\nsecond") == [
        (303, "first\n"),
        (200, "second"),
    ]


def test_a_status_line_inside_a_line_is_text() -> None:
    assert read("HTTP/1.1 200 OK\r\n\r\nsee HTTP/1.1 500 there") == [(200, "see HTTP/1.1 500 there")]


def test_output_without_headers_is_all_body() -> None:
    assert responses("curl x", "plain") == (Response(None, None, "plain"),)


def test_headers_that_never_end_are_headers() -> None:
    (response,) = responses("curl -I x", "HTTP/1.1 200 OK\r\nA: b\r\n")
    assert (response.status, response.body) == (200, "")
    assert "A: b" in (response.header or "")


def test_what_was_printed_before_stays_part_of_all() -> None:
    (response,) = responses("x", "token=7\nHTTP/1.1 200 OK\r\n\r\nbody")
    assert response.all == "token=7\nHTTP/1.1 200 OK\r\n\r\nbody"
