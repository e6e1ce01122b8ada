"""The lab's starter: what it says without an engine, and that it makes what the compose file describes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from bot.lab import IMAGE, LABELS, NETWORK, TARGETS, start_lab, stop_lab
from engine.errors import EngineUnavailable

COMPOSE: dict[str, Any] = yaml.safe_load(
    (Path(__file__).parents[3] / "deploy" / "lab" / "compose.yaml").read_text()
)


@pytest.mark.parametrize("act", [start_lab, stop_lab])
def test_an_engine_that_is_not_there_is_told_in_a_sentence(act: Any) -> None:
    with pytest.raises(EngineUnavailable) as told:
        act("tcp://127.0.0.1:1")
    assert told.value.sentence.startswith("The Docker engine did not do what the practice lab needs")
    assert told.value.sentence.endswith("try again.")


def test_the_compose_file_describes_the_same_lab() -> None:
    described = {
        service["container_name"]: (
            service["image"],
            service["labels"],
            service.get("environment", {}),
            service.get("command", []),
            service["networks"]["lab"]["aliases"],
        )
        for service in COMPOSE["services"].values()
    }
    assert described == {
        target.name: (IMAGE, LABELS, target.environment, list(target.command), [target.alias])
        for target in TARGETS
    }
    assert COMPOSE["networks"]["lab"]["name"] == NETWORK
    assert COMPOSE["networks"]["lab"]["labels"] == LABELS
