"""Retest sessions, sandboxes and verdicts. Knows nothing of Slack."""
