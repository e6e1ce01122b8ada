"""The shop as a service: what it answers besides its weaknesses."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from .conftest import Shop

DEPLOY = Path(__file__).parents[4] / "deploy"


def test_is_healthy(either: Shop) -> None:
    answer = either.get("/health")
    assert (answer.status, answer.body) == (200, "ok\n")


def test_every_linked_page_opens(either: Shop) -> None:
    welcome = either.get("/").body
    for path in ("/search", "/track", "/guide", "/login"):
        assert f'href="{path}"' in welcome
        assert either.get(path).status == 200


def test_says_the_same_thing_every_time(either: Shop) -> None:
    assert len({either.get("/search").body for _ in range(3)}) == 1


def test_serves_many_at_once(either: Shop) -> None:
    with ThreadPoolExecutor(16) as pool:
        statuses = list(pool.map(lambda _: either.get("/search", q="e").status, range(64)))
    assert statuses == [200] * 64


@pytest.mark.parametrize(("target", "status"), [("/nowhere", 404), ("//[", 404), ("/search?q=%ff%00", 200)])
def test_strange_addresses_are_answered(fixed: Shop, target: str, status: int) -> None:
    assert fixed.send("GET", target, {}).status == status


def test_a_head_has_no_body(either: Shop) -> None:
    answer = either.send("HEAD", "/health", {})
    assert (answer.status, answer.headers["Content-Length"], answer.body) == (200, "3", "")


def test_only_the_log_in_takes_a_form(either: Shop) -> None:
    assert either.send("POST", "/search", {}, "q=pear").status == 405


def test_a_wrong_password_is_refused(either: Shop) -> None:
    form = "email=ada%40example.com&password=wrong"
    answer = either.send("POST", "/login", {}, form)
    assert answer.status == 401
    assert "Set-Cookie" not in answer.headers


def test_a_body_of_unknown_or_great_length_is_refused(either: Shop) -> None:
    assert either.send("POST", "/login", {"Content-Length": "1000000"}).status == 413
    assert either.send("POST", "/login", {"Content-Length": "-1"}).status == 413


@pytest.mark.parametrize("mode", ["", "half"])
def test_an_unknown_mode_is_refused_in_one_sentence(mode: str) -> None:
    run = subprocess.run(
        [sys.executable, "-m", "lab"],
        cwd=DEPLOY,
        env={"LAB_MODE": mode},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 1
    assert run.stderr == f"LAB_MODE must be vulnerable or fixed, not {mode!r}.\n"
