from __future__ import annotations

import pytest

from engine.findings import manual
from engine.findings.manual import ManualEntryInvalid, manual_finding
from engine.findings.model import Severity


def enter(**fields: str) -> dict[str, str]:
    good = {
        "title": "Admin page is open",
        "severity": "High",
        "endpoints": "https://shop.example.com/admin",
        "steps": "1. $ curl -sS https://shop.example.com/admin\n2. The page shows.",
    }
    return good | fields


def test_a_finding_from_a_form() -> None:
    finding = manual_finding(**enter(title="  Admin\u202e page\n is open "))
    assert (finding.format, finding.title, finding.severity) == (
        "manual",
        "Admin page is open",
        Severity.high,
    )
    assert finding.endpoints[0].address == "shop.example.com:443"
    assert [step.command for step in finding.replay] == ["curl -sS https://shop.example.com/admin"]
    assert len(finding.steps) == 2
    assert finding.control[0].command.endswith("https://shop.example.com:443/")


def test_every_wrong_field_is_told_at_once() -> None:
    with pytest.raises(ManualEntryInvalid) as caught:
        manual_finding(title=" ", severity="urgent", endpoints="", steps="\u202e")
    assert set(caught.value.problems) == {"title", "severity", "endpoints", "steps"}
    assert all(sentence.endswith(".") for sentence in caught.value.problems.values())
    assert caught.value.sentence.startswith("Give the finding a title.")


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"title": "x" * 501}, "title"),
        ({"severity": ""}, "severity"),
        ({"endpoints": "https://exa mple.com/"}, "endpoints"),
        ({"endpoints": "/login"}, "endpoints"),
        ({"endpoints": "\n".join(f"h{number}.example.com" for number in range(1001))}, "endpoints"),
        ({"steps": ""}, "steps"),
    ],
)
def test_one_wrong_field_is_told_alone(fields: dict[str, str], field: str) -> None:
    with pytest.raises(ManualEntryInvalid) as caught:
        manual_finding(**enter(**fields))
    assert list(caught.value.problems) == [field]


def test_steps_have_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(manual, "MAX_TEXT", 10)
    with pytest.raises(ManualEntryInvalid, match="Shorten the steps"):
        manual_finding(**enter())
