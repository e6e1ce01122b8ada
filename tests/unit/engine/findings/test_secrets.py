from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.findings.secrets import mask


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Authorization: Basic YWJjOmRlZg==\r\nAccept: */*", "Authorization: Basic ***\r\nAccept: */*"),
        ('Authorization: Digest username="bob", response="0af"', "Authorization: Digest ***"),
        ("> Cookie: a=1; b=2", "> Cookie: ***"),
        ("Set-Cookie: sid=abc; Path=/", "Set-Cookie: ***"),
        ("X-Api-Key: abc", "X-Api-Key: ***"),
        (
            "curl -H 'Authorization: Bearer abc' 'https://a/'",
            "curl -H 'Authorization: Bearer ***' 'https://a/'",
        ),
        ('curl -H "Cookie: sid=1" https://a/', 'curl -H "Cookie: ***" https://a/'),
        ("curl -u bob:horse https://a/", "curl -u bob:*** https://a/"),
        ("curl --cookie 'sid=1' https://a/", "curl --cookie '*** https://a/".replace("***", "***'")),
        ("https://bob:horse%40battery@shop.example.com/x", "https://bob:***@shop.example.com/x"),
        ("see eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln now", "see *** now"),
        ("key AKIAABCDEFGHIJKLMNOP.", "key ***."),
        ("password=hunter2&user=bob", "password=***&user=bob"),
        ('{"client_secret": "abc", "n": 1}', '{"client_secret": "***", "n": 1}'),
        ("db_password: abc", "db_password: ***"),
        (
            "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\nx",
            "-----BEGIN RSA PRIVATE KEY-----***\nx",
        ),
    ],
)
def test_a_secret_is_masked_and_its_surroundings_stay(text: str, shown: str) -> None:
    assert mask(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        "GET /login?next=/ HTTP/1.1\r\nHost: shop.example.com",
        "The password is too short",
        "https://a.example.com:8443/x@y",
        "cookies",
    ],
)
def test_ordinary_text_stays(text: str) -> None:
    assert mask(text) == text


@given(st.text())
def test_masking_twice_changes_nothing_more(text: str) -> None:
    assert mask(mask(text)) == mask(text)
