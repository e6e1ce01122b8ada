from __future__ import annotations

import pytest

from engine.agent.screen import looks_like_call


@pytest.mark.parametrize(
    "text",
    [
        '<tool_call>\n{"name": "run_command"}\n</tool_call>',
        "<function=run_command><parameter=command>id</parameter></function>",
        '[TOOL_CALLS] [{"name": "run_command"}]',
        '{"name": "run_command", "arguments": {"command": "id"}}',
        'Let me look.\nrun_command({"command": "id"})',
        '> run_command(command="id")',
    ],
)
def test_calls_in_many_dialects_are_recognised(text: str) -> None:
    assert looks_like_call(text)


@pytest.mark.parametrize(
    "text",
    [
        "I would use run_command to look at the header.",
        "- determine (once more) whether the cookie is set",
        '{"status": "ok"} is what it printed.',
        '{"status": "ok"}',
        "{not json}",
        "if (x) { run(); }",
        "",
    ],
)
def test_prose_is_left_alone(text: str) -> None:
    assert not looks_like_call(text)
