from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from http.client import HTTPConnection
from urllib.parse import urlencode

import pytest

from deploy.lab.app import Mode
from deploy.lab.server import serve


@dataclass(frozen=True)
class Answer:
    status: int
    headers: Mapping[str, str]
    body: str


@dataclass(frozen=True)
class Shop:
    """A visitor's view of one running twin."""

    port: int

    def get(self, path: str, *, cookie: str = "", **query: str) -> Answer:
        target = f"{path}?{urlencode(query)}" if query else path
        return self.send("GET", target, {"Cookie": cookie} if cookie else {})

    def send(self, method: str, target: str, headers: dict[str, str], body: str = "") -> Answer:
        connection = HTTPConnection("127.0.0.1", self.port, timeout=10)
        try:
            connection.request(method, target, body, headers)
            response = connection.getresponse()
            return Answer(response.status, dict(response.headers), response.read().decode())
        finally:
            connection.close()

    def log_in(self, email: str, password: str) -> str:
        """The cookie that the shop gives."""
        form = urlencode({"email": email, "password": password})
        answer = self.send("POST", "/login", {"Content-Type": "application/x-www-form-urlencoded"}, form)
        assert answer.status == 303
        return answer.headers["Set-Cookie"].split(";")[0]


def _run(mode: Mode) -> Iterator[Shop]:
    with serve(mode, "127.0.0.1", 0) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield Shop(server.server_address[1])
        server.shutdown()
        thread.join()


@pytest.fixture(scope="session")
def vulnerable() -> Iterator[Shop]:
    yield from _run(Mode.vulnerable)


@pytest.fixture(scope="session")
def fixed() -> Iterator[Shop]:
    yield from _run(Mode.fixed)


@pytest.fixture(params=["vulnerable", "fixed"])
def either(request: pytest.FixtureRequest) -> Shop:
    shop: Shop = request.getfixturevalue(request.param)
    return shop
