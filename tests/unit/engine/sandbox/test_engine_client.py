"""What a failure of the Docker SDK means to a person."""

from __future__ import annotations

import pytest
import requests
from docker.errors import APIError, DockerException, ImageNotFound, NotFound

from engine.errors import (
    EngineDiskFull,
    EngineUnavailable,
    ImageMissing,
    NetworksExhausted,
    SandboxError,
    SandboxLost,
)
from engine.sandbox.engine_client import explain


def answered(status: int) -> requests.Response:
    response = requests.Response()
    response.status_code = status
    return response


@pytest.mark.parametrize(
    ("error", "meaning"),
    [
        (ImageNotFound("x", answered(404), "No such image: revalid-sandbox:latest"), ImageMissing),
        (NotFound("x", answered(404), "No such image: revalid-gateway:latest"), ImageMissing),
        (NotFound("x", answered(404), "No such container: abc"), SandboxLost),
        (NotFound("x", answered(404), "No such exec instance: abc"), SandboxLost),
        (APIError("x", answered(409), "Container abc is not running"), SandboxLost),
        (APIError("x", answered(500), "mkdir /var/lib/docker: no space left on device"), EngineDiskFull),
        (
            APIError("x", answered(404), "could not find an available, non-overlapping IPv4 address pool"),
            NetworksExhausted,
        ),
        (
            APIError("x", answered(400), "all predefined address pools have been fully subnetted"),
            NetworksExhausted,
        ),
        (APIError("x", answered(500), "something new"), SandboxError),
        (NotFound("x", answered(404), "network revalid-lab not found"), SandboxError),
        (requests.ConnectionError("refused"), EngineUnavailable),
        (requests.ReadTimeout("slow"), EngineUnavailable),
        (DockerException("Error while fetching server API version"), EngineUnavailable),
        (ConnectionResetError(), EngineUnavailable),
    ],
)
def test_each_failure_has_its_own_meaning(error: Exception, meaning: type[SandboxError]) -> None:
    assert type(explain(error)) is meaning


def test_the_engines_own_words_are_passed_on() -> None:
    error = APIError("x", answered(500), "something new")
    assert explain(error).sentence == "The Docker engine refused: something new."
